"""The lines of Dask's tasks as job metrics: what has the same key prefix in one graph is a stage.

A slot is a thread of a worker process. A task holds one from when its function's inputs are asked for, where the slot waits for nothing
else, until its result is stored. Workers' times are their own; `known` is the scheduler's, and says when it could send the task.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from weft.facts import jobmetrics, loglines
from weft.facts.engines.dask import FILE
from weft.facts.joblog import JobLog
from weft.facts.jobmetrics import JobMetrics, fitting, table
from weft.facts.kept import KeptRows
from weft.facts.loglines import Damaged
from weft.text.entry import Entry, decode

_APP = "dask"
_MOST_THREADS = 4096
"""Of a worker in a log that is not damaged."""
_ZEROS = ("gc_ms", "deserialize_cpu_ns", "shuffle_write_bytes", "input_bytes", "output_bytes")
"""CPython's collector runs in a task's own thread and is in its CPU time; the others are not counted by Dask."""


def found(directory: Entry) -> bool:
    """Whether a record's engine folder contains one."""
    return bool(directory.files(FILE))


def read(directory: Entry) -> JobMetrics:
    """All lines of it."""
    reader = _TaskStream()
    for path in directory.files(FILE):
        reader.feed(path)
    return reader.metrics()


_MOMENTS = ("waiting", "ready", "submitted", "start", "stop", "returned")
_Slot = tuple[float, tuple[float, float]]
"""When its last task ended, and what the event loop had done until then, both in seconds."""


class _Whole:
    """Whole numbers whose sum is that of the fractions: many tasks of Dask take less than a millisecond."""

    def __init__(self) -> None:
        self.rest: dict[str, float] = defaultdict(float)

    def of(self, column: str, value: float) -> int:
        """The next one of a column."""
        exact = value + self.rest[column]
        whole = max(0, round(exact))
        self.rest[column] = exact - whole
        return whole


@dataclass
class _TaskStream:
    """Rows by table, in the order of the lines."""

    kept: KeptRows = field(default_factory=KeptRows)
    application: dict[str, Any] = field(default_factory=lambda: {"app": _APP})
    executors: list[dict[str, Any]] = field(default_factory=list)
    live: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By address: of its executors, the last one."""
    jobs: dict[int, dict[str, Any]] = field(default_factory=dict)
    stages: dict[tuple[int, str], dict[str, Any]] = field(default_factory=dict)
    free: dict[str, list[_Slot]] = field(default_factory=lambda: defaultdict(lambda: [(0.0, (0.0, 0.0))]))
    """By address."""
    whole: _Whole = field(default_factory=_Whole)
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
        own = {"app": _APP, "name": event["name"], "version": event["version"], "begin": event["t"]}
        self.application |= fitting(jobmetrics.APPLICATIONS, own)

    def _on_end(self, event: Mapping[str, Any]) -> None:
        self.application |= fitting(jobmetrics.APPLICATIONS, {"end": event["t"]})

    def _on_worker(self, event: Mapping[str, Any]) -> None:
        row = fitting(
            jobmetrics.EXECUTORS,
            {
                "app": _APP,
                "executor": event["worker"],
                "host": event["host"],
                "cores": event["threads"],
                "added": event["t"],
            },
        )
        if self.kept.room(row.values()):
            self.executors.append(row)
            self.live[row["executor"]] = row
            self.free[row["executor"]] = [(row["added"], (0.0, 0.0))] * min(
                max(1, row["cores"]), _MOST_THREADS
            )

    def _on_removed(self, event: Mapping[str, Any]) -> None:
        self.live[event["worker"]] |= fitting(
            jobmetrics.EXECUTORS, {"removed": event["t"], "reason": "it ended"}
        )

    def _on_graph(self, event: Mapping[str, Any]) -> None:
        row = fitting(jobmetrics.JOBS, {"app": _APP, "job": event["graph"], "begin": event["t"]})
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
        times = _Times(event, begin, end)
        self._row(worker, event, stage, times.columns(before), times.sizes())
        free[free.index(before)] = (end, max(before[1], times.loop("end")))

    def _stage(self, graph: int, name: str) -> dict[str, Any]:
        key = (graph, name)
        if key not in self.stages:
            own = {"app": _APP, "stage": len(self.stages), "attempt": 0, "name": name, "failure": ""}
            row = {**fitting(jobmetrics.STAGES, own), "parents": [], "graph": int(graph), "indexes": set()}
            if not self.kept.room(own.values()):
                raise ValueError("no room")
            self.stages[key] = row
        return self.stages[key]

    def metrics(self) -> JobMetrics:
        ended = dict.fromkeys(self.jobs, 0.0)
        for row in self.stages.values():
            row["tasks"] = len(row.pop("indexes")) or None
            graph = row.pop("graph")
            if row.get("end") and graph in ended:
                ended[graph] = max(ended[graph], row["end"])
                self.jobs[graph].setdefault("failure", "")
                if row["failure"]:
                    self.jobs[graph]["failure"] = row["failure"]
        jobs = [{**row, "end": ended[graph] or None} for graph, row in self.jobs.items()]
        return self.kept.metrics(
            self.gaps,
            applications=table([self.application], jobmetrics.APPLICATIONS),
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
        own = {
            "app": _APP,
            "stage": stage["stage"],
            "attempt": 0,
            "task": self.kept.tasks + len(self.kept.rows),
            "index": task["index"],
            "retry": task["retry"],
            "executor": worker,
            "host": worker.rpartition("//")[2].rpartition(":")[0],
            "speculative": False,
            "ok": task["ok"],
            "reason": "Success" if task["ok"] else "Failed",
            "failure": task.get("failure", ""),
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
        if not task["ok"]:
            self.jobs.get(stage["graph"], {})["failure"] = task.get("failure", "")


class _Times:
    """The moments of one task. Raises ValueError for those that no clock has."""

    def __init__(self, task: Mapping[str, Any], begin: float, end: float) -> None:
        self.task, self.begin, self.end = task, begin, end
        self.at = {key: float(task[key]) for key in _MOMENTS if key in task}
        self.cpu = float(task.get("cpu", 0.0))
        loops = [value for pair in task.get("loop", {}).values() for value in pair]
        if not all(0 <= float(value) < jobmetrics.LATEST for value in (*self.at.values(), self.cpu, *loops)):
            raise ValueError("a time is not plausible")

    def loop(self, moment: str) -> tuple[float, float]:
        """Seconds of the worker's event loop until then: with spilled results, with making objects and bytes."""
        spill, codec = self.task.get("loop", {}).get(moment, (0.0, 0.0))
        return float(spill), float(codec)

    def columns(self, slot: _Slot) -> dict[str, float]:
        """Seconds, in the columns of tasks; `slot`: what its slot was before."""
        begin, at = self.begin, self.at
        free, before = slot
        first, since = begin, self.loop("submitted")
        if max(free, at.get("waiting", begin)) < begin:
            # it waited from when it was there, and its slot for it from when that had nothing else to do
            first, since = max((at["waiting"], self.loop("waiting")), (free, before))
        ready = min(max(first, at.get("ready", begin)), begin)
        submitted = max(begin, at.get("submitted", begin))
        start, stop = max(submitted, at.get("start", submitted)), at.get("stop", self.end)
        late = min(max(at.get("returned", stop), stop), self.end) - stop
        spill, codec = _within(submitted - first, since, self.loop("submitted"))
        more = _within(self.end - stop, self.loop("stop"), self.loop("end"))
        # where the event loop was at work, neither others nor the way to the thread were waited for
        left = submitted - first - spill - codec
        fetch = min(ready - first, left)
        handed = min(begin - ready, left - fetch) + (start - submitted) + max(0.0, late - sum(more))
        return {
            "begin": first,
            "end": self.end,
            "run_ms": max(0.0, stop - start),
            "scheduler_ms": handed,
            "fetch_wait_ms": fetch,
            "spill_ms": spill + more[0],
            "codec_ms": codec + more[1],
            "cpu_ns": round(self.cpu * 1e9),
        }

    def sizes(self) -> dict[str, int]:
        """Bytes, in the columns of tasks."""
        columns = {"remote_bytes": "remote", "local_bytes": "local", "disk_spill_bytes": "spilled"}
        return {column: int(self.task.get(key, 0)) for column, key in columns.items()}


def _within(seconds: float, since: tuple[float, float], until: tuple[float, float]) -> tuple[float, float]:
    """What the event loop did between two of its readings, of so many seconds that a slot waited."""
    spill, codec = (max(0.0, later - earlier) for earlier, later in zip(since, until, strict=True))
    scale = min(1.0, seconds / (spill + codec)) if spill + codec else 0.0
    return spill * scale, codec * scale


LOG = JobLog(found, read, slots_are="threads of the worker processes")
