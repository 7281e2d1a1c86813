"""What may have happened to a file before weft reads it: bytes are lost or changed, values are of another type, size or depth."""

import json
import random
from collections.abc import Callable
from typing import Any

HOSTILE: tuple[Any, ...] = (
    None, True, 0, -1, 1, 0.5, 2**31, 2**53, 2**63, 2**64, 10**30, -(2**63), float("inf"), float("-inf"), float("nan"), 1e300,
    "", "many", "1", "\x1b[2J", "a" * 5000, "\ud83d", "a\x00b", "../../x", [], {}, [[]], {"": None}, [1, "2", None], {"a": {"b": []}},
)  # fmt: skip
"""In the place of a value."""
DEEP = "[" * 100_000
_NUMBERS = ("1e999", "-1e999", "1" * 5000, "0x1", "01", "NaN", DEEP, DEEP + "]" * 100_000, '{"a":' * 50_000)
"""What json.dumps would not write."""
_MARK = '"@@"'


def bytes_of(content: bytes, chance: random.Random) -> bytes:
    """A file in which bytes were lost, changed, added or repeated, once to thrice."""
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(content) + 1)
        content = chance.choice(_BYTES)(content, at, chance)
    return content


_BYTES: tuple[Callable[[bytes, int, random.Random], bytes], ...] = (
    lambda content, at, _: content[:at],
    lambda content, at, chance: content[:at] + content[at + chance.randrange(100) :],
    lambda content, at, chance: content[:at] + chance.randbytes(chance.randint(1, 8)) + content[at + 1 :],
    lambda content, at, chance: content[:at] + bytes([1 << chance.randrange(8)]) + content[at + 1 :],
    lambda content, at, chance: content[:at] + content[at // 2 : at] * chance.randint(1, 3) + content[at:],
    lambda content, at, chance: content[:at] + chance.choice((b"\x00", b"\xff", b"\n")) * 40 + content[at:],
)


def lines_of(content: bytes, chance: random.Random, separator: bytes = b"\n") -> bytes:
    """A file of events in JSON of which a few have other values, are lost, repeated or in another place."""
    lines = content.split(separator)
    for _ in range(chance.randint(1, 4)):
        at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        how = chance.randrange(8)
        if how == 0:
            lines[at], lines[other] = lines[other], lines[at]
        elif how == 1:
            lines.insert(at, lines[other])
        elif how == 2 and len(lines) > 1:
            del lines[at]
        else:
            lines[at] = json_of(lines[at], chance)
    return separator.join(lines)


def json_of(text: bytes, chance: random.Random) -> bytes:
    """A JSON text with one value or key that is another."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return bytes_of(text, chance)
    inside: Any = {"": whole}
    while True:
        key = chance.choice(list(inside) if isinstance(inside, dict) else range(len(inside)))
        value = inside[key]
        if isinstance(value, str) and value[:1] in {"{", "["} and chance.random() < 0.7:
            inside[key] = json_of(value.encode(), chance).decode(errors="replace")
            break
        if isinstance(value, (dict, list)) and value and chance.random() < 0.9:
            inside = value
            continue
        _change(inside, key, chance)
        break
    if inside and isinstance(inside, dict) and "" in inside and not isinstance(whole, (dict, list)):
        whole = inside[""]
    # what a parser takes for a number, and Python cannot write
    return json.dumps(whole).replace(_MARK, chance.choice(_NUMBERS)).encode(errors="surrogatepass")


def _change(inside: Any, key: Any, chance: random.Random) -> None:
    how = chance.randrange(10)
    if how == 0:
        del inside[key]
    elif how == 1 and isinstance(inside, dict):
        inside[str(chance.choice(HOSTILE))] = inside.pop(key)
    elif how == 2:
        inside[key] = "@@"
    else:
        inside[key] = chance.choice(HOSTILE)
