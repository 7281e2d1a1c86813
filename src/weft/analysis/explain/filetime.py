"""File operations as parts of tasks' time: metadata and data, by the class of the files' paths."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from weft.analysis.explain.filepart import FilePart, of_calls
from weft.analysis.explain.spread import Counters, Flags, Indexes, Numbers, to_tasks
from weft.analysis.read.sums import sums
from weft.facts.roles import ROLES
from weft.facts.threadkinds import PYTHON
from weft.record.samples import Measure

DATA = frozenset({"read", "write", "transfer", "mmap", "sync", "seek"})
"""Operations whose time is that of bytes; all others ask or change names."""
_NO_PATH = frozenset({"network", "unnamed"})
"""Classes of descriptors that are no files: sockets and pipes, in which servers wait most of the time."""
_COUNTED = "fileops.processes"


@dataclass(frozen=True)
class TaskOperation:
    """One operation on one class of paths: seconds and calls of each task."""

    part: FilePart
    name: str
    """open, stat, read, ..."""
    seconds: Numbers
    calls: Numbers


@dataclass(frozen=True)
class FileTime:
    """What was counted, and whether by kind of thread."""

    operations: list[TaskOperation] = field(default_factory=list)
    by_thread: bool = False
    counted: bool = False
    of_workers: list[TaskOperation] = field(default_factory=list)
    """The same of Python workers, given to the tasks that had one."""
    in_all: Mapping[FilePart, float] = field(default_factory=dict)
    """By part: seconds of all threads of the engine's processes while tasks ran, whether or not a task waited for them."""


def part(path_class: str, operation: str) -> FilePart:
    """The part of a task's time that an operation belongs to."""
    return of_calls(path_class, data=operation in DATA)


def of_tasks(
    counters: Counters,
    places: Mapping[str, Indexes],
    begins: Numbers,
    ends: Numbers,
    python: Flags,
    weights: Mapping[str, Numbers] | None = None,
) -> FileTime:
    """Give what the preload library counted to tasks. `places`: by node, the indexes of the tasks that ran there; `weights`: by
    operation, of each task; that of others has no name.

    Counters are those of `fileops`, or, where threads were counted apart, those of `threadops`. `python`: which tasks had a worker.
    """
    apart = ("threadops.seconds", "task")
    # where threads are known, tasks without file calls of their own have none, whatever others did
    by_thread = any(measure[:2] in {apart, ("threadops.seconds", "server")} for _, measure in counters)
    mine = apart if by_thread else ("fileops.seconds", "")
    of = {measure for _, measure in counters if measure[:2] == mine}
    # where threads are not counted apart, engines alone touch these; the rest is the driver's and the daemons' too
    chosen = [measure for measure in of if by_thread or measure.path_class in ROLES]
    workers = {measure for _, measure in counters if measure[:2] == ("threadops.seconds", PYTHON)}
    served = {node: here[python[here]] for node, here in places.items()}
    counted = bool(of) or any(measure.counter == _COUNTED for _, measure in counters)
    return FileTime(
        _given(counters, chosen, places, begins, ends, weights),
        by_thread,
        counted,
        _given(counters, workers, served, begins, ends),
        _in_all(counters, begins, ends) if len(begins) else {},
    )


def _given(
    counters: Counters,
    measures: Iterable[Measure],
    places: Mapping[str, Indexes],
    begins: Numbers,
    ends: Numbers,
    weights: Mapping[str, Numbers] | None = None,
) -> list[TaskOperation]:
    found = []
    for measure in sorted(measures):
        path_class, operation = measure.path_class, measure.operation
        if path_class in _NO_PATH:
            continue
        own = None if weights is None else weights.get(operation, weights[""])
        seconds = to_tasks(counters, measure, places, begins, ends, own)
        count = measure._replace(counter=measure.counter.replace("seconds", "count"))
        calls = to_tasks(counters, count, places, begins, ends, own)
        if seconds is not None and seconds.any():
            counts = seconds * 0 if calls is None else calls
            found.append(TaskOperation(part(path_class, operation), operation, seconds, counts))
    return found


def _in_all(counters: Counters, begins: Numbers, ends: Numbers) -> dict[FilePart, float]:
    first, last = float(begins.min()), float(ends.max())
    return sums(
        (part(measure.path_class, measure.operation), counter.grown(first, last))
        for (_, measure), counter in counters.items()
        if measure.counter == "fileops.seconds"
        and measure.path_class not in _NO_PATH
        and len(counter.times) > 1
    )
