"""What a survey of a machine runs: small jobs of different classes, on each storage, on each number of nodes."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from weft.adapters.nodes.jobnodes import JobNodes
from weft.record.history import expected_phases
from weft.record.record import Stored
from weft.spec.study import Study, study_from

NAME = "survey"
"""Of the study: records of it are a survey's."""
JOBS: Mapping[str, Mapping[str, Any]] = {
    "many small blocks": {"kind": "groupby", "mappers_per_slot": 12, "pairs": 100},
    "few large blocks": {"kind": "groupby", "mappers_per_slot": 2, "pairs": 20_000},
    "sort": {"kind": "terasort", "size": 100_000_000},
}
"""By name. Their class is what they turn out to be."""
UNKNOWN = 60.0
"""Seconds that a run is taken for before one of its kind has ended."""
_LONGEST = 600
"""Seconds of a job's time limit: what takes longer is no scratch for it."""


@dataclass(frozen=True)
class Cost:
    """What a survey costs, before it begins."""

    runs: int
    """Still to be made."""
    seconds: float
    node_hours: float
    guessed: int
    """Of them: kinds of runs that this machine has no record of."""


def study(
    nodes: Sequence[str], scratch: Sequence[str], jobs: Sequence[str], repeat: int, engine: str
) -> Study:
    """The matrix of a survey. Raises UsageError for what cannot be run here."""
    table = {
        "engine": engine,
        "probes": "proc,threads,engine,fileops",
        "timeout": _LONGEST,
        "repeat": repeat,
        "matrix": {
            "nodes": list(nodes),
            "scratch": list(scratch),
            "job": [{"name": name, "workload": dict(JOBS[name])} for name in jobs],
        },
    }
    return study_from(table, name=NAME)


def cost(asked: Study, done: Mapping[tuple[str, int], Stored], records: Sequence[Stored]) -> Cost:
    """From earlier runs of the same kind; what was never run is taken for the median of the others, or a minute."""
    cells = asked.cells()
    # all runs on a batch system are in one job, as large as the largest of them needs
    held = max((spec.nodes.count for _, spec in cells if isinstance(spec.nodes, JobNodes)), default=0)
    left = [
        (spec, expected_phases(records, spec.key()))
        for _, spec in cells
        for number in range(asked.repeat)
        if (spec.key(), number) not in done
    ]
    known = [sum(phases.values()) for _, phases in left if phases]
    usual = median(known) if known else UNKNOWN
    each = [(spec, sum(phases.values()) if phases else usual) for spec, phases in left]
    return Cost(
        len(each),
        sum(seconds for _, seconds in each),
        sum(seconds * max(spec.nodes.count, held) for spec, seconds in each) / 3600,
        sum(not phases for _, phases in left),
    )


def within(minutes: float) -> Callable[[], str]:
    """Why no other run may begin: it could end after these minutes, if it took as long as the longest one."""
    begun = last = time.monotonic()
    longest = 0.0

    def enough() -> str:
        nonlocal last, longest
        now = time.monotonic()
        longest, last = max(longest, now - last), now
        return "" if now + longest - begun <= 60 * minutes else f"the {minutes:g} minutes are over"

    return enough
