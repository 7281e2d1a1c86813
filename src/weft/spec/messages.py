"""Errors in a table of keys, as weft's own messages."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BeforeValidator, ValidationError
from pydantic.fields import FieldInfo

from weft.spec.keys import field_at, keys_at
from weft.spec.model import FAMILIES
from weft.text.nearest import nearest
from weft.text.units import parse_size, show_size

_MOST = 80
"""Maximum characters of a value in a message."""


def say(error: ValidationError) -> str:
    """What is wrong, in one line that names the key."""
    first = error.errors(include_url=False)[0]
    parts = _location(first["loc"])
    of_several = parts[0] == "services" or first["loc"][1:2] in (("engines",), ("shares",))
    if not of_several and len(parts) > 1 and parts[1] in FAMILIES.get(parts[0], ()):
        parts.pop(1)
    where = ".".join(parts[:1] if first["type"] == "union_tag_invalid" else parts)
    match first["type"]:
        case "extra_forbidden":
            return f"unknown key {where!r}"
        case "union_tag_invalid":
            return f"unknown {where} {first['input'].get('kind')!r}"
        case "union_tag_not_found":
            return f"{where} has no kind"
        case "missing":
            return f"{where} is required"
    message, given = wanted(first, field_at(_location(first["loc"]))), str(first["input"])
    known = isinstance(first["input"], dict) or given in message or _reads_as(first)
    return f"{where}: {message}" + ("" if known else f", not {_shortened(given)!r}")


def _shortened(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[:_MOST]}..."


def _reads_as(first: Any) -> str:
    """How a value was interpreted, from the message of the error; empty if unknown."""
    return str(getattr(first.get("ctx", {}).get("error"), "hint", ""))


def _written(location: list[str]) -> str:
    """How to set a required key."""
    family, key = location[0], location[-1]
    if family not in FAMILIES or len(location) < 3:
        return f"write {key} = ..."
    kind = location[1]
    short = f"{kind}:{key.upper()}, or " if FAMILIES[family][kind].positional == key else ""
    return f"write {short}{kind},{key}={key.upper()}"


def _location(parts: Sequence[int | str]) -> list[str]:
    """The parts of a key: for one of several engines, as if it were the only one."""
    match [str(word) for word in parts]:
        case ["engine", "engines", kind, *rest]:
            return ["engine", kind, *rest[1:]]
        case ["engine", "shares", kind, *_]:
            return ["engine", kind, "share"]
        case ["services", _, *rest]:
            return ["services", *rest]
        case plain:
            return plain


def hint(error: ValidationError) -> str:
    """What to write instead; empty if unknown."""
    first = error.errors(include_url=False)[0]
    location = _location(first["loc"])
    match first["type"]:
        case "extra_forbidden" if location[0] in FAMILIES["services"]:
            return f"did you mean 'services.{location[0]}'?"
        case "extra_forbidden":
            return nearest(location[-1], keys_at(location[:-1]))
        case "union_tag_invalid":
            return nearest(str(first["input"].get("kind")), FAMILIES[location[0]].listed)
        case "missing":
            return _written(location)
        case "value_error":
            return _reads_as(first)
    return ""


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
