"""Texts of others on a terminal: without control characters, which could change its clipboard, its title or its past lines."""

from collections.abc import Iterable
from typing import Any, TextIO

_CONTROLS = dict.fromkeys((*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0)))
"""C0 without tab and line feed, DEL, and C1 (ECMA-48)."""


def printable(text: str) -> str:
    """The text without control characters; what followed an escape is plain text then."""
    return text.translate(_CONTROLS)


class Printable:
    """An output that gets printable text alone. A console of rich, which removes them itself, writes to the file below."""

    def __init__(self, file: TextIO) -> None:
        self.rich_proxied_file = file

    def write(self, text: str) -> int:
        return self.rich_proxied_file.write(printable(text))

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)
