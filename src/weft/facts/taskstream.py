"""A log with a line of JSON for each task, as weft has its engines of Python write it, as job metrics.

A slot is one of an executor's, and an executor is what runs so many tasks at once: a worker process, or a node. A task holds a slot from
when something is done for it alone and the slot has nothing else to do. What its line says of its times is the engine's.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from weft.facts import jobmetrics, loglines
from weft.facts.joblog import JobLog
from weft.facts.jobmetrics import JobMetrics, fitting, table
from weft.facts.kept import KeptRows
from weft.facts.loglines import Damaged
from weft.text.entry import Entry, decode

_WORKER_LOST = "its worker was lost"
"""What the program in Dask's scheduler says of a task that its worker ran when it was lost."""
_MOST_SLOTS = 4096
"""Of an executor in a log that is not damaged."""
_ZEROS = ("gc_ms", "deserialize_cpu_ns", "shuffle_write_bytes", "input_bytes", "output_bytes")
"""CPython's collector runs in a task's own thread and is in its CPU time; the others are counted by none of these engines."""

Slot = tuple[float, tuple[float, float]]
"""When its last task ended, and what another thread had done for it until then, both in seconds."""


class Times(Protocol):
    """What the engine's line says of one task's time."""

    def columns(self, slot: Slot) -> Mapping[str, float]:
        """Seconds, in the columns of tasks, with `begin` and `end`; `slot`: what its slot was before."""

    def sizes(self) -> Mapping[str, int]:
        """Bytes, in the columns of tasks."""

    def left(self, slot: Slot) -> Slot:
        """What its slot is afterwards."""


Read = Callable[[Mapping[str, Any], float, float], Times]
"""From the line of a task, with its begin and its end. Raises ValueError for times that no clock has."""


def log(engine: str, file: str, read: Read, slots_are: str) -> JobLog:
    """The log of an engine whose file is in a record's engine folder."""

    def every(directory: Entry) -> JobMetrics:
        reader = TaskLines(engine, read)
        for path in directory.files(file):
            reader.feed(path)
        return reader.metrics()

    return JobLog(lambda directory: bool(directory.files(file)), every, slots_are=slots_are)


class _Whole:
    """Whole numbers whose sum is that of the fractions: many tasks take less than a millisecond."""

    def __init__(self) -> None:
        self.rest: dict[str, float] = defaultdict(float)

    def of(self, column: str, value: float) -> int:
        """The next one of a column."""
        exact = value + self.rest[column]
        whole = max(0, round(exact))
        self.rest[column] = exact - whole
        return whole


@dataclass
class TaskLines:
    """Rows by table, in the order of the lines."""

    app: str
    read: Read
    kept: KeptRows = field(default_factory=KeptRows)
    application: dict[str, Any] = field(default_factory=dict)
    executors: list[dict[str, Any]] = field(default_factory=list)
    live: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By name: of its executors, the last one."""
    jobs: dict[int, dict[str, Any]] = field(default_factory=dict)
    stages: dict[tuple[int, str], dict[str, Any]] = field(default_factory=dict)
    free: dict[str, list[Slot]] = field(default_factory=lambda: defaultdict(lambda: [(0.0, (0.0, 0.0))]))
    """By name."""
    whole: _Whole = field(default_factory=_Whole)
    losers: set[str] = field(default_factory=set)
    """Workers with which a task was lost that they ran."""
    gaps: list[str] = field(default_factory=list)

    def feed(self, path: Entry) -> None:
        """All lines of a file."""
        bad = Damaged()
        for number, line in enumerate(loglines.read(path), 1):
            try:
                event = decode(line)
                getattr(self, f"_on_{event['event']}")(event)
            except loglines.DAMAGED:
                bad.at(number)
        self.gaps += bad.gap(f"the task stream {path.name}")

    def _on_application(self, event: Mapping[str, Any]) -> None:
        own = {"app": self.app, "name": event["name"], "version": event["version"], "begin": event["t"]}
        self.application |= fitting(jobmetrics.APPLICATIONS, own)

    def _on_end(self, event: Mapping[str, Any]) -> None:
        self.application |= fitting(jobmetrics.APPLICATIONS, {"end": event["t"]})

    def _on_lost(self, event: Mapping[str, Any]) -> None:
        self.gaps.append(f"{int(event['tasks']):,} task(s) at least were left out: {str(event['why'])[:200]}")

    def _on_worker(self, event: Mapping[str, Any]) -> None:
        row = fitting(
            jobmetrics.EXECUTORS,
            {
                "app": self.app,
                "executor": event["worker"],
                "host": event["host"],
                "cores": event["threads"],
                "added": event["t"],
            },
        )
        if self.kept.room(row.values()):
            self.executors.append(row)
            self.live[row["executor"]] = row
            self.free[row["executor"]] = [(row["added"], (0.0, 0.0))] * min(max(1, row["cores"]), _MOST_SLOTS)

    def _on_removed(self, event: Mapping[str, Any]) -> None:
        self.live[event["worker"]] |= fitting(
            jobmetrics.EXECUTORS, {"removed": event["t"], "reason": "it ended"}
        )

    def _on_graph(self, event: Mapping[str, Any]) -> None:
        row = fitting(jobmetrics.JOBS, {"app": self.app, "job": event["graph"], "begin": event["t"]})
        if self.kept.room(row.values()):
            self.jobs[row["job"]] = row

    def _on_parent(self, event: Mapping[str, Any]) -> None:
        row, parent = (
            self._stage(event["graph"], event["stage"]),
            self._stage(event["of_graph"], event["of_stage"]),
        )
        if self.kept.room([[parent["stage"]]], rows=0):
            row["parents"].append(parent["stage"])

    def _on_task(self, event: Mapping[str, Any]) -> None:
        if "begin" not in event or "end" not in event:
            raise ValueError("it never had a slot")
        begin, end = float(event["begin"]), float(event["end"])
        if not 0 < begin <= end < jobmetrics.LATEST:
            raise ValueError(f"it ended at {end} and began at {begin}")
        stage = self._stage(event["graph"], event["stage"])
        worker = str(event["worker"])
        free = self.free[worker]
        # lines are in the order of ends: its slot is the one that was the last to have something else to do
        before = max((slot for slot in free if slot[0] <= begin), default=min(free))
        times = self.read(event, begin, end)
        self._row(worker, event, stage, times.columns(before), times.sizes())
        free[free.index(before)] = times.left(before)

    def _stage(self, graph: int, name: str) -> dict[str, Any]:
        key = (graph, name)
        if key not in self.stages:
            own = {"app": self.app, "stage": len(self.stages), "attempt": 0, "name": name, "failure": ""}
            row = {**fitting(jobmetrics.STAGES, own), "parents": [], "graph": int(graph)}
            row |= {"indexes": set(), "lost": set()}
            if not self.kept.room(own.values()):
                raise ValueError("no room")
            self.stages[key] = row
        return self.stages[key]

    def metrics(self) -> JobMetrics:
        """The tables; nothing may be fed afterwards."""
        ended, failed = dict.fromkeys(self.jobs, 0.0), set[int]()
        for row in self.stages.values():
            row["tasks"] = len(row.pop("indexes")) or None
            graph = row.pop("graph")
            failed |= {graph} if row.pop("lost") else set()
            if row.get("end") and graph in ended:
                ended[graph] = max(ended[graph], row["end"])
        for graph, job in self.jobs.items():
            if ended[graph] and graph not in failed:  # whatever failed was done again
                job["failure"] = ""
        last = max((row.get("end") or 0.0 for row in self.stages.values()), default=0.0)
        for row in self.executors:
            # what ends after the last task ends with its cluster
            if last and row["executor"] not in self.losers and (row.get("removed") or 0.0) >= last:
                row |= {"removed": None, "reason": None}
        jobs = [{**row, "end": ended[graph] or None} for graph, row in self.jobs.items()]
        return self.kept.metrics(
            self.gaps,
            applications=table([{"app": self.app, **self.application}], jobmetrics.APPLICATIONS),
            executors=table(self.executors, jobmetrics.EXECUTORS),
            jobs=table(jobs, jobmetrics.JOBS),
            stages=table(self.stages.values(), jobmetrics.STAGES),
        )

    def _row(
        self,
        worker: str,
        task: Mapping[str, Any],
        stage: dict[str, Any],
        columns: Mapping[str, float],
        sizes: Mapping[str, int],
    ) -> None:
        failure = task.get("failure", "")
        lost = failure == _WORKER_LOST
        if lost:
            self.losers.add(worker)
        own = {
            "app": self.app,
            "stage": stage["stage"],
            "attempt": 0,
            "task": self.kept.tasks + len(self.kept.rows),
            "index": task["index"],
            "retry": task["retry"],
            "executor": worker,
            "host": self.live[worker]["host"] if worker in self.live else "",
            "speculative": False,
            "ok": task["ok"],
            "reason": "Success" if task["ok"] else jobmetrics.LOST_EXECUTOR if lost else "Failed",
            "failure": failure,
            "ready": task.get("known"),
        }
        whole = {
            key: self.whole.of(key, value * 1e3) if key.endswith("_ms") else value
            for key, value in columns.items()
        }
        self.kept.task({**dict.fromkeys(_ZEROS, 0), **own, **whole, **sizes})
        begin, end = columns["begin"], columns["end"]
        stage["begin"] = min(stage.get("begin") or begin, begin)
        stage["end"] = max(stage.get("end") or 0.0, end)
        stage["indexes"].add(task["index"])
        if task["ok"]:
            stage["lost"].discard(task["index"])
        else:
            stage["lost"].add(task["index"])
            self.jobs.get(stage["graph"], {})["failure"] = task.get("failure", "")
