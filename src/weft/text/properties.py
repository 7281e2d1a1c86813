"""Files of settings in the form of Java's properties, such as spark-defaults.conf."""

import re
from pathlib import Path

from weft.errors import UsageError, why

_PAIR = re.compile(r"\s*([^\s=:]+)\s*[=:\s]\s*(.*?)\s*")
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
    for line in re.sub(r"\\\r?\n\s*", "", text).splitlines():
        if not line.strip() or line.lstrip()[0] in "#!":
            continue
        pair = _PAIR.fullmatch(line)
        if pair is None:
            raise UsageError(f"{path}: {line.strip()!r} has no value", hint="write KEY VALUE, or KEY=VALUE")
        found[pair[1]] = pair[2]
    return found
