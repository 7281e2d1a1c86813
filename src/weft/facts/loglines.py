"""The events of an engine's log one by one, whatever its length: no line takes more memory than an honest one."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import TextIOWrapper
from typing import Any

from weft.text.entry import Entry, paired

DAMAGED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading an event raises that is not of the form that an engine writes."""

_MOST = 1 << 24
"""Characters of a line; of a longer one, which is damaged or needed by nobody, the rest is left out."""
_CHUNK = 1 << 20


@dataclass
class Damaged:
    """Lines of a file that could not be used: how many, and where the first of them is."""

    count: int = 0
    first: int = 0

    def at(self, number: int) -> None:
        """Count a line."""
        self.first = min(self.first or number, number)
        self.count += 1

    def gap(self, name: str, what: str = "line") -> list[str]:
        """What a report says of them."""
        if not self.count:
            return []
        return [
            f"{self.count} {what}(s) of {name} are damaged and were skipped, the first is {what} {self.first}"
        ]


def decode(line: str) -> Any:
    """An event in JSON. Raises one of DAMAGED."""
    return paired(json.loads(line), line)


def read(path: Entry, separator: str = "\n") -> Iterator[str]:
    """Each line of a file that may still be written, without its end."""
    line = ""
    with path.stream() as data, TextIOWrapper(data, "utf-8", "replace", newline="\n") as file:
        while chunk := file.read(_CHUNK):
            first, *others = chunk.split(separator)
            if len(line) < _MOST:
                line += first
            if others:
                yield line
                yield from others[:-1]
                line = others[-1]
    if line:
        yield line
