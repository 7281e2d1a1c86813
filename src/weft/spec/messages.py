"""What is wrong with a table of keys, in weft's own sentences."""

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from weft.spec.keys import keys_at
from weft.spec.model import FAMILIES
from weft.text.nearest import nearest


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
    message = first["msg"].removeprefix("Value error, ")
    told = isinstance(first["input"], dict) or repr(first["input"]) in message or _reads_as(first)
    return f"{where}: {message[0].lower() + message[1:]}" + ("" if told else f", not {first['input']!r}")


def _reads_as(first: Any) -> str:
    """What a value was taken for, in the words of the error that refused it; empty where it has none."""
    return str(getattr(first.get("ctx", {}).get("error"), "hint", ""))


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
            return f"write {location[0]}:VALUE or {location[-1]}=VALUE"
        case "value_error":
            return _reads_as(first)
    return ""
