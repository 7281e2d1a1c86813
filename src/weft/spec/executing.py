"""The keys of a spec whose values run programs: all that are marked, and have another value than the default."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from weft.spec.model import Spec
from weft.text.executes import Executes


def executing(spec: Spec) -> dict[str, str]:
    """By dotted key: the value; both in characters that no terminal obeys."""
    return dict(_marked(spec, ""))


def _marked(value: Any, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, BaseModel):
        for name, field in type(value).model_fields.items():
            given = getattr(value, name)
            key = f"{where}.{name}" if where else name
            if not any(isinstance(mark, Executes) for mark in field.metadata):
                yield from _marked(given, key)
            elif field.is_required() or given != field.get_default(call_default_factory=True):
                yield from _shown(given, key)
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield from _marked(one, f"{where}.{name}")
    elif isinstance(value, tuple):
        for one in value:
            yield from _marked(one, f"{where}.{getattr(one, 'kind', '')}")


def _shown(value: Any, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from _shown(one, f"{key}.{name}")
    else:
        yield (
            key.encode("unicode_escape").decode(),
            ascii(list(value) if isinstance(value, tuple) else str(value)),
        )
