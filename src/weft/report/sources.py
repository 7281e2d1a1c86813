"""The files of a record, as far as they are readable: missing or damaged data become a sentence, never an error."""

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import polars

from weft.model import eventlog, flinkjobs, jobhistory, jobmetrics, tezhistory
from weft.model.jobmetrics import JobMetrics
from weft.record import samples
from weft.report import readable
from weft.report.readable import Readable

UNREADABLE = (*readable.UNREADABLE, polars.exceptions.PolarsError)
"""Exceptions from reading a damaged file."""


@dataclass
class Sources(Readable):
    """A record that is read, with its samples and its engine's event logs."""

    unreadable: ClassVar[tuple[type[Exception], ...]] = UNREADABLE

    def events(self) -> list[dict[str, Any]]:
        """All complete lines of events.jsonl."""
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
            self.gaps.append(f"{bad} line(s) of events.jsonl are damaged and were skipped")
        return found

    def samples(self) -> polars.DataFrame:
        """All readings of the probes."""
        nothing = polars.DataFrame(schema=samples.SCHEMA)
        found = self.attempt("the samples", lambda: samples.load(self.stored.directory), nothing)
        return found if set(samples.SCHEMA) <= set(found.columns) else nothing

    def metrics(self) -> JobMetrics:
        """The engines' own measurements of their jobs."""
        directory = self.stored.directory / "engine"
        all_metrics = [
            self.attempt("the engine's job metrics", partial(kind.read, directory), jobmetrics.empty())
            for kind in (eventlog, jobhistory, flinkjobs, tezhistory)
            if kind.found(directory)
        ]
        found = jobmetrics.joined(all_metrics)
        # of a log that was imported: what was already not readable then
        found.gaps += [
            str(gap)
            for gap in self.attempt("the gaps", lambda: list(self.head.get("gaps") or ()), list[str]())
        ]
        self.gaps += found.gaps
        return found


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""
