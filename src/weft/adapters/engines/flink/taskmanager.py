"""The memory of a Flink TaskManager, with every part set: Flink divides it only in its own start scripts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from weft.errors import UsageError
from weft.text.units import show_size

_MIB = 1 << 20
_BUFFER = 32 << 10
"""Bytes of a network buffer (taskmanager.memory.segment-size)."""
_SORTED = 512
"""Buffers in which a slot sorts its output (taskmanager.network.sort-shuffle.min-buffers)."""
_LEAST_READ = 512
"""Buffers to read that a slot has at least."""
_GATES = 2
"""Inputs that a slot reads at once: those of a join."""
_MOST_REQUIRED = 1000
"""Buffers that an input needs at most in batch mode (taskmanager.network.memory.read-buffer.required-per-gate.max)."""
_LEAST_OVERHEAD, _MOST_OVERHEAD = 128 * _MIB, 1 << 30
_LEAST_MANAGED_OF_SLOT = 16 * _MIB
_LEAST_TASK_HEAP = 128 * _MIB
_KEY = "taskmanager.memory."
_PARTS: Mapping[str, str] = {
    "framework.heap.size": "framework_heap",
    "framework.off-heap.size": "framework_off_heap",
    "framework.off-heap.batch-shuffle.size": "batch_shuffle",
    "task.heap.size": "task_heap",
    "task.off-heap.size": "task_off_heap",
    "network.min": "network",
    "network.max": "network",
    "managed.size": "managed",
    "jvm-metaspace.size": "metaspace",
    "jvm-overhead.min": "overhead",
    "jvm-overhead.max": "overhead",
}
"""Flink's option of each part, without what all begin with; Flink wants both limits of the network to be the same."""
_DIVIDED = (
    "process.size", "flink.size", "managed.fraction", "network.fraction", "jvm-overhead.fraction",
)  # fmt: skip
"""Options by which Flink's start scripts compute the parts."""
_SIZE = re.compile(r"(\d+)\s*(b|bytes|k|kb|kibibytes|m|mb|mebibytes|g|gb|gibibytes|t|tb|tebibytes|)")


@dataclass(frozen=True)
class TaskManagerMemory:
    """Bytes of each part of a TaskManager's process (Flink's documentation, "Set up TaskManager Memory")."""

    overhead: int
    network: int
    managed: int
    task_heap: int
    task_off_heap: int = 0
    framework_heap: int = 128 * _MIB
    framework_off_heap: int = 128 * _MIB
    batch_shuffle: int = 64 * _MIB
    """Of it, those in which sorted shuffle files are read (Flink's default)."""
    metaspace: int = 192 * _MIB

    @property
    def heap(self) -> int:
        return self.framework_heap + self.task_heap

    @property
    def direct(self) -> int:
        return self.framework_off_heap + self.task_off_heap + self.network

    @property
    def process(self) -> int:
        return self.heap + self.direct + self.managed + self.metaspace + self.overhead

    def flags(self) -> list[str]:
        """Limits of the Java virtual machine, in whole MiB."""
        return [
            f"-Xmx{self.heap // _MIB}m",
            f"-XX:MaxDirectMemorySize={self.direct // _MIB}m",
            f"-XX:MaxMetaspaceSize={self.metaspace // _MIB}m",
        ]

    def options(self) -> dict[str, str]:
        """All sizes for the TaskManager's command line."""
        return {f"{_KEY}{key}": f"{getattr(self, part) // _MIB}m" for key, part in _PARTS.items()}

    def sizes(self) -> dict[str, int]:
        """By the names that users know, in bytes."""
        return {
            "TaskManager memory": self.process,
            "TaskManager task heap": self.task_heap,
            "TaskManager managed memory": self.managed,
            "TaskManager network memory": self.network,
        }

    def with_own(self, conf: Mapping[str, str]) -> "TaskManagerMemory":
        """The same with the parts that options of Flink set. Raises UsageError for one that has no effect."""
        for key in (f"{_KEY}{name}" for name in _DIVIDED):
            if key in conf:
                raise UsageError(
                    f"flink: {key} has no effect, because weft sets every part of a TaskManager's memory",
                    hint=f"set engine.taskmanager_memory for the whole, or a part, such as {_KEY}managed.size",
                )
        named = {part: f"{_KEY}{key}" for key, part in _PARTS.items() if f"{_KEY}{key}" in conf}
        return replace(self, **{part: _size(key, conf[key]) for part, key in named.items()})


def network_of_slot(parallelism: int) -> int:
    """Bytes of network buffers that a slot needs for jobs of so many subtasks (Flink's documentation, "Network memory tuning guide").

    An input has two buffers for each subtask that it reads from, and eight that float.
    """
    read = _GATES * min(_MOST_REQUIRED, 2 * parallelism + 8)
    return (_SORTED + max(_LEAST_READ, read)) * _BUFFER


def divide(process: int, slots: int, parallelism: int) -> TaskManagerMemory:
    """Divide a process's bytes: a tenth for overhead, a tenth of the rest for the network, two fifths managed memory
    if the tasks' heap is not smaller then. `parallelism`: the slots of all TaskManagers.

    Raises UsageError if the parts are too small.
    """
    overhead = _whole(min(_MOST_OVERHEAD, max(_LEAST_OVERHEAD, process // 10)))
    fixed = TaskManagerMemory(overhead, 0, 0, 0)
    flink = process - overhead - fixed.metaspace
    network = _whole(max(slots * network_of_slot(parallelism) + _MIB - 1, flink // 10))
    left = flink - network - fixed.framework_heap - fixed.framework_off_heap
    managed = _whole(max(slots * _LEAST_MANAGED_OF_SLOT, min(flink * 4 // 10, left // 2)))
    task_heap = _whole(left - managed)
    if task_heap < _LEAST_TASK_HEAP:
        raise UsageError(
            f"flink: a TaskManager of {show_size(process)} with {slots} slot(s) leaves {show_size(max(0, task_heap))}"
            f" for the tasks' heap, below the {show_size(_LEAST_TASK_HEAP)} that they need",
            hint="use fewer nodes or cores, give nodes more memory, or raise engine.taskmanager_memory",
        )
    return replace(fixed, network=network, managed=managed, task_heap=task_heap)


def _size(key: str, text: str) -> int:
    """Bytes in Flink's notation (MemorySize.java), in which all units are powers of 1024; in whole MiB."""
    found = _SIZE.fullmatch(text.strip().lower())
    if found is None:
        raise UsageError(f"flink: {key}={text} is not a size", hint="write a number and a unit, such as 512m")
    size = int(found[1]) << (10 * "bkmgt".index(found[2][:1] or "b"))
    return -(-size // _MIB) * _MIB


def _whole(size: int) -> int:
    return size // _MIB * _MIB
