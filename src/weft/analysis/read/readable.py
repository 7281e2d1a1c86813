"""A record as far as it is readable: missing or damaged data become a sentence, never an error.

Separate from `sources`: a list of runs reads only JSON, and must be fast.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from weft.facts.loglines import DAMAGED
from weft.record.head import Head
from weft.record.record import Stored

Value = TypeVar("Value")

UNREADABLE = (OSError, *DAMAGED)
"""Exceptions from reading a damaged file."""


@dataclass
class Readable:
    """A record that is read, and what of it was not readable."""

    stored: Stored
    gaps: list[str] = field(default_factory=list)
    unreadable: ClassVar[tuple[type[Exception], ...]] = UNREADABLE

    @property
    def head(self) -> Head:
        return self.stored.head

    def attempt(self, what: str, read: Callable[[], Value], instead: Value) -> Value:
        """The result of `read`, or `instead` and a gap that names `what`."""
        try:
            return read()
        except self.unreadable as error:
            self.gaps.append(f"{what} cannot be read: {error or type(error).__name__}")
            return instead

    def rows(self, what: str, read: Callable[[], tuple[Value, ...]]) -> tuple[Value, ...]:
        """The rows of `read`, or none and a gap that names `what`."""
        nothing: tuple[Value, ...] = ()
        return self.attempt(what, read, nothing)

    def verdict(self) -> str:
        """The verdict; a record without one was never finished."""
        return self.attempt("the verdict", lambda: self.stored.verdict, "KILLED")

    def table(self, name: str, *, because: str = "") -> dict[str, Any]:
        """A JSON file that contains a table; `because` explains its absence."""
        if not (self.stored.folder / name).exists():
            if because:
                self.gaps.append(f"{name} does not exist: {because}")
            return {}
        found: Any = self.attempt(name, lambda: self.stored.json(name), {})
        if isinstance(found, dict):
            return found
        self.gaps.append(f"{name} does not contain a table")
        return {}
