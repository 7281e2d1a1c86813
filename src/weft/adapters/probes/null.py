"""A probe that measures nothing, to measure the overhead of probes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from weft.adapters.probes.base import Probe, Read, no_reading
from weft.layout.plan import Layout


class NullProbe(Probe):
    """Measures nothing."""

    name: ClassVar[str] = "null"

    def missing(self, layout: Layout) -> str | None:  # noqa: ARG002 - it is always available
        return None

    @contextmanager
    def watch(self, layout: Layout) -> Iterator[Read]:  # noqa: ARG002 - it reads nothing
        yield no_reading
