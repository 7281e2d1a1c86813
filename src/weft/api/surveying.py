"""What a survey of a machine runs: small jobs of different classes, on each storage, on each number of nodes."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from weft.adapters.nodes.jobnodes import JobNodes
from weft.adapters.storage.base import label
from weft.clusters import shared
from weft.record.history import expected_phases
from weft.record.record import Stored
from weft.spec.model import Spec
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


def cost(
    asked: Study, done: Mapping[tuple[str, int], Stored], records: Sequence[Stored], groups: Mapping[str, str]
) -> Cost:
    """From earlier runs of the same kind; what was never run is taken for the median of the others, or a minute.

    `groups`: by the key of a spec, what is equal for runs that share a cluster, which is started once for each repetition.
    """
    cells = asked.cells()
    # all runs on a batch system are in one job, as large as the largest of them needs
    held = max((spec.nodes.count for _, spec in cells if isinstance(spec.nodes, JobNodes)), default=0)
    keys = {spec.key(): shared.key(spec.key()) if spec.key() in groups else spec.key() for _, spec in cells}
    left = [
        (spec, number)
        for _, spec in cells
        for number in range(asked.repeat)
        if (keys[spec.key()], number) not in done
    ]
    clusters = {
        (groups[spec.key()], number): (spec, _start(records, spec)) for spec, number in left if groups
    }
    runs = [(spec, sum(expected_phases(records, keys[spec.key()]).values())) for spec, _ in left]
    known = [seconds for _, seconds in runs if seconds]
    usual = median(known) if known else UNKNOWN
    each = [(spec, seconds or usual) for spec, seconds in [*runs, *clusters.values()]]
    return Cost(
        len(runs),
        sum(seconds for _, seconds in each),
        sum(seconds * max(spec.nodes.count, held) for spec, seconds in each) / 3600,
        sum(not seconds for _, seconds in runs),
    )


def _start(records: Sequence[Stored], spec: Spec) -> float:
    """Median seconds of the start and the end of such a cluster of a study; 0 if there was none."""
    of = spec.engine.label, f"{spec.nodes.kind}:{spec.nodes.count}", label(spec.scratch), label(spec.output)
    heads = [
        stored.head
        for stored in records
        if stored.head.workload == "persistent" and stored.verdict == "UNCHECKED"
    ]
    found = [
        sum(seconds for phase, seconds in head.phases.items() if phase not in {"acquire", "run"})
        for head in heads
        if (head.engine, head.nodes, head.scratch, head.output) == of
    ]
    return median(found) if found else 0.0


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
