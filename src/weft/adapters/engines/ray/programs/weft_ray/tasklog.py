"""A line for each task that has ended, and for each node and job: written by the head node, from what Ray's control service keeps of them.

The file is the log of the engine's jobs: facts/engines/ray/log.py of weft reads it, and says what its keys mean. The control service is
asked when a job has ended, and at the end: it keeps a number of tasks (MOST), and forgets those that ended first.
"""

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile
from operator import itemgetter
from pathlib import Path
from time import sleep, time
from typing import Any

import ray
from ray._raylet import GcsClientOptions, GlobalStateAccessor
from ray.core.generated.common_pb2 import TaskStatus, TaskType
from ray.core.generated.gcs_pb2 import GcsNodeInfo, TaskEvents
from weft_tasks.events import EventFile

from weft_ray.worker import EVENT, MOVES

MOST = 100_000
"""Tasks that the control service keeps, by its own default."""
_SETTLED = 2.0
"""Seconds after which the events of an ended job have arrived: processes send theirs more often."""
_PATIENCE = 10
"""Seconds in which the control service must answer."""
_MOST_TEXT = 300
"""Characters of an error's text."""
_TASK = 48
"""Of an object's name, the first characters are that of the task that made it."""
_SECOND = 1e9


@dataclass(frozen=True)
class Move:
    """Objects that were spilled or restored."""

    kind: str
    node: str
    begin: float
    end: float
    objects: Sequence[str]


@dataclass
class RanTask:
    """One attempt at a task, from Ray's events of it; times are seconds since the epoch."""

    id: str
    job: int
    name: str
    attempt: int
    node: str
    actor: bool
    begin: float
    end: float
    known: float | None
    failure: str
    stored: tuple[float, float]
    """When its results were put into the object store."""
    own: Mapping[str, Any] = field(default_factory=dict)
    """What its worker reported of it."""

    @classmethod
    def of(cls, event: Any) -> "RanTask | None":
        """None for a driver, and for what had no slot or has it still."""
        state = event.state_updates
        at = {key: value / _SECOND for key, value in state.state_ts_ns.items()}
        profile = {each.event_name: each for each in event.profile_events.events}
        spans = {name: (each.start_time / _SECOND, each.end_time / _SECOND) for name, each in profile.items()}
        whole = next((span for name, span in spans.items() if name.startswith("task::")), None)
        ended = at.get(TaskStatus.FINISHED) or at.get(TaskStatus.FAILED)
        begin, end = whole or (at.get(TaskStatus.RUNNING), ended)
        if event.task_info.type == TaskType.DRIVER_TASK or not begin or not end or end < begin:
            return None
        error = state.error_info.error_message.strip().splitlines()
        failed = TaskStatus.FAILED in at
        return cls(
            id=event.task_id.hex(),
            job=int.from_bytes(event.job_id, "little"),
            name=event.task_info.name,
            attempt=event.attempt_number,
            node=state.node_id.hex(),
            actor=event.task_info.type != TaskType.NORMAL_TASK,
            begin=begin,
            end=end,
            known=at.get(TaskStatus.PENDING_NODE_ASSIGNMENT),
            failure=((error or [""])[-1] or "it failed")[:_MOST_TEXT] if failed else "",
            stored=spans.get("task:store_outputs", (end, end)),
            own=json.loads(profile[EVENT].extra_data) if EVENT in profile else {},
        )


class TaskWriter:
    """Of one cluster."""

    def __init__(self, node: Any, path: Path) -> None:
        self.gcs = node.get_gcs_client()
        self.file = EventFile(path)
        self.file.line("application", name="ray", version=ray.__version__)
        own = {"allow_cluster_id_nil": False, "fetch_cluster_id_if_nil": False}
        options = GcsClientOptions.create(node.gcs_address, node.cluster_id.hex(), **own)
        self.state = GlobalStateAccessor(options)
        if not self.state.connect():
            raise ConnectionError(f"the control service at {node.gcs_address} does not answer")
        self.nodes: dict[str, bool] = {}
        """By name: whether it is there."""
        self.head = ""
        """The node of a job's program."""
        self.jobs: set[int] = set()
        """Those whose tasks are in the file."""
        self.moves: list[Move] = []

    def poll(self) -> None:
        """Write what has ended."""
        self._nodes()
        before = (time() - _SETTLED) * 1e3
        if ended := [job for job, row in self._jobs().items() if row.is_dead and row.end_time < before]:
            self._write(ended)

    def close(self) -> None:
        """Write the rest, of jobs that have not ended too."""
        sleep(_SETTLED / 4)
        self._nodes()
        self._write(list(self._jobs()))
        self.file.line("end")
        self.file.close()

    def _jobs(self) -> dict[int, Any]:
        """Those whose tasks are not in the file."""
        rows = self.gcs.get_all_job_info(timeout=_PATIENCE).values()
        found = {int.from_bytes(row.job_id, "little"): row for row in rows}
        return {job: row for job, row in found.items() if job not in self.jobs}

    def _nodes(self) -> None:
        for row in self.gcs.get_all_node_info(timeout=_PATIENCE).values():
            name, alive = row.node_id.hex(), row.state == GcsNodeInfo.ALIVE
            if name not in self.nodes:
                cpus = int(row.resources_total.get("CPU", 0))
                self.file.line("worker", worker=name, host=row.node_manager_address, threads=cpus)
            if self.nodes.get(name, True) and not alive:
                self.file.line("removed", worker=name)
            self.nodes[name] = alive
            self.head = name if row.is_head_node else self.head

    def _write(self, jobs: Sequence[int]) -> None:
        rows = self._jobs()
        events = self.state.get_task_events()
        self._moved()
        if len(events) >= MOST:
            self.file.line("lost", tasks=1, why=f"Ray's control service keeps the last {MOST:,} tasks")
        tasks = [task for task in map(RanTask.of, map(TaskEvents.FromString, events)) if task]
        for job in jobs:
            self.file.line("graph", t=rows[job].start_time / 1e3, graph=job)
            for line in lines([task for task in tasks if task.job == job], self.moves, self.head):
                self.file.line(**line)
            self.jobs.add(job)
        self.file.flush()

    def _moved(self) -> None:
        for key in self.gcs.internal_kv_keys(b"", MOVES):
            if value := self.gcs.internal_kv_get(key, MOVES):
                self.moves.append(Move(**json.loads(value)))
                self.gcs.internal_kv_del(key, False, MOVES)


def lines(tasks: Sequence[RanTask], moves: Sequence[Move], head: str) -> Iterator[dict[str, Any]]:
    """Of the tasks of one job: its stages' parents, and its tasks in the order of their ends."""
    made = {task.id: task for task in tasks if not task.failure}
    there: set[tuple[str, str]] = set()
    """Objects that a node got from another."""
    remote: dict[tuple[str, int], int] = {}
    parents: dict[tuple[str, str], None] = {}
    for task in sorted(tasks, key=lambda each: each.begin):
        for name, size in task.own.get("inputs", {}).items():
            producer = made.get(name[:_TASK])
            if producer and producer.name != task.name:
                parents[task.name, producer.name] = None
            if (producer.node if producer else head) != task.node and (name, task.node) not in there:
                there.add((name, task.node))
                remote[task.id, task.attempt] = remote.get((task.id, task.attempt), 0) + size
    for stage, parent in parents:
        (job,) = {task.job for task in tasks}
        yield {"event": "parent", "graph": job, "stage": stage, "of_graph": job, "of_stage": parent}
    numbers: dict[str, dict[str, int]] = {}
    moved = _Moves(moves)
    for task in sorted(tasks, key=lambda each: each.end):
        known = numbers.setdefault(task.name, {})
        index = known.setdefault(task.id, len(known))
        yield _line(task, index, remote.get((task.id, task.attempt), 0), moved)


class _Moves:
    """The same by what a task asks for: there may be thousands of them, and many more tasks."""

    def __init__(self, moves: Sequence[Move]) -> None:
        self.restored: dict[str, list[list[float]]] = defaultdict(list)
        """By object."""
        self.spilled: dict[str, list[list[float]]] = defaultdict(list)
        """By node, in the order of their ends: one process does them one after the other."""
        for move in sorted(moves, key=lambda each: each.end):
            span = [move.begin, move.end]
            if move.kind == "spill":
                self.spilled[move.node].append(span)
            else:
                for name in move.objects:
                    self.restored[name].append(span)

    def restores(self, objects: Iterable[str], before: float) -> list[list[float]]:
        """Of these objects, what began before."""
        return [span for name in objects for span in self.restored.get(name, ()) if span[0] < before]

    def spills(self, node: str, begin: float, end: float) -> list[list[float]]:
        """Of a node, what was going on meanwhile."""
        spans = self.spilled.get(node, [])
        later = islice(spans, bisect_right(spans, begin, key=itemgetter(1)), None)
        return list(takewhile(lambda span: span[0] < end, later))


def _line(task: RanTask, index: int, remote: int, moves: _Moves) -> dict[str, Any]:
    own = dict(task.own)
    restored = moves.restores(own.pop("inputs", {}), task.begin)
    spilled = moves.spills(task.node, *task.stored)
    return {
        "event": "task",
        "graph": task.job,
        "stage": task.name,
        "index": index,
        "retry": task.attempt,
        "worker": task.node,
        "ok": not task.failure,
        "known": task.known,
        "begin": task.begin,
        "end": task.end,
        **own,
        "stored": task.stored,
        **({"remote": remote} if remote else {}),
        **({"restored": restored} if restored else {}),
        **({"spilled": spilled} if spilled else {}),
        **({"actor": True} if task.actor else {}),
        **({"failure": task.failure} if task.failure else {}),
    }
