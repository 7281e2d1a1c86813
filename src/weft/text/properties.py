"""Files of settings in the form of Java's properties, such as spark-defaults.conf."""

import re
from collections.abc import Iterator
from pathlib import Path

from weft.errors import UsageError, why

_PAIR = re.compile(r"\s*([^\s=:]+)\s*[=:\s]\s*(.*?)\s*")
_GOES_ON = re.compile(r"(?<!\\)(?:\\\\)*\\\Z")
"""The end of a line that the next one continues: an odd number of backslashes."""
_LARGEST = 1 << 20
"""Characters: of settings that people write."""


def read(path: Path) -> dict[str, str]:
    """The settings; a line that ends in a backslash continues. Raises UsageError for a line without a value."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(_LARGEST)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"cannot read {path}: {why(error)}", hint="give a text file of KEY VALUE lines"
        ) from error
    found = {}
    for line in _lines(text):
        pair = _PAIR.fullmatch(line)
        if pair is None:
            raise UsageError(f"{path}: {line.strip()!r} has no value", hint="write KEY VALUE, or KEY=VALUE")
        found[pair[1]] = pair[2]
    return found


def _lines(text: str) -> Iterator[str]:
    """Those of settings, each with what continues it."""
    begun = ""
    for line in text.splitlines():
        # a comment is never continued
        if not begun and (not line.strip() or line.lstrip()[0] in "#!"):
            continue
        begun += line.lstrip()
        if _GOES_ON.search(begun):
            begun = begun[:-1]
            continue
        yield begun
        begun = ""
    if begun.strip():
        yield begun
