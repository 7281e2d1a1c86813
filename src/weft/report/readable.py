"""A record as far as it can be read: what is missing or damaged becomes a sentence, never an error.

Apart from `sources`: a list of runs reads JSON alone and is to answer at once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from weft.record.record import Stored

Value = TypeVar("Value")

UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError)
"""What reading a damaged file can raise."""


@dataclass
class Readable:
    """A record being read, and what of it could not be."""

    stored: Stored
    gaps: list[str] = field(default_factory=list)
    unreadable: ClassVar[tuple[type[Exception], ...]] = UNREADABLE

    @property
    def head(self) -> Mapping[str, Any]:
        return self.stored.head

    def attempt(self, what: str, read: Callable[[], Value], instead: Value) -> Value:
        """What `read` gives, or `instead` and a gap that names `what`."""
        try:
            return read()
        except self.unreadable as error:
            self.gaps.append(f"{what} cannot be read: {error or type(error).__name__}")
            return instead

    def rows(self, what: str, read: Callable[[], tuple[Value, ...]]) -> tuple[Value, ...]:
        """What `read` gives, or nothing and a gap that names `what`."""
        nothing: tuple[Value, ...] = ()
        return self.attempt(what, read, nothing)

    def verdict(self) -> str:
        """The verdict; a record without one was never finished."""
        return self.attempt("the verdict", lambda: self.stored.verdict, "KILLED")

    def table(self, name: str, *, because: str = "") -> dict[str, Any]:
        """A JSON file that holds a table; `because` says what its absence means."""
        if not (self.stored.directory / name).exists():
            if because:
                self.gaps.append(f"{name} is not there: {because}")
            return {}
        found: Any = self.attempt(name, lambda: self.stored.json(name), {})
        if isinstance(found, dict):
            return found
        self.gaps.append(f"{name} does not hold a table")
        return {}
