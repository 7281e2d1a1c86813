"""File operations as parts of tasks' time: metadata and data, by the class of the files' paths."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from weft.analysis.explain.spread import Counters, Indexes, Numbers, to_tasks
from weft.analysis.read.sums import sums
from weft.facts.roles import ROLES

DATA = frozenset({"read", "write", "transfer", "mmap", "sync", "seek"})
"""Operations whose time is that of bytes; all others ask or change names."""
_NO_PATH = frozenset({"network", "unnamed"})
"""Classes of descriptors that are no files: servers wait in them most of the time."""
_OF_TASKS = "threadops.task."
_COUNTED = "fileops.processes"


@dataclass(frozen=True)
class TaskOperation:
    """One operation on one class of paths: seconds and calls of each task."""

    part: str
    """metadata: scratch, data: input, ..."""
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
    in_all: Mapping[str, float] = field(default_factory=dict)
    """By part: seconds of all threads of the engine's processes while tasks ran, whether or not a task waited for them."""


def part(path_class: str, operation: str) -> str:
    """The part of a task's time that an operation belongs to."""
    return f"{'data' if operation in DATA else 'metadata'}: {path_class}"


def of_tasks(counters: Counters, places: Mapping[str, Indexes], begins: Numbers, ends: Numbers) -> FileTime:
    """Give what the preload library counted to tasks. `places`: by node, the indexes of the tasks that ran there.

    Counters are `fileops.CLASS.OPERATION.seconds` and `.count`, or those of task threads: `threadops.task.CLASS.OPERATION...`.
    """
    by_thread = any(name.startswith(_OF_TASKS) for _, name in counters)
    beginning = _OF_TASKS if by_thread else "fileops."
    names = {name for _, name in counters if name.startswith(beginning) and name.endswith(".seconds")}
    found = []
    for name in sorted(names):
        path_class, operation = name.removeprefix(beginning).removesuffix(".seconds").split(".")
        # where threads are not counted apart, engines alone touch these; the rest is the driver's and the daemons' too
        if path_class == "unnamed" or not (by_thread or path_class in ROLES):
            continue
        seconds = to_tasks(counters, name, places, begins, ends)
        calls = to_tasks(counters, f"{name.removesuffix('seconds')}count", places, begins, ends)
        if seconds is not None and seconds.any():
            counts = seconds * 0 if calls is None else calls
            found.append(TaskOperation(part(path_class, operation), operation, seconds, counts))
    counted = any(name == _COUNTED or name in names for _, name in counters)
    return FileTime(found, by_thread, counted, _in_all(counters, begins, ends) if len(begins) else {})


def _in_all(counters: Counters, begins: Numbers, ends: Numbers) -> dict[str, float]:
    first, last = float(begins.min()), float(ends.max())
    split = ((name.split("."), counter) for (_, name), counter in counters.items() if len(counter.times) > 1)
    return sums(
        (part(words[1], words[2]), counter.grown(first, last))
        for words, counter in split
        if words[0] == "fileops" and words[-1] == "seconds" and len(words) == 4 and words[1] not in _NO_PATH
    )
