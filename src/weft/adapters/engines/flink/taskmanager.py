"""The memory of a Flink TaskManager, with every part set: Flink divides it only in its own start scripts."""

from dataclasses import dataclass

from weft.errors import UsageError
from weft.text.units import show_size

_MIB = 1 << 20
_FRAMEWORK_HEAP = 128 * _MIB
_FRAMEWORK_OFF_HEAP = 128 * _MIB
_BATCH_SHUFFLE = 64 * _MIB
"""Bytes of it in which sorted shuffle files are read (Flink's default)."""
_METASPACE = 192 * _MIB
_LEAST_OVERHEAD, _MOST_OVERHEAD = 128 * _MIB, 1 << 30
_NETWORK_OF_SLOT = 32 * _MIB
"""Bytes of network buffers that a slot needs: 512 buffers of 32 KiB to sort its output, and as many to read."""
_LEAST_MANAGED_OF_SLOT = 16 * _MIB
_LEAST_TASK_HEAP = 128 * _MIB


@dataclass(frozen=True)
class TaskManagerMemory:
    """Bytes of each part of a TaskManager's process (Flink's documentation, "Set up TaskManager Memory")."""

    overhead: int
    network: int
    managed: int
    task_heap: int

    @property
    def heap(self) -> int:
        return _FRAMEWORK_HEAP + self.task_heap

    @property
    def direct(self) -> int:
        return _FRAMEWORK_OFF_HEAP + self.network

    @property
    def process(self) -> int:
        return self.heap + self.direct + self.managed + _METASPACE + self.overhead

    def flags(self) -> list[str]:
        """Limits of the Java virtual machine, in whole MiB."""
        return [
            f"-Xmx{self.heap // _MIB}m",
            f"-XX:MaxDirectMemorySize={self.direct // _MIB}m",
            f"-XX:MaxMetaspaceSize={_METASPACE // _MIB}m",
        ]

    def options(self) -> dict[str, str]:
        """All sizes for the TaskManager's command line."""
        sizes = {
            "framework.heap.size": _FRAMEWORK_HEAP,
            "framework.off-heap.size": _FRAMEWORK_OFF_HEAP,
            "framework.off-heap.batch-shuffle.size": _BATCH_SHUFFLE,
            "task.heap.size": self.task_heap,
            "task.off-heap.size": 0,
            "network.min": self.network,
            "network.max": self.network,
            "managed.size": self.managed,
            "jvm-metaspace.size": _METASPACE,
            "jvm-overhead.min": self.overhead,
            "jvm-overhead.max": self.overhead,
        }
        return {f"taskmanager.memory.{key}": f"{size // _MIB}m" for key, size in sizes.items()}

    def sizes(self) -> dict[str, int]:
        """By the names that users know, in bytes."""
        return {
            "TaskManager memory": self.process,
            "TaskManager task heap": self.task_heap,
            "TaskManager managed memory": self.managed,
            "TaskManager network memory": self.network,
        }


def divide(process: int, slots: int) -> TaskManagerMemory:
    """Divide a process's bytes: a tenth for overhead, a tenth of the rest for the network, two fifths managed memory
    if the tasks' heap is not smaller then.

    Raises UsageError if the parts are too small.
    """
    overhead = _whole(min(_MOST_OVERHEAD, max(_LEAST_OVERHEAD, process // 10)))
    flink = process - overhead - _METASPACE
    network = _whole(max(slots * _NETWORK_OF_SLOT, flink // 10))
    left = flink - network - _FRAMEWORK_HEAP - _FRAMEWORK_OFF_HEAP
    managed = _whole(max(slots * _LEAST_MANAGED_OF_SLOT, min(flink * 4 // 10, left // 2)))
    task_heap = _whole(left - managed)
    if task_heap < _LEAST_TASK_HEAP:
        raise UsageError(
            f"flink: a TaskManager of {show_size(process)} with {slots} slot(s) leaves {show_size(max(0, task_heap))}"
            f" for the tasks' heap, below the {show_size(_LEAST_TASK_HEAP)} that they need",
            hint="use fewer nodes or cores, give nodes more memory, or raise engine.taskmanager_memory",
        )
    return TaskManagerMemory(overhead, network, managed, task_heap)


def _whole(size: int) -> int:
    return size // _MIB * _MIB
