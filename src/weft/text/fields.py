"""Fields of a pydantic model that are written as sizes and durations.

Separate from `units`, which fast commands import: pydantic takes long to load.
"""

from typing import Annotated

from pydantic import BeforeValidator, Field, PlainSerializer

from weft.text.units import parse_duration, parse_size

Listed = BeforeValidator(
    lambda value: [word for word in value.split(",") if word] if isinstance(value, str) else value
)
"""For a pydantic field that accepts "a,b" and contains both."""

MOST = 1_000_000
"""Most of anything that a machine has to make one by one: nodes, partitions, tasks, files."""
Count = Annotated[int, Field(ge=1, le=MOST)]
"""A pydantic field: how many of such."""
Port = Annotated[int, Field(ge=1024, le=65535)]
"""A pydantic field: a port that a user may bind."""
LEAST_HEAP = 64 << 20
"""Bytes of heap below which no program of an engine starts."""

Size = Annotated[int, BeforeValidator(parse_size), PlainSerializer(int)]
"""A pydantic field that accepts "1GB" and contains bytes."""

SizeOrNone = Annotated[
    int,
    BeforeValidator(lambda text: 0 if str(text).strip() == "0" else parse_size(text)),
    PlainSerializer(int),
]
"""As Size, or 0."""

Duration = Annotated[float, BeforeValidator(parse_duration), PlainSerializer(float)]
"""A pydantic field that accepts "30s" and contains seconds."""
