"""What a worker of PySpark did for each task: one line of JSON a task, from a thread that looks at the worker's stack.

It runs in the Python of the job, which has no weft, and needs nothing of PySpark but where its context of a task is set.
"""

import gc
import importlib
import os
import resource
import sys
import threading
import time
from typing import Any

from .looker import EXCHANGE, IMPORTS, INIT, USER, Looker, names
from .notes import SAMPLE, Notes, Stacks

INTERVAL = 0.05
"""Seconds between two looks at a worker's stack; where stacks are wanted, `SAMPLE`."""
REST = 1.0
"""Seconds between two times that stacks are written, at the ends of tasks."""


class Watch:
    """A worker's main thread: wall, processor and run-queue time by what it does. A task ends when PySpark drops its context."""

    def __init__(self, notes: Notes, stacks: "str | None", begin: float, started: "list[float]") -> None:
        """`stacks`: their directory; `begin`: of the worker, in seconds since the epoch; `started`: what it has done since, as `read` has it."""
        self.notes, self.begin = notes, begin
        self.stacks, self.written = Stacks(stacks) if stacks else None, 0.0
        self.main = threading.get_ident()
        clock = f"/proc/self/task/{threading.get_native_id()}/schedstat"
        self.clock = os.open(clock, os.O_RDONLY | os.O_CLOEXEC)
        self.lock = threading.RLock()  # a collection of garbage may begin while it is held
        self.busy = threading.Event()
        self.first, self.kind = True, IMPORTS
        self.sums = {IMPORTS: started}
        self.last = self.read()
        self.busy.set()
        threading.Thread(target=self.run, name="weft", daemon=True).start()

    def read(self) -> "tuple[float, ...]":
        """Seconds: wall, the main thread on a processor and waiting for one, all threads on processors."""
        ran, waited, _ = os.pread(self.clock, 64, 0).split()
        return time.monotonic(), int(ran) / 1e9, int(waited) / 1e9, time.process_time()

    def run(self) -> None:
        """The thread's work. It ends if the job has closed the thread's file."""
        try:
            self.go()
        except Exception as error:  # noqa: BLE001 - whatever fails here, the job runs
            unseen(error)

    def go(self) -> None:
        """Look again and again; not while the worker waits for its next task."""
        looker = Looker()
        while True:
            self.busy.wait()
            time.sleep(SAMPLE if self.stacks else INTERVAL)
            frame = sys._current_frames().get(self.main)
            kind, stack = looker.activity(frame), names(frame) if self.stacks else ()
            # the job's objects live no longer for it
            del frame
            with self.lock:
                if self.busy.is_set():
                    before = self.last
                    self.add(kind)
                    if self.stacks:
                        self.stacks.add((kind, *stack), self.last[1] - before[1])

    def add(self, kind: str) -> None:
        """What passed since the last reading is of this kind."""
        now = self.read()
        sums = self.sums.setdefault(kind, [0.0] * len(now))
        for place, (after, before) in enumerate(zip(now, self.last)):
            sums[place] += after - before
        self.last, self.kind = now, kind

    def known(self) -> None:
        """PySpark has read which task it is. What it waited for that is nobody's."""
        with self.lock:
            self.add(INIT)
            self.busy.set()
        if self.left in gc.callbacks:
            gc.callbacks.remove(self.left)

    def finish(self, task: Any) -> None:
        """The rows of a task are done."""
        with self.lock:
            self.busy.clear()
            # of a task of a few rows, between two looks, most is exchange
            self.add(self.kind if self.kind in (USER, EXCHANGE) else EXCHANGE)
            sums, self.sums = self.sums, {}
        gc.callbacks.append(self.left)
        self.notes.write(
            task=task.taskAttemptId(),
            daemon=os.getppid(),
            first=self.first,
            begin=round(self.begin, 3),
            end=round(time.time(), 3),
            seconds={kind: [round(each, 6) for each in parts] for kind, parts in sums.items()},
            peak=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            modules=len(sys.modules),
        )
        self.first = False
        if self.stacks and time.monotonic() - self.written > REST:
            with self.lock:
                self.stacks.write()
            self.written = time.monotonic()

    def left(self, phase: str, _: "dict[str, int]") -> None:
        """Between two tasks, PySpark collects garbage: that delays no task."""
        if phase == "stop":
            with self.lock:
                self.last = self.read()


def watch(lines: "str | None", stacks: "str | None", *, forks: bool) -> None:
    """Watch this worker, or if it `forks`, as PySpark's daemon does, the workers that it makes.

    `lines`, `stacks`: the directories of what is wanted. Raises OSError.
    """
    notes, begin = Notes(lines), started()
    if not forks:
        follow(Watch(notes, stacks, begin, [time.time() - begin, time.process_time(), 0.0, 0.0]))
        return
    daemon = os.getpid()
    begun: "list[bool]" = []

    def before() -> None:
        """The first worker is made as soon as the daemon is ready."""
        if not begun and os.getpid() == daemon:
            begun.append(True)
            notes.write(forks=True, begin=round(begin, 3), end=round(time.time(), 3))

    def child() -> None:
        """Not of what a worker forks itself."""
        if os.getppid() == daemon:
            try:
                follow(Watch(notes, stacks, time.time(), [0.0] * 4))
            except Exception as error:  # noqa: BLE001 - whatever fails here, the job runs
                unseen(error)

    os.register_at_fork(before=before, after_in_child=child)


def unseen(error: Exception) -> None:
    """Say in the executor's log what the record lacks."""
    print(f"weft: what this Python worker does is not seen: {error!r}", file=sys.stderr)


def follow(watch: Watch) -> None:
    """Have PySpark tell when it knows its task, and when it is done with it."""
    context = importlib.import_module("pyspark.taskcontext").TaskContext
    own = context._setTaskContext.__func__

    def reported(cls: Any, task: Any) -> None:
        before = cls._taskContext
        own(cls, task)
        try:
            if task is not None:
                watch.known()
            elif before is not None and watch.busy.is_set():
                watch.finish(before)
        except Exception as error:  # noqa: BLE001 - whatever fails here, the job runs
            unseen(error)

    context._setTaskContext = classmethod(reported)


def started() -> float:
    """When this process was started, in seconds since the epoch."""
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
        ticks = int(file.read().rpartition(")")[2].split()[19])
    return time.time() - (time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))
