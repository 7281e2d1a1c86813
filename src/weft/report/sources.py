"""The files of a record, as far as they can be read: what is missing or damaged becomes a sentence, never an error."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import polars

from weft.model import eventlog, flinkjobs, jobhistory
from weft.model.eventlog import JobMetrics
from weft.record import samples
from weft.record.record import Stored

Value = TypeVar("Value")

UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, polars.exceptions.PolarsError)
"""What reading a damaged file can raise."""


@dataclass
class Sources:
    """A record being read, and what of it could not be."""

    stored: Stored
    gaps: list[str] = field(default_factory=list)

    @property
    def head(self) -> Mapping[str, Any]:
        return self.stored.head

    def attempt(self, what: str, read: Callable[[], Value], instead: Value) -> Value:
        """What `read` gives, or `instead` and a gap that names `what`."""
        try:
            return read()
        except UNREADABLE as error:
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
        found: Any = self.attempt(name, lambda: json.loads((self.stored.directory / name).read_text()), {})
        if isinstance(found, dict):
            return found
        self.gaps.append(f"{name} does not hold a table")
        return {}

    def events(self) -> list[dict[str, Any]]:
        """All whole lines of events.jsonl."""
        found: list[dict[str, Any]] = []
        bad = 0
        text = self.attempt("events.jsonl", lambda: _text(self.stored.directory / "events.jsonl"), "")
        for line in text.splitlines():
            try:
                event = json.loads(line)
                found.append({**event, "t": float(event["t"]), "event": str(event["event"])})
            except UNREADABLE:
                bad += 1
        if bad:
            self.gaps.append(f"{bad} line(s) of events.jsonl are damaged and were left out")
        return found

    def samples(self) -> polars.DataFrame:
        """All readings of the probes."""
        nothing = polars.DataFrame(schema=samples.SCHEMA)
        found = self.attempt("the samples", lambda: samples.load(self.stored.directory), nothing)
        return found if set(samples.SCHEMA) <= set(found.columns) else nothing

    def metrics(self) -> JobMetrics:
        """The engine's own account."""
        directory = self.stored.directory / "engine"
        all_metrics = [
            self.attempt("the engine's account", partial(kind.read, directory), eventlog.empty())
            for kind in (eventlog, jobhistory, flinkjobs)
            if kind.found(directory)
        ]
        found = eventlog.joined(all_metrics or [eventlog.empty()])
        self.gaps += found.gaps
        return found


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""
