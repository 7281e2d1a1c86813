"""A line for each task that has ended, and for each worker and graph: written by the scheduler, which loads this module.

The file is the log of the engine's job: facts/engines/dask/log.py of weft reads it, and says what its keys mean.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import Any

import dask.config
import distributed
from distributed import SchedulerPlugin
from distributed.comm import get_address_host
from tornado.ioloop import PeriodicCallback
from weft_tasks.events import EventFile

from weft_dask.tasktimes import KEY

PATH = "weft.stream"
"""The key of Dask's configuration with the file's path; without it nothing is written."""
_FLUSH = 500
"""Milliseconds between two writes: the scheduler does nothing else meanwhile."""
_MOST = 300
"""Characters of an error's text."""


@dataclass
class OpenTask:
    """A task that has not ended."""

    graph: int
    stage: str
    index: int
    ready: float | None = None
    worker: str = ""
    tries: int = 0


class TaskStream(SchedulerPlugin):  # type: ignore[misc]
    """Follows all tasks of a scheduler."""

    name = "weft-task-stream"

    def __init__(self, scheduler: Any, path: Path) -> None:
        self.scheduler = scheduler
        self.file = EventFile(path)
        self.graph = 0
        self.single = False
        """Whether the last graph had one new task."""
        self.tasks: dict[Hashable, OpenTask] = {}
        self.counts: dict[tuple[int, str], int] = {}
        self.parents: set[tuple[int, str, int, str]] = set()
        self.workers: dict[str, Any] = {}
        """By address, those that are gone too."""

    async def start(self, *_: Any) -> None:
        """Called by Dask."""
        self.file.line("application", name="dask", version=distributed.__version__)
        self.flushing = PeriodicCallback(self.file.flush, _FLUSH)
        self.flushing.start()

    async def close(self) -> None:
        """Called by Dask: the rest is written."""
        self.flushing.stop()
        self.file.line("end")
        self.file.close()

    def add_worker(self, scheduler: Any, worker: str) -> None:
        """Called by Dask."""
        self.workers[worker] = found = scheduler.workers[worker]
        self.file.line(
            "worker",
            worker=worker,
            host=get_address_host(worker),
            name=str(found.name),
            threads=found.nthreads,
        )

    def remove_worker(self, *_: Any, worker: str, **__: Any) -> None:
        """Called by Dask."""
        self.file.line("removed", worker=worker)

    def update_graph(self, *_: Any, tasks: list[Hashable], **__: Any) -> None:
        """Called by Dask, before the tasks of a graph get their first state."""
        single = sum(key not in self.tasks for key in tasks) <= 1
        # a program that submits its tasks one by one has one graph of them, and not one for each
        if not (single and self.single):
            self.graph += 1
            self.file.line("graph", graph=self.graph)
        self.single = single

    def transition(self, key: Hashable, start: str, finish: str, *_: Any, **known: Any) -> None:
        """Called by Dask when the state of a task has changed."""
        if finish == "forgotten":
            self.tasks.pop(key, None)
            return
        if start == "released" and key not in self.tasks:
            self._follow(key)
        if (task := self.tasks.get(key)) is None:
            return
        if start == "processing" and finish in {"memory", "erred"}:
            self._ended(task, finish, known)
        elif start == "processing" and finish != "processing":
            self._lost(key, task)
        if finish in {"processing", "queued", "no-worker"}:
            task.ready = task.ready or time()
            if finish == "processing":
                task.worker = self.scheduler.tasks[key].processing_on.address
        else:
            task.ready = None

    def _follow(self, key: Hashable) -> None:
        found = self.scheduler.tasks[key]
        stage = found.prefix.name
        index = self.counts.get((self.graph, stage), 0)
        self.counts[self.graph, stage] = index + 1
        self.tasks[key] = OpenTask(self.graph, stage, index)
        for each in found.dependencies:
            if (before := self.tasks.get(each.key)) is None:
                continue
            pair = (before.graph, before.stage, self.graph, stage)
            if pair[:2] != pair[2:] and pair not in self.parents:
                self.parents.add(pair)
                of = {"of_graph": before.graph, "of_stage": before.stage}
                self.file.line("parent", graph=self.graph, stage=stage, **of)

    def _ended(self, task: OpenTask, finish: str, known: Mapping[str, Any]) -> None:
        times = (known.get("metadata") or {}).get(KEY, {})
        if not times:  # a task that failed has Dask's own times alone
            own = [each for each in known.get("startstops") or () if each["action"] == "compute"]
            times = {"begin": own[-1]["start"], "end": own[-1]["stop"]} if own else {}
        failure = "" if finish == "memory" else str(known.get("exception_text") or "it failed")[:_MOST]
        self._task(task, known.get("worker") or task.worker, finish == "memory", failure, times)

    def _lost(self, key: Hashable, task: OpenTask) -> None:
        """It will be computed again. Of a worker that is gone, the last heartbeat has which tasks had a slot."""
        worker = self.workers.get(task.worker)
        if worker is None or task.worker in self.scheduler.workers:
            return
        for each, seconds in worker.executing.items():
            if each.key == key:
                begin = worker.last_seen - seconds
                self._task(task, task.worker, False, "its worker was lost", {"begin": begin, "end": time()})

    def _task(
        self,
        task: OpenTask,
        worker: str,
        ok: bool,
        failure: str,
        times: Mapping[str, Any],
    ) -> None:
        own = {"graph": task.graph, "stage": task.stage, "index": task.index, "retry": task.tries}
        more = {"failure": failure} if failure else {}
        self.file.line("task", **own, worker=worker, ok=ok, known=task.ready, **times, **more)
        task.tries += 1


async def dask_setup(scheduler: Any) -> None:
    """Called by Dask in the scheduler's process."""
    path = dask.config.get(PATH, None)
    if path:
        scheduler.add_plugin(TaskStream(scheduler, Path(path)))
