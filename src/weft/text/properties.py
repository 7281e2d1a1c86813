"""Files of settings in the form of Java's properties, such as spark-defaults.conf."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from weft.errors import UsageError, why

_PAIR = re.compile(r"((?:\\.|[^\s=:\\])+)\s*[=:\s]\s*(.*?)\s*")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_SPACES: Mapping[str, str] = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_LARGEST = 1 << 20
"""Characters: of settings that people write."""


def read(path: Path) -> dict[str, str]:
    """The settings, by the rules of Java's Properties.load. Raises UsageError for a line without a value."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"cannot read {path}: {why(error)}", hint="give a text file of KEY VALUE lines"
        ) from error
    if len(text) > _LARGEST:
        raise UsageError(
            f"{path} has more than {_LARGEST:,} characters, which no file of settings has",
            hint="give a text file of KEY VALUE lines",
        )
    found = {}
    for line in _settings(text):
        pair = _PAIR.fullmatch(line)
        if pair is None:
            raise UsageError(f"{path}: {line.strip()!r} has no value", hint="write KEY VALUE, or KEY=VALUE")
        found[_plain(pair[1])] = _plain(pair[2])
    return found


def text_of(settings: Mapping[str, str], between: str = " ") -> str:
    """A file of them, which Java reads back as they are."""
    return "".join(f"{key}{between}{_escaped(value)}\n" for key, value in sorted(settings.items()))


def _settings(text: str) -> Iterator[str]:
    """Each setting on one line: one that ends in a backslash continues on the next, unless it is a comment."""
    whole, continues = "", False
    for line in text.split("\n"):
        part = line.lstrip(" \t\f")
        if not continues and (not part.strip() or part[0] in "#!"):
            continue
        # two of them are one that belongs to the value
        continues = (len(part) - len(part.rstrip("\\"))) % 2 == 1
        whole += part[:-1] if continues else part
        if not continues:
            yield whole
            whole = ""
    if whole:
        yield whole


def _plain(text: str) -> str:
    found = _ESCAPE.sub(lambda one: chr(int(one[1], 16)) if one[1] else _SPACES.get(one[2], one[2]), text)
    # two halves of a character become one, and half a character none
    return found.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
