"""What a record says of the tasks of one stretch of time, beside each other: the engine's figures and the probes' counters."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars

from weft.analysis.explain import fetchtime, filetime, occupied, pythontime, spread, weights
from weft.analysis.explain import places as whereabouts
from weft.analysis.explain.fetchtime import FetchTime
from weft.analysis.explain.filepart import of_calls
from weft.analysis.explain.filetime import DATA, FileTime
from weft.analysis.explain.pythontime import Worker
from weft.analysis.explain.slots import Stage, Use
from weft.analysis.explain.spread import Counters, Flags, Indexes, Numbers, Readings
from weft.analysis.explain.tasktime import (
    CHILDREN,
    CPU,
    DRIVER,
    HDFS,
    KAFKA,
    NETWORK,
    PYTHON_WORKER,
    SOCKETS,
    THREADS,
    WAITING,
)
from weft.analysis.explain.timeparts import PythonWorkers
from weft.analysis.explain.weights import Weights
from weft.analysis.read.sums import sums
from weft.facts import peers
from weft.facts.jobmetrics import JobMetrics
from weft.facts.threadkinds import programs
from weft.record.samples import Measure

_FILE_CALLS = (
    "open", "close", "stat", "rename", "unlink", "mkdir", "rmdir", "readdir", "read", "write", "truncate", "sync",
    "transfer", "fault",
)  # fmt: skip
_BLOCKED = {"lock": THREADS, "sleep": THREADS}
"""Other operations in which a thread is blocked, and the part that they are of."""
PEERS = {
    "": SOCKETS,
    "HDFS": HDFS,
    "Kafka": KAFKA,
    "the driver": DRIVER,
    peers.PYTHON: PYTHON_WORKER,
    peers.CHILD: CHILDREN,
    peers.EXECUTOR: NETWORK,
}
"""The part of calls on sockets and pipes, by who is at the other end."""
_RUNNING = ("running", "other")
UNPLACED = "path not counted"
"""The class of file calls that were seen where nobody counted them by path."""


@dataclass(frozen=True)
class Window:
    """The stretch of time, and the slots that there were. Times are seconds since the epoch."""

    begin: float
    end: float
    slots: int
    nodes: Mapping[str, str]
    """Node by the address or name that the engine calls it by."""
    link: float | None = None
    """Bytes a second that the link of a node carries each way; None if that is not known."""
    stopped: Mapping[str, Readings] = field(default_factory=dict)
    """By node: seconds that GC had stopped a task there, up to each moment, by the JVMs' own logs."""


@dataclass(frozen=True)
class Evidence:
    """Arrays have one value a task, in the order of `tasks`; None where nobody measured it."""

    tasks: polars.DataFrame
    stages: Sequence[Stage]
    """Of each task."""
    use: Use
    slots: int
    """The most at one time."""
    weight: Numbers
    """What of each task's time lies in the window, and is not shared with others in its slot."""
    lasted: Numbers
    """Seconds of each task in the window, shared or not."""
    files: FileTime
    used: Numbers | None
    """Processor seconds of task threads, by the kernel."""
    waiting: Numbers | None
    system: Numbers | None
    gc: Numbers | None
    """Seconds that GC stopped it, by the engine, or where it does not say it, by the JVMs' own logs."""
    stolen: Numbers | None
    """Seconds that a hypervisor took, an estimate."""
    sampled_calls: Mapping[str, Numbers]
    """By operation: seconds in which a task's thread was seen blocked in it."""
    blocked: Mapping[str, Numbers]
    """By part: seconds in which a task's thread was seen blocked in something else, without those of idle threads."""
    python: Mapping[str, Numbers]
    """By part: seconds of what Python workers did for a task."""
    workers: PythonWorkers | None
    fetch: FetchTime
    """Its waits for blocks, and for the tasks that make them."""
    served: Mapping[str, Numbers]
    """By part: what serving threads did on all nodes, given to the tasks that waited meanwhile."""
    wire: Numbers | None
    """Seconds that links need for the blocks that tasks fetched, while the other tasks of their nodes fetch theirs."""
    where: Mapping[Stage, Indexes]
    """By stage: the indexes of its tasks."""
    background: Mapping[str, float]
    """Processor seconds of threads beside the tasks, by kind."""
    meanwhile: Mapping[str, float]
    """Of them, those from the first task's begin to the last one's end."""
    process_cpu: bool
    """Whether the engine's CPU time of a task is that of its whole process."""
    seen: int
    """Processes that the threads were read of."""
    nodes: int
    """On which tasks ran."""

    @property
    def cpu(self) -> list[Numbers]:
        """Of each task, to be added: the engine's own figure, which is finer; the kernel's; the engine's of the whole process."""
        own = [self.seconds("cpu_ns", 1e-9), self.seconds("deserialize_cpu_ns", 1e-9)]
        if self.used is not None and (own[0] is None or self.process_cpu):
            own = [self.used]
        return [] if own[0] is None else [values for values in own if values is not None]

    @property
    def of_process(self) -> bool:
        """Whether that contains JIT and GC."""
        return self.process_cpu and self.used is None

    def succeeded(self, mine: Indexes) -> Indexes:
        """Those of some tasks that did."""
        good: Indexes = mine[self.tasks["ok"].fill_null(value=False).to_numpy()[mine]]
        return good

    def seconds(self, column: str, unit: float) -> Numbers | None:
        """A column of the engine's own, for what lies in the window; None where the engine does not say it."""
        values = self.tasks[column]
        if values.null_count() == len(values):
            return None
        found: Numbers = values.fill_null(0).to_numpy().astype(float) * unit * self.weight
        return found


def gather(
    metrics: JobMetrics, samples: polars.DataFrame, window: Window, workers: Sequence[Worker] = ()
) -> Evidence:
    """Everything that is known of the tasks in the window; `workers`: what Python workers wrote."""
    tasks = metrics.tasks.drop_nulls(["begin", "end"]).filter(
        (polars.col("end") > window.begin) & (polars.col("begin") < window.end)
    )
    own: dict[Stage, Stage] = {}
    stages = [own.setdefault(row, row) for row in tasks.select("app", "stage", "attempt").iter_rows()]
    begins, ends = (tasks[name].to_numpy().astype(float) for name in ("begin", "end"))
    used, most = occupied.of_tasks(metrics, tasks, stages, window.begin, window.end, window.slots)
    held = np.asarray(used.held)
    weight = held / np.maximum(ends - begins, 1e-9)
    begins, ends = begins.clip(window.begin, window.end), ends.clip(window.begin, window.end)
    ran = whereabouts.of_tasks(tasks, samples, window.nodes)
    places = ran.nodes
    named = len(places.keys() - {""})  # a failure of a whole job is on no node
    threads = spread.of_processes(samples, "threads.", programs(), ran.of_process)
    process_cpu = bool(metrics.applications["process_cpu"].fill_null(value=False).any())
    busy = Weights() if process_cpu else weights.of_tasks(tasks, weight, held)

    def of_tasks(name: str, operation: str = "", peer: str = "") -> Numbers | None:
        measure = Measure(f"threads.{name}", "task", peer, operation)
        own = busy.waiting if name == "wait" else busy.running
        own = busy.blocked if name == "in" and operation not in _RUNNING else own
        return spread.to_tasks(threads, measure, ran.processes, begins, ends, own)

    sampled_calls = {name: of_tasks("in", name) for name in _FILE_CALLS}
    on_cpu = of_tasks("cpu")
    python = pythontime.of_tasks(workers, tasks, weight)
    served = _worked(python, len(ends))
    files = spread.of_nodes(samples, "fileops.", "threadops.")
    return Evidence(
        tasks,
        stages,
        used,
        most,
        weight,
        np.maximum(0.0, ends - begins),
        filetime.of_tasks(files, places, begins, ends, served, weights.in_files(sampled_calls, busy)),
        on_cpu,
        of_tasks("wait"),
        of_tasks("system"),
        _gc(tasks, weight, places, window.stopped),
        _stolen(samples, places, on_cpu, window.begin, window.end),
        {name: found for name, found in sampled_calls.items() if found is not None},
        _blocked(of_tasks, sampled_calls, held),
        python,
        pythontime.workers_of(workers, tasks),
        fetchtime.of_tasks(tasks, weight, threads, ran, begins, ends),
        _served(threads, begins, ends),
        _wire(tasks, weight, window.link, most / max(1, named)),
        _where(stages),
        _background(threads, window.begin, window.end),
        _background(threads, begins.min(), ends.max()) if len(begins) else {},
        process_cpu,
        _processes(samples),
        named,
    )


def _blocked(
    of_tasks: Callable[[str, str, str], Numbers | None], files: Mapping[str, Numbers | None], held: Numbers
) -> dict[str, Numbers]:
    """What tasks were seen blocked in besides files.

    A pool's idle threads are seen in locks too: as much as all threads were seen for longer than tasks held slots.
    """
    others = {name: of_tasks("in", name, "") for name in (*_BLOCKED, *_RUNNING)}
    connected = {peer: of_tasks("in", "network", peer) for peer in PEERS}
    known = [each for each in (*files.values(), *others.values(), *connected.values()) if each is not None]
    if not known:
        return {}
    idle = np.maximum(0.0, np.sum(known, axis=0) - held)
    return sums(
        [
            *(
                (part, np.maximum(0.0, seconds - idle) if name == "lock" else seconds)
                for name, part in _BLOCKED.items()
                if (seconds := others[name]) is not None
            ),
            *((PEERS[peer], seconds) for peer, seconds in connected.items() if seconds is not None),
        ]
    )


def _worked(python: Mapping[str, Numbers], tasks: int) -> Flags:
    """Which tasks had a Python worker."""
    found: Flags = np.zeros(tasks, bool)
    for seconds in python.values():
        found |= seconds > 0
    return found


def _where(stages: Sequence[Stage]) -> dict[Stage, Indexes]:
    found: dict[Stage, list[int]] = defaultdict(list)
    for index, stage in enumerate(stages):
        found[stage].append(index)
    return {stage: np.asarray(indexes, dtype=np.intp) for stage, indexes in found.items()}


def _gc(
    tasks: polars.DataFrame, weight: Numbers, places: Mapping[str, Indexes], stopped: Mapping[str, Readings]
) -> Numbers | None:
    """A pause stops all tasks of its JVM."""
    own = tasks["gc_ms"]
    if own.null_count() < len(own):
        return np.asarray(own.fill_null(0).to_numpy().astype(float) * 1e-3 * weight)
    if not stopped:
        return None
    found: Numbers = np.zeros(len(tasks))
    begins, ends = (tasks[name].to_numpy().astype(float) for name in ("begin", "end"))
    for node, here in places.items():
        if node in stopped:
            pauses = stopped[node]
            until, since = (np.interp(at[here], pauses.times, pauses.values) for at in (ends, begins))
            found[here] = (until - since) * weight[here]
    return found


def _served(threads: Counters, begins: Numbers, ends: Numbers) -> dict[str, Numbers]:
    """What the servers of blocks did, by part. Which of them a task waited for, nobody knows: they are taken together."""
    return sums(
        (part, spread.over_tasks(counter, begins, ends))
        for (_, measure), counter in threads.items()
        if (part := _serving(measure))
    )


def _wire(tasks: polars.DataFrame, weight: Numbers, link: float | None, of_node: float) -> Numbers | None:
    """All slots of a node share its link. None where its rate or the bytes are not known."""
    size = tasks["remote_bytes"]
    if link is None or size.null_count() == len(size):
        return None
    found: Numbers = size.fill_null(0).to_numpy().astype(float) * weight * max(1.0, of_node) / link
    return found


def _serving(measure: Measure) -> str:
    if measure.thread != "server":
        return ""
    if measure.operation in _FILE_CALLS:
        return str(filetime.part("scratch", measure.operation))
    return {"threads.cpu": CPU, "threads.wait": WAITING}.get(measure.counter, "")


def unplaced(sampled_calls: Mapping[str, float]) -> dict[str, float]:
    """Seconds by part, where file calls were seen and not counted by path."""
    return sums(
        (str(of_calls(UNPLACED, data=operation in DATA or operation == "fault")), seconds)
        for operation, seconds in sampled_calls.items()
    )


def _background(threads: Counters, first: float, last: float) -> dict[str, float]:
    return sums(
        (measure.thread, counter.grown(first, last))
        for (_, measure), counter in threads.items()
        if measure.counter == "threads.cpu" and measure.thread != "task"
    )


def _processes(samples: polars.DataFrame) -> int:
    program = polars.col("process").str.split("/").list.first()
    own = samples.filter(polars.col("counter").str.starts_with("threads.") & program.is_in(list(programs())))
    return own.select("node", "process").unique().height


_MACHINE = "host"
"""The node under which a record has the whole machine's counters, where several nodes share one."""
_USED = ("cpu_user", "cpu_system")


def _stolen(
    samples: polars.DataFrame, places: Mapping[str, Indexes], used: Numbers | None, begin: float, end: float
) -> Numbers | None:
    """By task: its share of what was stolen from its machine, by the CPU time of its thread. None where that is not known."""
    if used is None:
        return None
    found: Numbers = np.zeros(len(used))
    for node, here in places.items():
        found[here] = used[here] * _ratio(samples, node, begin, end)
    return found


def _ratio(samples: polars.DataFrame, node: str, begin: float, end: float) -> float:
    """Seconds stolen for each second of a processor that the machine gave; where a node is a machine of its own, gave the run."""
    own = samples.filter(
        polars.col("node").is_in([node, _MACHINE])
        & (polars.col("process") == "")
        & polars.col("counter").is_in(["steal", *_USED])
        & polars.col("t").is_finite()
    ).sort("t")
    machine = own.filter((polars.col("counter") == "steal") & (polars.col("node") == node))
    own = own.filter(polars.col("node") == (_MACHINE if machine.is_empty() else node))
    grown = {
        str(counter): float(np.diff(np.interp([begin, end], frame["t"], frame["value"]))[0])
        for (counter,), frame in own.group_by("counter")
    }
    given = sum(grown.get(name, 0.0) for name in _USED)
    return max(0.0, grown.get("steal", 0.0)) / given if given > 0 else 0.0
