"""What is wrong with a table of keys, in weft's own sentences."""

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from weft.spec.keys import field_at, keys_at
from weft.spec.model import FAMILIES
from weft.spec.wanted import wanted
from weft.text.nearest import nearest

_MOST = 80
"""Characters of a value that a message repeats."""


def say(error: ValidationError) -> str:
    """What is wrong, in one line that names the key."""
    first = error.errors(include_url=False)[0]
    words = _location(first["loc"])
    of_several = words[0] == "services" or first["loc"][1:2] in (("engines",), ("shares",))
    if not of_several and len(words) > 1 and words[1] in FAMILIES.get(words[0], ()):
        words.pop(1)
    where = ".".join(words[:1] if first["type"] == "union_tag_invalid" else words)
    match first["type"]:
        case "extra_forbidden":
            return f"unknown key {where!r}"
        case "union_tag_invalid":
            return f"unknown {where} {first['input'].get('kind')!r}"
        case "union_tag_not_found":
            return f"{where} does not say its kind"
        case "missing":
            return f"{where} is required"
    message, given = wanted(first, field_at(_location(first["loc"]))), str(first["input"])
    told = isinstance(first["input"], dict) or given in message or _reads_as(first)
    return f"{where}: {message}" + ("" if told else f", not {_shortened(given)!r}")


def _shortened(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[:_MOST]}..."


def _reads_as(first: Any) -> str:
    """What a value was taken for, in the words of the error that refused it; empty where it has none."""
    return str(getattr(first.get("ctx", {}).get("error"), "hint", ""))


def _written(location: list[str]) -> str:
    """How a key that is required is written."""
    family, key = location[0], location[-1]
    if family not in FAMILIES or len(location) < 3:
        return f"write {key} = ..."
    kind = location[1]
    short = f"{kind}:{key.upper()}, or " if FAMILIES[family][kind].positional == key else ""
    return f"write {short}{kind},{key}={key.upper()}"


def _location(words: Sequence[int | str]) -> list[str]:
    """The words of a key: those of an engine among several as if it were the only one."""
    match [str(word) for word in words]:
        case ["engine", "engines", kind, *rest]:
            return ["engine", kind, *rest[1:]]
        case ["engine", "shares", kind, *_]:
            return ["engine", kind, "share"]
        case ["services", _, *rest]:
            return ["services", *rest]
        case plain:
            return plain


def hint(error: ValidationError) -> str:
    """What to write instead; empty where that is not known."""
    first = error.errors(include_url=False)[0]
    location = _location(first["loc"])
    match first["type"]:
        case "extra_forbidden" if location[0] in FAMILIES["services"]:
            return f"did you mean 'services.{location[0]}'?"
        case "extra_forbidden":
            return nearest(location[-1], keys_at(location[:-1]))
        case "union_tag_invalid":
            return nearest(str(first["input"].get("kind")), list(FAMILIES[location[0]]))
        case "missing":
            return _written(location)
        case "value_error":
            return _reads_as(first)
    return ""
