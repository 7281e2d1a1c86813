"""What to change about a run, and what came of changes that were tried."""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from weft.adapters.workloads import KINDS
from weft.analysis.explain.timeparts import Explanation
from weft.analysis.predict import advice
from weft.analysis.predict.advice import Advice, Line, OneNode, Trial
from weft.analysis.summary.gather import summarize
from weft.api import again, growing, machines, onenode, related
from weft.errors import RecordError, UsageError
from weft.facts import engines
from weft.host import settings, signals
from weft.record import record
from weft.record.record import Stored
from weft.run.progress import Progress

MOST_TASKS = 50_000
"""Of a job that is predicted from: each change schedules all of them again."""
_OWN = ("own-job", "own-sql", "persistent")
"""Workloads whose program is the user's."""
LOG = "advice.jsonl"
"""Below the records: a line for each advice that was tried."""


def advise(run: str = "last") -> Advice:
    """At most five changes, each with its predicted gain. Raises UsageError for a record without job metrics."""
    stored = record.find(settings.runs(), run)
    explained = summarize(stored).explanation
    if explained is None or explained.no_gain:
        growing.read(stored)  # says what it lacks
        raise UsageError(
            f"the engine left no job metrics in {stored.directory.name}",
            hint=f"name a run of another engine than {engines.without_logs()}; `weft runs` lists them",
        )
    return of(stored, explained).model_copy(update={"one_node": tuple(onenode.lines(stored))})


@signals.prompt()
def of(stored: Stored, explained: Explanation) -> Advice:
    """On a record whose slot time is explained: predictions, as far as it has what they need, and findings."""
    # the workload of an imported record is the name of the application, which may be one of weft's
    imported = stored.head.imported is not None or stored.head.workload not in KINDS
    name, directory = stored.directory.name, "" if imported else str(stored.directory)
    own = imported or stored.head.workload in _OWN
    if explained.coverage.tasks > MOST_TASKS:
        why = f"{explained.coverage.tasks:,} tasks are more than the {MOST_TASKS:,} that are scheduled again for each change"
        return advice.unpredicted(explained, name, directory, why, own=own)
    try:
        recorded = growing.read(stored)
        machine = machines.of_record(stored, recorded)
    except UsageError as error:
        return advice.unpredicted(explained, name, directory, str(error), own=own)
    engine = stored.head.engine
    others = related.of(stored, ("workload", "host"), lambda head: head.engine != engine)
    return advice.advise(recorded, directory, machine, others, related.deviation(stored), explained, own=own)


def attempt(
    found: Advice, changes: Sequence[Line | OneNode], rounds: int, *, trust: bool = False
) -> list[Trial]:
    """Run the old spec and each change in turn, as often as asked for. Raises WorkloadError if a run is not valid.

    They share a cluster if no change is one of the cluster.
    """
    from weft.clusters import shared  # noqa: PLC0415 - advice without trials needs none of it

    every = [(), *(each.flags for each in changes)]
    specs = [again.study(found.directory, flags, trust=trust).cells()[0][1] for flags in every]
    groups = shared.groups(specs)
    on = groups if len(set(groups.values())) == 1 else {}
    with shared.clusters(on, f"the advice on {found.run}", Progress().say) as source:
        turns = [
            [again.run(found.directory, flags, trust=trust, source=source) for flags in every]
            for _ in range(rounds)
        ]
    old, *new = zip(*turns, strict=True)
    return [_trial(found.run, change, old, its) for change, its in zip(changes, new, strict=True)]


def _trial(run: str, change: Line | OneNode, old: Sequence[Stored], new: Sequence[Stored]) -> Trial:
    """What came of a change, by the time that was predicted."""
    if isinstance(change, Line):
        predicted = {"gain": change.gain, "low": change.low, "high": change.high}
        before, after = (tuple(each.head.measured or 0.0 for each in runs) for runs in (old, new))
    else:
        # engines measure other parts of it
        predicted = {}
        before, after = (tuple(each.head.phases["run"] for each in runs) for runs in (old, new))
    real = 1 - median(after) / median(before)
    return Trial(
        run=run, change=change.change, flags=change.flags, **predicted, old=before, new=after, real=real
    )


def read(log: Path) -> list[Trial]:
    """The log of tried advice. Raises RecordError that names a broken line."""
    rows = []
    for number, line in enumerate(log.read_text(encoding="utf-8").splitlines() if log.exists() else [], 1):
        try:
            rows.append(Trial(**json.loads(line)))
        except (ValueError, TypeError) as error:
            raise RecordError(f"{log}, line {number} is damaged: {error}", hint="remove the line") from error
    return rows
