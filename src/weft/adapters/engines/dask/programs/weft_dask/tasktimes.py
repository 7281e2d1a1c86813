"""What a worker knows of each of its tasks: from its inputs' way to the worker until its result is stored.

The times go to the scheduler with the task's result, which writes them (weft_dask.stream): seconds since the epoch.
"""

import threading
from collections.abc import Callable, Hashable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import thread_time, time
from typing import Any

from distributed import WorkerPlugin
from distributed.comm import get_address_host
from distributed.threadpoolexecutor import ThreadPoolExecutor
from weft_tasks.threads import name_thread

KEY = "weft"
"""Of a task's metadata."""
PROCESS, TASK = "DaskWorker", "dask-task"
"""Names of a worker's main thread and of the threads that run tasks, by which a probe finds them (facts/engines/dask/rules.toml)."""
SPILL = ("disk-read", "disk-write")
CODEC = ("serialize", "deserialize", "compress", "decompress")
"""Dask's own names of what it times in its store of results."""
SENT = frozenset(
    {
        ("gather-dep", "deserialize"),
        ("gather-dep", "decompress"),
        ("get-data", "serialize"),
        ("get-data", "compress"),
    }
)
"""The same of results on their way between workers. Its other figures of these have what the store did."""


@dataclass
class TaskTimes:
    """One task on one worker; what did not happen is None."""

    waiting: float | None = None
    """It is there, and some of its inputs are not."""
    ready: float | None = None
    """All inputs are there."""
    begin: float | None = None
    """It has a slot."""
    submitted: float | None = None
    """Its inputs are in memory again, and a thread is asked for."""
    start: float | None = None
    """The thread begins with it."""
    stop: float | None = None
    returned: float | None = None
    """The event loop knows that it has ended."""
    end: float | None = None
    """Its result is stored, or it has left the slot."""
    cpu: float = 0.0
    """Seconds of its thread on a CPU."""
    remote: int = 0
    """Bytes of its inputs that were on other hosts only."""
    local: int = 0
    """Bytes of those that were in another process of its host."""
    spilled: int = 0
    """Bytes that were written so that its result had room."""
    loop: dict[str, tuple[float, float]] = field(default_factory=dict)
    """By moment: seconds of the event loop, until then, with spilled results, and with making objects of bytes and bytes of them."""

    def row(self) -> dict[str, Any]:
        """As it is sent."""
        own = {key: value for key, value in vars(self).items() if value is not None and key != "loop"}
        busy = any(map(any, self.loop.values()))
        return {**own, **({"loop": self.loop} if busy else {})}


_current: ContextVar[TaskTimes | None] = ContextVar("weft_task", default=None)


class TaskThreadPoolExecutor(ThreadPoolExecutor):  # type: ignore[misc]
    """The threads of a worker's slots: each has a name for the kernel, and takes the time of its tasks.

    By its name Dask knows that a task in it may ask for its worker, as its own shuffle does.
    """

    _named = threading.local()
    spent: Callable[[], tuple[float, float]] = staticmethod(lambda: (0.0, 0.0))
    """Seconds of the event loop, as TaskTimes has them."""

    def submit(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Called on the event loop, in the context of the task."""
        times = _current.get()
        if times is None:
            return super().submit(fn, *args, **kwargs)
        times.submitted, times.loop["submitted"] = time(), self.spent()
        return super().submit(self._timed, times, fn, *args, **kwargs)

    def _timed(self, times: TaskTimes, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if not getattr(self._named, "done", False):
            name_thread(TASK)
            self._named.done = True
        times.start, before = time(), thread_time()
        try:
            return fn(*args, **kwargs)
        finally:
            times.cpu, times.stop = thread_time() - before, time()
            times.loop["stop"] = self.spent()


class TimesPlugin(WorkerPlugin):  # type: ignore[misc]
    """Follows the tasks of one worker."""

    name = "weft-task-times"

    def __init__(self) -> None:
        self.tasks: dict[Hashable, TaskTimes] = {}
        self.sent = 0.0
        """Seconds of making objects and bytes for results on their way between workers."""

    def setup(self, worker: Any) -> None:
        """Called by Dask."""
        self.worker = worker

    def transition(self, key: Hashable, start: str, finish: str, **_: Any) -> None:
        """Called by Dask, on the event loop, when a task's state on this worker has changed."""
        if finish == "waiting":
            self.tasks[key] = self._arrived(self.worker.state.tasks[key])
        elif finish in {"ready", "constrained"} and key in self.tasks:
            self.tasks[key].ready = time()
        elif start in {"executing", "long-running"} and finish in {"memory", "error"}:
            self._ended(key)
        elif start == "executing" and finish == "long-running" and key in self.tasks:
            self.tasks[key].end = time()
        elif finish in {"released", "forgotten", "rescheduled"}:
            self.tasks.pop(key, None)

    def timed(self, name: Any, seconds: float) -> None:
        """What Dask timed of the event loop: (activity, label, unit)."""
        if isinstance(name, tuple) and name[:2] in SENT and name[-1] == "seconds":
            self.sent += seconds

    def begun(self, key: Hashable) -> TaskTimes:
        """A task has a slot."""
        times = self.tasks.setdefault(key, TaskTimes())
        times.begin = time()
        return times

    def returned(self, times: TaskTimes) -> None:
        """Its function has ended, and its result is not stored."""
        times.returned = time()
        times.spilled = -int(self._stored(SPILL[1:], "bytes"))

    def spent(self) -> tuple[float, float]:
        """Seconds of the event loop until now, as TaskTimes has them."""
        return self._stored(SPILL, "seconds"), self._stored(CODEC, "seconds") + self.sent

    def _arrived(self, task: Any) -> TaskTimes:
        found = TaskTimes(waiting=time(), loop={"waiting": self.spent()})
        own = get_address_host(self.worker.address)
        for each in task.waiting_for_data:
            hosts = {get_address_host(address) for address in each.who_has}
            if own in hosts:
                found.local += each.get_nbytes()
            else:
                found.remote += each.get_nbytes()
        return found

    def _ended(self, key: Hashable) -> None:
        times = self.tasks.pop(key, None)
        if times is None or times.returned is None:
            return
        times.end = times.end or time()
        times.loop["end"] = self.spent()
        times.spilled += int(self._stored(SPILL[1:], "bytes"))
        self.worker.state.tasks[key].metadata[KEY] = times.row()

    def _stored(self, labels: tuple[str, ...], unit: str) -> float:
        """What the store of results did until now."""
        found: Mapping[Any, float] = getattr(self.worker.data, "cumulative_metrics", {})
        return sum(found.get((label, unit), 0.0) for label in labels)


def entered(times: TaskTimes) -> Any:
    """What happens from here on in this context is this task's; gives a token for `left`."""
    return _current.set(times)


def left(token: Any) -> None:
    """The reverse of `entered`."""
    _current.reset(token)
