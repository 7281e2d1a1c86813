"""A run in a few sentences: where the job's time went, how long the application started before, and what it computed."""

from collections.abc import Sequence

from weft.analysis.explain import findings, limits, tasktime
from weft.analysis.explain.attribution import MOST_UNCLASSIFIED, MOST_UNKNOWN, Attribution
from weft.analysis.explain.gauges import CORES
from weft.analysis.explain.slots import DRIVER, FEW, LOCALITY, SCHEDULING, START, STRAGGLERS
from weft.analysis.explain.tasktime import (
    CHILDREN,
    CODEC,
    CPU,
    FAILED,
    GC,
    HDFS,
    INPUT,
    KAFKA,
    NETWORK,
    PYTHON_EXCHANGE,
    PYTHON_START,
    PYTHON_USER,
    PYTHON_WAITING,
    PYTHON_WORKER,
    SAME_NODE,
    SHUFFLE_WRITE,
    SOCKETS,
    SPILL,
    THREADS,
    UNCLASSIFIED,
    WAITING,
)
from weft.analysis.explain.timeparts import Limit, Operation, TimePart
from weft.text.numbers import percent, seconds

_NAMED = 0.05
"""Share of the job's slot time from which a part is named after the largest."""
FAILED_RUN = "The run failed: where its time went is not why."
STREAM = "A stream lasts until somebody stops it: no part of its time makes it longer."
MAYBE_STOPPED = "A stream that somebody stopped would not have ended sooner without a part of its time. Whether somebody stopped this one is not known."
AT_ONCE = "Its operators ran at the same time, as those of a stream do: how much sooner it would have ended without a part of its time is not known."
"""Why nothing is to be gained from what parts cost."""
IN_DRIVER = "All tasks ran in the driver's process, none on the cluster: the program sets a master of its own. Omit .master(...) and spark.master in it."
_SHORT = 0.005
"""Share of the run phase below which the application's start is not worth a sentence."""


def largest(parts: Sequence[TimePart]) -> TimePart:
    """The part of the job's own time that took most; of what has a name, if that is any."""
    known = [part for part in parts if part.name not in {START, UNCLASSIFIED} and part.seconds > 0]
    return max(known, key=lambda part: part.seconds, default=parts[0])


def of_job(
    found: Attribution, parts: Sequence[TimePart], *, limit: Limit | None = None, no_gain: str = ""
) -> str:
    """Where the job's time went, without the application's start; or why there is no answer."""
    spent = _of_job(found, parts, limit)
    return f"{spent} {no_gain}" if no_gain else spent


def _of_job(found: Attribution, parts: Sequence[TimePart], limit: Limit | None) -> str:
    if found.doubt:
        return f"No verdict: {found.doubt}."
    whole = sum(part.seconds for part in parts if part.name != START) or 1.0
    named = sorted(
        (part for part in parts if part.name not in {START, UNCLASSIFIED} and part.seconds > 0),
        key=lambda part: -part.seconds,
    )
    if not found.verdict:
        most = ", ".join(f"{percent(part.share)} {part.name}" for part in named[:3])
        if found.unknown > MOST_UNKNOWN:
            return (
                f"No verdict: what took the time is not known, {percent(found.unknown)} of the job's slot time has no name."
                f"{f' What has, of all slot time: {most}.' if most else ''}"
            )
        return (
            f"No verdict: {percent(found.unclassified)} of slot time has no name, more than"
            f" {percent(MOST_UNCLASSIFIED)}.{f' What has: {most}.' if most else ''}"
        )
    best = largest(parts)
    others = [part for part in named if part is not best and part.seconds >= _NAMED * whole][:2]
    then = ", ".join(f"{percent(part.seconds / whole)} {part.name}" for part in others)
    spent = f"{percent(best.seconds / whole)} of the job's slot time {_spent(best)}{limits.at(limit)}"
    if best.bound is not None and best.bound >= 1 + _NAMED and not findings.planning(best, found.slots):
        spent += f" (without it, the run phase at most {best.bound:.1f} times faster)"
    return f"{spent}; then {then}." if then else f"{spent}."


def of_start(start: float, wall: float, unasked: float = 0.0) -> str:
    """What passed before the first task; empty if that is hardly anything. In seconds; `unasked`: of which executors waited for a job."""
    if start < _SHORT * wall:
        return ""
    took, share = seconds(start), percent(start / wall)
    if unasked >= findings.SHORT_DRIVER:
        return (
            f"Before its first task, {took} s passed, {share} of the run phase: for {seconds(unasked)} s of it there were executors,"
            " and the program submitted no job."
        )
    return f"Before its first task, the application took {took} s to start, {share} of the run phase."


def of_work(parts: Sequence[TimePart], gauges: Sequence[Limit]) -> str:
    """What there is to say where nothing is to be gained: that the job computes, or would if others let it, and how near the limits it is."""
    whole = sum(part.seconds for part in parts if part.name != START) or 1.0
    computed, queued = (sum(p.seconds for p in parts if p.name == name) / whole for name in (CPU, WAITING))
    if computed + queued < 1 / 2:
        return ""
    near = "".join(f", {words}" for words in _near(gauges))
    if queued > computed:
        return (
            f"Its tasks waited for a CPU for {percent(queued)} of the job's slot time, and were on one for {percent(computed)}:"
            f" other threads, programs or virtual machines had it{near}."
        )
    cpu = f"its tasks were on a CPU for {percent(computed)} of the job's slot time"
    if queued >= _NAMED:
        cpu += f" and waited for one in {percent(queued)}"
    return f"The job computes: {cpu}{near}."


def _near(gauges: Sequence[Limit]) -> list[str]:
    """The gauge of the CPU, and of what else is nearest to its measured peak."""
    cores = [one for one in gauges if one.unit == CORES]
    others = [one for one in gauges if one.unit != CORES]
    near = max(others, key=lambda one: one.share, default=None)
    return [
        *(f"with {one.observed:.1f} of {one.ceiling:.0f} cores used" for one in cores[:1]),
        *([f"and {near.service or near.name} at {percent(near.share)} of its measured peak"] if near else []),
    ]


PHRASES = {
    CPU: "was tasks computing",
    WAITING: "was tasks ready to run while others used the CPU",
    GC: "was tasks stopped by garbage collection",
    NETWORK: "was tasks waiting for blocks from other executors",
    SAME_NODE: "was tasks waiting for blocks of other executors on their own node",
    INPUT: "was tasks waiting for tasks of earlier stages, whose output they read",
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
    THREADS: "was tasks asleep or in locks: waiting for other threads of their process, queues, replies",
    SHUFFLE_WRITE: "was tasks writing shuffle files, by the engine's own timer: metadata or data, no log says which",
    SPILL: "was tasks waiting for results to be written to scratch or read from there, by the engine's own timer",
    CODEC: "was tasks waiting for objects to be made of bytes, or bytes of objects, by the engine's own timer",
    FAILED: "was work that failed or was thrown away",
    DRIVER: "passed with no task to run, between stages or after the last one",
    SCHEDULING: "passed between tasks: the scheduler, starts of workers, and the way to them and back",
    LOCALITY: "was slots empty while tasks were ready that waited for other executors, which have their input",
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
