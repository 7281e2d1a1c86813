"""Where a run's slot time went, as a report says it: the numbers of the attribution, and one sentence."""

import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources

import polars

from weft.analysis.explain import attribution, limits, tasktime
from weft.analysis.explain.attribution import MOST_UNCLASSIFIED, Attribution
from weft.analysis.explain.evidence import Window
from weft.analysis.explain.fitting import Used
from weft.analysis.explain.limits import Ceilings
from weft.analysis.explain.pythontime import Worker
from weft.analysis.explain.slots import DRIVER, FEW, SCHEDULING, START, STRAGGLERS
from weft.analysis.explain.stacks import Profiled
from weft.analysis.explain.tasktime import (
    CHILDREN,
    CPU,
    FAILED,
    GC,
    HDFS,
    KAFKA,
    NETWORK,
    PYTHON_EXCHANGE,
    PYTHON_START,
    PYTHON_USER,
    PYTHON_WAITING,
    PYTHON_WORKER,
    SAME_NODE,
    SOCKETS,
    THREADS,
    UNCLASSIFIED,
    WAITING,
)
from weft.analysis.explain.timeparts import Explanation, Limit, Operation, SideCalls, StageTime, TimePart
from weft.analysis.read.nodes import NodeInfo
from weft.analysis.read.spans import Span
from weft.analysis.read.sums import sums
from weft.facts.jobmetrics import JobMetrics
from weft.text.numbers import percent

_LEAST = 1e-3
"""Seconds below which file calls are not listed by side and operation."""
_STAGES = 5
"""Stages that are shown: those with the most slot time."""


def explain(
    metrics: JobMetrics,
    samples: polars.DataFrame,
    phases: Sequence[Span],
    nodes: Sequence[NodeInfo],
    begin: float,
    slots: int | None,
    used: Used,
    profile: Profiled | None = None,
    workers: Sequence[Worker] = (),
    *,
    failed: bool = False,
) -> Explanation | None:
    """The run phase explained; None where the engine left no job metrics.

    A profile divides the processor's part; `workers` is what Python workers wrote.
    """
    run = [span for span in phases if span.name == "run"]
    if not run:
        return None
    first, last = begin + run[0].begin, begin + run[-1].begin + run[-1].seconds
    count = slots or sum(node.cores or 0 for node in nodes)
    window = Window(first, last, count, names(nodes), link(nodes, used))
    found = attribution.attribute(metrics, samples, window, workers)
    if found is None:
        return None
    cores = {node.name: node.cores or 0 for node in nodes}
    ceilings = limits.ceilings(samples, metrics.tasks, window, cores, used)
    return _explanation(found, ceilings, profile, failed=failed)


def names(nodes: Sequence[NodeInfo]) -> dict[str, str]:
    """Node by the address or name that an engine calls it by."""
    return {word: node.name for node in nodes for word in (node.address, node.name) if word}


def link(nodes: Sequence[NodeInfo], used: Used) -> float | None:
    """Bytes a second of the slowest link: as the nodes have it, or as it was calibrated."""
    known = [node.link for node in nodes if node.link]
    measured = used.calibration.links if used.calibration else ()
    return min([*known, *(one.bandwidth.value for one in measured)], default=None)


def _explanation(
    found: Attribution, ceilings: Ceilings, profile: Profiled | None, *, failed: bool
) -> Explanation:
    sampled = {"operations": profile.of_tasks()} if profile else {}
    parts = tuple(
        part.model_copy(update={"split": ceilings.split(part), **(sampled if part.name == CPU else {})})
        for part in found.parts
    )
    best = max(
        (part for part in parts if part.name != UNCLASSIFIED), key=lambda part: part.bound, default=parts[0]
    )
    limit = ceilings.of_part(best.name)
    return Explanation(
        sentence=sentence(parts, best, verdict=found.verdict, limit=limit, failed=failed)
        + _unmeasured(found),
        failed=failed,
        verdict=found.verdict,
        headline=best.name,
        wall=found.wall,
        slots=found.slots,
        parts=parts,
        stages=tuple(found.stages.values())[:_STAGES],
        sides=sums((row.side, row.seconds) for row in found.stages.values()),
        calls=tuple(call for row in found.stages.values() for call in _calls(row)),
        next=()
        if failed
        else _next(best if found.verdict else None) + (limits.advice(limit) if found.verdict else ()),
        background=found.evidence.background,
        gauges=tuple(ceilings.gauges),
        calibration=ceilings.sentence,
        coverage=found.coverage,
    )


def sentence(
    parts: Sequence[TimePart],
    best: TimePart,
    *,
    verdict: bool,
    limit: Limit | None = None,
    failed: bool = False,
) -> str:
    """The answer in one sentence, with its figure and its bound; or why there is none."""
    if not verdict:
        unnamed = next(part.share for part in parts if part.name == UNCLASSIFIED)
        named = [part for part in parts if part.name != UNCLASSIFIED][:3]
        most = ", ".join(f"{percent(part.share)} {part.name}" for part in named)
        return (
            f"No verdict: {percent(unnamed)} of slot time has no name, more than"
            f" {percent(MOST_UNCLASSIFIED)}. What has: {most}."
        )
    spent = f"{percent(best.share)} of slot time {_spent(best)}{limits.at(limit)}"
    if failed:
        return f"{spent}. The run failed: where its time went is not why."
    return f"{spent}. Without that: at most {best.bound:.1f} times faster."


def _unmeasured(found: Attribution) -> str:
    """What a reader would take for a wait for something else."""
    seen, ran = found.coverage.processes_seen, found.coverage.processes_ran
    if not found.verdict and 0 < seen < ran:
        return f" Threads of {seen} of {ran} executors were read: what tasks of the others waited for has no name."
    if not found.verdict or "threads" not in found.coverage.missing:
        return ""
    return " Waiting for a processor was not measured: what there was of it is counted as something else."


def _calls(row: StageTime) -> Iterator[SideCalls]:
    """A stage's file calls, each with its share of what is the part's alone."""
    for part, operations in row.operations.items():
        whole = sum(each.seconds for each in operations)
        for each in operations:
            alone = row.parts[part] * each.seconds / whole
            if alone >= _LEAST:
                yield SideCalls(
                    part=part,
                    files=each.files,
                    side=row.side,
                    operation=each.name,
                    seconds=alone,
                    calls=each.calls,
                )


def _next(part: TimePart | None) -> tuple[str, ...]:
    """What to try about a part; about CPU time by its largest category, where stacks were sampled and it has advice."""
    name, known = part.name if part else UNCLASSIFIED, advice()
    category = part.operations[0].name if part and name == CPU and part.operations else ""
    words = known.get((name, category)) or known.get((name, ""))
    return (words,) if words else ()


@cache
def advice() -> dict[tuple[str, str], str]:
    text = resources.files("weft.analysis.explain").joinpath("advice.toml").read_text(encoding="utf-8")
    return {(each["part"], each.get("category", "")): each["words"] for each in tomllib.loads(text)["advice"]}


PHRASES = {
    CPU: "was tasks computing",
    WAITING: "was tasks ready to run while others used the CPU",
    GC: "was tasks stopped by the garbage collector",
    NETWORK: "was tasks waiting for blocks from other executors",
    SAME_NODE: "was tasks waiting for blocks of other executors on their own node",
    PYTHON_USER: "was Python workers computing in the job's functions",
    PYTHON_WAITING: "was the job's Python functions waiting: asleep, for a lock, a file or a service",
    PYTHON_EXCHANGE: "was rows on their way between JVMs and Python workers, and their conversion",
    PYTHON_START: "was Python workers starting and importing modules",
    PYTHON_WORKER: "was tasks waiting for their Python workers, of which nobody saw what they did",
    tasktime.DRIVER: "was tasks waiting for the driver",
    HDFS: "was tasks waiting for HDFS",
    KAFKA: "was tasks waiting for Kafka's brokers",
    CHILDREN: "was tasks waiting for programs that they started",
    SOCKETS: "was tasks waiting in calls on sockets whose other end is not known: a database, an object store, another host",
    THREADS: "was tasks waiting for other threads of their process: locks, queues, replies",
    FAILED: "was work that failed or was thrown away",
    START: "passed before the first task began",
    DRIVER: "passed with no task, the driver alone at work",
    SCHEDULING: "passed between tasks, in the scheduler and on the way to executors and back",
    STRAGGLERS: "was slots empty while the last tasks of a stage ran",
    FEW: "was slots empty because a stage had fewer tasks than there are slots",
}
_PLURAL = {"readdir": "listings", "other_meta": "other calls"}


def _spent(part: TimePart) -> str:
    """What the slots did in this part, with counts and means where it is file calls."""
    operations = part.operations
    if part.name in PHRASES:
        return PHRASES[part.name] + _most(operations)
    if (on := part.on) is None:
        return f"was {part.name}"
    whole = sum(each.seconds for each in operations)
    if not whole:
        return f"waited in file calls ({on.kind}) whose paths nobody counted"
    first = operations[0]
    if first.seconds >= whole / 2 and first.calls:
        name, each = _plural(first.name), _each(first.seconds / first.calls)
        return f"waited for {name} on {on.files}: {first.calls:,.0f} {name}, {each} each"
    most = ", ".join(f"{_plural(one.name)} {percent(one.seconds / whole)}" for one in operations[:3])
    count = sum(each.calls for each in operations)
    return f"waited for {on.kind} on {on.files}: {count:,.0f} calls, {_each(whole / count)} each ({most})"


def _most(operations: tuple[Operation, ...]) -> str:
    """Of CPU time the two largest categories, where stacks were sampled; of imports their file calls."""
    whole = sum(each.seconds for each in operations)
    calls = sum(each.calls for each in operations)
    words = ", ".join(f"{each.name} {percent(each.seconds / whole)}" for each in operations[:2])
    counted = f"in {calls:,.0f} calls on files of Python, {_each(whole / calls)} each: " if calls else ""
    return f" ({counted}{words})" if words else ""


def _plural(operation: str) -> str:
    return _PLURAL.get(operation, f"{operation}s")


def _each(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-4 else f"{seconds * 1e6:.0f} us"
