"""What to change about a run, and what came of changes that were tried."""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from weft.analysis.predict import advice, projection
from weft.analysis.predict.advice import Advice, Line, Trial
from weft.api import again, machines, related
from weft.errors import RecordError
from weft.host import settings
from weft.record import record

LOG = "advice.jsonl"
"""Below the records: a line for each advice that was tried."""


def advise(run: str = "last") -> Advice:
    """At most five changes, each with its predicted gain. Raises UsageError for a record that lacks what this needs."""
    stored = record.find(settings.runs(), run)
    recorded = projection.read(stored)
    machine = machines.of_record(stored, recorded)
    engine = stored.head.engine
    others = related.of(stored, ("workload", "host"), lambda head: head.engine != engine)
    return advice.advise(recorded, str(stored.directory), machine, others, related.deviation(stored))


def attempt(found: Advice, lines: Sequence[Line], rounds: int, *, trust: bool = False) -> list[Trial]:
    """Run the old spec and each change in turn, as often as asked for."""
    old: list[float] = []
    new: list[list[float]] = [[] for _ in lines]
    for _ in range(rounds):
        old.append(_seconds(found.directory, (), trust=trust))
        for line, times in zip(lines, new, strict=True):
            times.append(_seconds(found.directory, line.flags, trust=trust))
    return [
        Trial(
            run=found.run,
            change=line.change,
            flags=line.flags,
            gain=line.gain,
            low=line.low,
            high=line.high,
            old=tuple(old),
            new=tuple(times),
            real=1 - median(times) / median(old),
        )
        for line, times in zip(lines, new, strict=True)
    ]


def _seconds(directory: str, flags: Sequence[str], *, trust: bool) -> float:
    """Seconds of one run of a record's spec with other flags. Raises WorkloadError if it is not valid."""
    return again.run(directory, flags, trust=trust).head.measured or 0.0


def read(log: Path) -> list[Trial]:
    """The log of tried advice. Raises RecordError that names a broken line."""
    rows = []
    for number, line in enumerate(log.read_text(encoding="utf-8").splitlines() if log.exists() else [], 1):
        try:
            rows.append(Trial(**json.loads(line)))
        except (ValueError, TypeError) as error:
            raise RecordError(f"{log}, line {number} is damaged: {error}", hint="remove the line") from error
    return rows
