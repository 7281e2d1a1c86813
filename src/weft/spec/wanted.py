"""What a key accepts, in plain terms: pydantic's own messages mention patterns, dictionaries and parsing."""

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
"""By the first part of the type of pydantic's error."""
_BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def wanted(error: Mapping[str, Any], field: FieldInfo | None) -> str:
    """The requirement that a value does not meet."""
    kind, context = str(error["type"]), error.get("ctx", {})
    if kind in _BOUNDS:
        key, text = _BOUNDS[kind]
        bound = context[key]
        return f"it must be {text} {show_size(bound) if _is_size(field) else bound}"
    if kind == "string_pattern_mismatch":
        meant = (field.description or "").partition(";")[0] if field else ""
        return f"{error['input']!r} is not a valid {meant or 'value'}"
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
