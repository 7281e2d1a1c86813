"""What a key takes, in plain words: pydantic's own messages speak of patterns, dictionaries and parsing."""

from collections.abc import Mapping
from typing import Any

from pydantic import BeforeValidator
from pydantic.fields import FieldInfo

from weft.text.units import parse_size, show_size

_KINDS: Mapping[str, str] = {
    "bool": "true or false",
    "dict": "a table",
    "float": "a number",
    "int": "a whole number",
    "list": "a list",
    "mapping": "a table",
    "model": "a table or a name",
    "path": "a path",
    "string": "text",
    "tuple": "a list",
}
"""By the first word of the type of pydantic's error."""
_BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def wanted(error: Mapping[str, Any], field: FieldInfo | None) -> str:
    """What a value has to be that pydantic refused."""
    kind, context = str(error["type"]), error.get("ctx", {})
    if kind in _BOUNDS:
        key, words = _BOUNDS[kind]
        bound = context[key]
        return f"it must be {words} {show_size(bound) if _is_size(field) else bound}"
    if kind == "string_pattern_mismatch":
        meant = (field.description or "").partition(";")[0] if field else ""
        return f"{error['input']!r} is no {meant or 'such value'}"
    if kind == "literal_error":
        return f"it must be {context['expected']}"
    if kind == "value_error":
        message = str(context["error"])
        return message[0].lower() + message[1:] if message else "it is not valid"
    return f"it must be {_KINDS.get(kind.partition('_')[0], 'another value')}"


def _is_size(field: FieldInfo | None) -> bool:
    return field is not None and any(
        isinstance(one, BeforeValidator) and one.func is parse_size for one in field.metadata
    )
