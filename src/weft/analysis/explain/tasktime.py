"""The time that tasks held slots, in exclusive parts: what each stage's tasks did, and what they waited for."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from weft.analysis.explain.balance import Balance
from weft.analysis.explain.slots import SCHEDULING
from weft.analysis.read.sums import sums

CPU = "CPU"
WAITING = "run-queue wait"
GC = "GC"
NETWORK = "network"
SAME_NODE = "waiting for blocks of the same node"
SOCKETS = "waiting in sockets"
INPUT = "waiting for earlier stages"
HDFS = "waiting for HDFS"
KAFKA = "waiting for Kafka"
DRIVER = "waiting for the driver"
CHILDREN = "waiting for child processes"
PYTHON_USER = "Python: user code"
PYTHON_WAITING = "Python: user code waiting"
PYTHON_EXCHANGE = "Python: exchange with the JVM"
PYTHON_START = "Python: start and imports"
PYTHON_WORKER = "Python: worker"
"""What Python workers did is not known."""
SHUFFLE_WRITE = "writing shuffle files"
"""By the engine's own timer, where nobody counted file calls."""
SPILL = "reading and writing spilled results"
CODEC = "serialisation outside of tasks"
"""By the engine's own timers, in a thread of its own for which tasks wait."""
FAILED = "failed work"
THREADS = "waiting for other threads"
UNCLASSIFIED = "unclassified"


@dataclass(frozen=True)
class StageTasks:
    """What is known of the tasks of one stage, in seconds; None where nobody measured it."""

    held: float
    """Slot-seconds of its tasks that succeeded."""
    lasted: float = 0.0
    """From their begins to their ends: more than that where tasks share slots, as operators of Flink do that run at the same time."""
    scheduling: float = 0.0
    """Of these: on the way to the executor and back."""
    cpu: float | None = None
    waiting: float | None = None
    """Runnable, on no processor."""
    stolen: float = 0.0
    """On a processor that a hypervisor gave to others meanwhile: an estimate, of which only what nothing else explains counts."""
    gc: float = 0.0
    fetch: float = 0.0
    """Waiting for blocks of other executors."""
    fetching: Mapping[str, float] = field(default_factory=dict)
    """By part: what the task's own threads that fetch were seen in, while it waited for them."""
    spill: float = 0.0
    """Waiting for results to be written to scratch or read from there."""
    codec: float = 0.0
    """Waiting for objects to be made of bytes, or bytes of them."""
    inputs: float = 0.0
    """Waiting until the tasks had ended whose output it reads."""
    remote: bool = True
    """Whether some of these were on another node, as far as is known."""
    files: Mapping[str, float] = field(default_factory=dict)
    """By part: inside file calls, which includes their use of a processor and their waiting for one."""
    blocked_in_files: float | None = None
    """The cross-check: blocked in file calls, as seen at looks."""
    system: float = 0.0
    """Of `CPU`: in the kernel."""
    served: Mapping[str, float] = field(default_factory=dict)
    """By part: what threads that serve blocks did meanwhile, on all nodes."""
    wire: float = 0.0
    """Seconds that links need for the blocks that were fetched, whatever their servers do; 0 where their rate is not known."""
    python: Mapping[str, float] = field(default_factory=dict)
    """By part: what Python workers did for these tasks, also beside the tasks' own computing."""
    python_files: Mapping[str, float] = field(default_factory=dict)
    """By part: of what their functions waited for, inside file calls."""
    seen: Mapping[str, float] = field(default_factory=dict)
    """By part: blocked in what is no file call, as seen at looks: in calls on sockets and pipes by peer, THREADS in locks and sleep."""


def parts(found: StageTasks) -> dict[str, float]:
    """Exclusive parts whose sum is `held`.

    CPU time and run-queue waits are exact, so the rest of a task's time is what it was blocked in, and that is
    what file calls, GC and fetches have to share. Python workers have what these leave: a worker works beside its task as well,
    which costs nothing. What is left then is named as far as a sample saw in what the thread was blocked; the rest has no name.
    """
    scheduling, cpu, waiting, blocked = _divided(found)
    causes = _causes(found)
    known = sum(causes.values())
    scale = blocked / known if known > blocked else 1.0
    exclusive = {name: seconds * scale for name, seconds in causes.items()}
    exclusive = total([exclusive, _python(found, blocked - sum(exclusive.values()))])
    exclusive = total([exclusive, _seen(found, blocked - sum(exclusive.values()))])
    stolen = min(found.stolen, max(0.0, blocked - sum(exclusive.values())))
    exclusive = total([exclusive, {CPU: cpu, WAITING: waiting + stolen}])
    exclusive[SCHEDULING] = scheduling
    exclusive[UNCLASSIFIED] = found.held - sum(exclusive.values())
    return {name: seconds for name, seconds in exclusive.items() if seconds > 1e-9}


def _divided(found: StageTasks) -> tuple[float, float, float, float]:
    """On the way to executors and back, on a CPU, in the run queue, and the rest, which is blocked."""
    scheduling = min(found.scheduling, found.held)
    left = found.held - scheduling
    cpu = min(found.cpu or 0.0, left)
    waiting = min(found.waiting or 0.0, left - cpu)
    return scheduling, cpu, waiting, left - cpu - waiting


def _causes(found: StageTasks) -> dict[str, float]:
    """What tasks were blocked by, as it was measured; a server's file calls are of the same parts as a task's own."""
    own = {GC: found.gc, INPUT: found.inputs, SPILL: found.spill, CODEC: found.codec}
    causes = total([_files(found), own, _fetch(found)])
    return {name: seconds for name, seconds in causes.items() if seconds > 0}


def balance(found: StageTasks) -> Balance:
    """The measured seconds of some tasks beside the seconds that they had.

    Clocks around fetches and pauses run on while a task waits for a CPU, as those around file calls do: that much may be both.
    Threads of tasks that share a slot can all be on a CPU or in its run queue at once.
    """
    lasted = max(found.held, found.lasted)
    scheduling, _, _, blocked = _divided(replace(found, held=lasted))
    running = (found.cpu or 0.0) + (found.waiting or 0.0)
    files, causes = sum(_files(found).values()), sum(_causes(found).values())
    queued = max(0.0, (found.waiting or 0.0) - (sum(found.files.values()) - files))
    return Balance(
        causes=files + max(0.0, causes - files - queued),
        blocked=blocked,
        running=running,
        occupied=lasted - scheduling,
        held=lasted,
    )


def _files(found: StageTasks) -> dict[str, float]:
    """Time blocked in file calls: what was timed around them, less what of it was on a CPU or waiting for one."""
    timed = sum(found.files.values())
    if not timed:
        return {}
    runnable = min(timed, found.system + (found.waiting or 0.0))
    seen = found.blocked_in_files
    blocked = timed if seen is None else min(timed, max(seen, timed - runnable))
    return {name: seconds * blocked / timed for name, seconds in found.files.items()}


def _python(found: StageTasks, left: float) -> dict[str, float]:
    """Of the time that no cause explains: what Python workers did.

    Where a task waited for its worker longer than that, the two waited for each other: rows on their way.
    """
    did = sum(found.python.values())
    if not did or left <= 0:
        return {}
    waited, files = found.python.get(PYTHON_WAITING, 0.0), sum(found.python_files.values())
    named = min(1.0, waited / files) if files else 0.0
    moved = {name: seconds * named for name, seconds in found.python_files.items()}
    parts = total([found.python, {PYTHON_WAITING: -sum(moved.values())}, moved])
    parts = {name: seconds * min(1.0, left / did) for name, seconds in parts.items()}
    handed = min(found.seen.get(PYTHON_WORKER, 0.0), left) - sum(parts.values())
    return total([parts, {PYTHON_EXCHANGE: max(0.0, handed)}])


def _seen(found: StageTasks, left: float) -> dict[str, float]:
    """Of the time that no cause explains: what looks saw. Who waits for a block or for the collector is seen in a lock too."""
    network = _fetched(found)
    seen = {network if name == NETWORK else name: max(0.0, seconds) for name, seconds in found.seen.items()}
    fetched = sum(_fetch(found).values())
    waited = found.gc + fetched + found.inputs + found.spill + found.codec
    causes = {THREADS: waited, network: found.fetch}
    seen |= {name: max(0.0, seen[name] - causes[name]) for name in causes.keys() & seen.keys()}
    if found.python:
        seen.pop(PYTHON_WORKER, None)
    whole = sum(seen.values())
    scale = min(1.0, max(0.0, left) / whole) if whole else 0.0
    return {name: seconds * scale for name, seconds in seen.items() if seconds * scale}


def _fetch(found: StageTasks) -> dict[str, float]:
    """Waiting for blocks, followed one hop: as far as their servers were at work meanwhile, it is what those did.

    But not the time that the links need: what servers do while bytes of before are on their way delays nobody.
    """
    name = _fetched(found)
    if found.fetching:  # what of the wait they did nothing in is not theirs
        active = sum(found.fetching.values())
        scale = min(1.0, found.fetch / active) if active else 0.0
        fetching = ((name if part == NETWORK else part, seconds) for part, seconds in found.fetching.items())
        return {part: seconds * scale for part, seconds in fetching}
    serving = sum(found.served.values())
    if not serving or not found.fetch:
        return {name: found.fetch}
    followed = min(max(0.0, found.fetch - found.wire), serving)
    causes = {name: followed * seconds / serving for name, seconds in found.served.items()}
    return total([causes, {name: found.fetch - followed}])


def _fetched(found: StageTasks) -> str:
    """The part of waiting for other executors."""
    return NETWORK if found.remote else SAME_NODE


def agree(timed: float, seen: float, runnable: float, samples: int, whole: float) -> bool:
    """Whether the seconds in file calls that looks saw from outside lie where those allow that were timed around each call.

    `runnable`: what of the timed may have been on a processor or waiting for one, where samples see no file call;
    `samples`: how many there were in the `whole` seconds. They may be wrong by 1.96 standard errors, and a twentieth of what was timed.
    """
    share = min(1.0, max(seen, timed) / max(whole, 1e-9))
    error = 1.96 * math.sqrt(share * (1 - share) / samples) * whole + 0.05 * timed
    return timed - runnable - error <= seen <= timed + error


def total(all_parts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The sum of some parts."""
    return sums(item for each in all_parts for item in each.items())
