"""The files of a record, as far as they are readable: missing or damaged data become a sentence, never an error."""

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import polars

from weft.analysis.read import readable
from weft.analysis.read.readable import Readable
from weft.facts import jobmetrics, logs
from weft.facts.jobmetrics import JobMetrics
from weft.record import sampletable
from weft.record.record import parsed

UNREADABLE = (*readable.UNREADABLE, polars.exceptions.PolarsError)
"""Exceptions from reading a damaged file."""


@dataclass
class Sources(Readable):
    """A record that is read, with its samples and its engine's event logs."""

    unreadable: ClassVar[tuple[type[Exception], ...]] = UNREADABLE

    def events(self) -> list[dict[str, Any]]:
        """All complete lines of events.jsonl."""
        found, bad = parsed(self.attempt("events.jsonl", self._events, ""))
        if bad:
            self.gaps.append(f"{bad} line(s) of events.jsonl are damaged and were skipped")
        return found

    def _events(self) -> str:
        try:
            return (self.stored.folder / "events.jsonl").text()
        except FileNotFoundError:
            return ""

    def samples(self) -> polars.DataFrame:
        """All readings of the probes."""
        nothing = polars.DataFrame(schema=sampletable.SCHEMA)
        found = self.attempt(
            "the samples", lambda: sampletable.load(self.stored.folder, self.stored.schema), nothing
        )
        return found if set(sampletable.SCHEMA) <= set(found.columns) else nothing

    def metrics(self, found: JobMetrics | None = None) -> JobMetrics:
        """The engines' own measurements of their jobs, unless they were read already."""
        found = found or self._read()
        # of a log that was imported: what was already not readable then
        found.gaps += self.head.gaps
        self.gaps += found.gaps
        return found

    def _read(self) -> JobMetrics:
        directory = self.stored.folder / "engine"
        all_metrics = [
            self.attempt("the engine's job metrics", partial(log.read, directory), jobmetrics.empty())
            for log in logs.every().values()
            if log.found(directory)
        ]
        return jobmetrics.joined(all_metrics)
