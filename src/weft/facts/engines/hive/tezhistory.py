"""Tez's own history as job metrics: a graph is a job, a vertex a stage, the attempt at a task a task.

NodeManagers take the place of executors. A task that reads other tasks' output waits until it has heard of the last of it, and
then fetches. The CPU time is that of a task's whole process. Tez counts bytes that it reads of input together with those of its own files, so that
input_bytes is the length of the splits, whatever columns a query reads of them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from weft.facts import jobmetrics, loglines
from weft.facts.joblog import JobLog
from weft.facts.jobmetrics import JobMetrics, fitting, table
from weft.facts.kept import KeptRows
from weft.facts.loglines import Damaged
from weft.text.entry import Entry

_FILES = "history.txt.*"
_SEPARATOR = "\x01"
_COUNTERS = {
    "gc_ms": "GC_TIME_MILLIS",
    "remote_bytes": "SHUFFLE_BYTES",
    "remote_blocks": "NUM_SHUFFLED_INPUTS",
    "shuffle_write_bytes": "OUTPUT_BYTES_PHYSICAL",
    "disk_spill_bytes": "ADDITIONAL_SPILLS_BYTES_WRITTEN",
    "input_bytes": "INPUT_SPLIT_LENGTH_BYTES",
}
"""Column by counter."""
_ZERO = ("deserialize_cpu_ns", "local_bytes", "local_blocks")


def found(directory: Entry) -> bool:
    """Whether a record's engine folder contains a history of Tez."""
    return bool(directory.files(_FILES))


def read(directory: Entry) -> JobMetrics:
    """Parse every history in a record's engine folder."""
    reader = _TezHistory()
    for path in directory.files(_FILES):
        reader.feed(path)
    return reader.metrics()


@dataclass
class _TezHistory:
    """Rows by table and Tez's own identifiers."""

    applications: dict[str, dict[str, Any]] = field(default_factory=dict)
    executors: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    stages: dict[str, dict[str, Any]] = field(default_factory=dict)
    kept: KeptRows = field(default_factory=KeptRows)
    edges: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """By graph: names of the vertices that each edge joins."""
    hosts: dict[str, str] = field(default_factory=dict)
    """By attempt: where it runs."""
    slots: int = 1
    gaps: list[str] = field(default_factory=list)

    def feed(self, path: Entry) -> None:
        """All events of one ApplicationMaster."""
        bad = Damaged()
        for number, text in enumerate(loglines.read(path, _SEPARATOR), 1):
            if not text.strip():
                continue
            try:
                self._take(loglines.decode(text))
            except loglines.DAMAGED:
                bad.at(number)
        self.gaps += bad.gap(f"Tez's history {path.name}", "event")

    def _take(self, entity: Mapping[str, Any]) -> None:
        name, info = entity["entity"], entity.get("otherinfo", {})
        if entity["entitytype"] == "TEZ_APPLICATION":
            self.slots = fitting(jobmetrics.EXECUTORS, {"cores": _slots(info["config"])})["cores"]
        for event in entity.get("events", []):
            kind, at = event["eventtype"], fitting(jobmetrics.JOBS, {"end": event["ts"] / 1000})["end"]
            if kind == "DAG_SUBMITTED":
                self._submitted(name, entity["primaryfilters"]["dagName"], at, list(_edges(info["dagPlan"])))
            elif kind == "DAG_FINISHED":
                failure = (
                    "" if info["status"] == "SUCCEEDED" else _short(info["diagnostics"] or info["status"])
                )
                self.jobs[name].update(end=at, failure=failure)
                self.applications[_application(name)]["end"] = at
            elif kind == "DAG_INITIALIZED":
                self._vertices(name, info["vertexNameIdMapping"])
            elif kind == "VERTEX_CONFIGURE_DONE":
                count = {"tasks": event["eventinfo"]["numTasks"]}
                self.stages[name].update(fitting(jobmetrics.STAGES, count))
            elif kind == "VERTEX_FINISHED":
                failed = info["status"] not in {"SUCCEEDED", "KILLED"}
                self.stages[name].update(end=at, failure=_short(info["diagnostics"]) if failed else "")
            elif kind == "TASK_ATTEMPT_STARTED":
                self._started(name, _host(entity["relatedEntities"]))
            elif kind == "TASK_ATTEMPT_FINISHED" and info["startTime"] > 0:
                self._attempt(name, info)

    def _started(self, attempt: str, host: str) -> None:
        if attempt not in self.hosts and self.kept.room((attempt, host), rows=0):
            self.hosts[attempt] = host

    def _submitted(self, dag: str, name: str, at: float, edges: list[tuple[str, str]]) -> None:
        if not self.kept.room((name, *(vertex for edge in edges for vertex in edge))):
            return
        self.edges[dag] = edges
        app = _application(dag)
        self.applications.setdefault(
            app, {"app": app, "name": "Hive on Tez", "begin": at, "process_cpu": True}
        )
        self.jobs[dag] = {"app": app, "job": len(self.jobs), "begin": at, "name": name}

    def _vertices(self, dag: str, names: Mapping[str, str]) -> None:
        of = _short(self.jobs[dag]["name"])
        for name, vertex in sorted(names.items(), key=lambda pair: pair[1]):
            own = {"app": _application(dag), "dag": dag, "stage": len(self.stages), "attempt": 0}
            row = {**own, "vertex": name, "name": f"{name} of {of}", "failure": ""}
            if self.kept.room((vertex, *row.values())):
                self.stages[vertex] = row

    def _attempt(self, attempt: str, info: Mapping[str, Any]) -> None:
        *_, vertex, index, _ = attempt.split("_")
        stage = self.stages[f"{_dag(attempt).replace('dag', 'vertex')}_{vertex}"]
        app, host = stage["app"], self.hosts.get(attempt, "")
        if self.hosts.pop(attempt, None):
            self.kept.free((attempt, host))
        times = {"begin": info["startTime"] / 1000, "end": info["endTime"] / 1000}
        begin, end = fitting(jobmetrics.STAGES, times).values()
        added = self.applications[app]["begin"]
        own = {"app": app, "executor": host, "host": host, "cores": self.slots, "added": added}
        if (app, host) not in self.executors and self.kept.room(own.values()):
            self.executors[app, host] = own
        stage["begin"] = min(begin, stage.get("begin", begin))
        ok = info["status"] == "SUCCEEDED"
        counted, run = _counters(info.get("counters")), info["endTime"] - info["startTime"]
        fetched = min(run, counted.get("SHUFFLE_PHASE_TIME", 0))
        waited = min(fetched, counted.get("LAST_EVENT_RECEIVED", 0))
        self.kept.task(
            {
                **dict.fromkeys(_ZERO, 0),
                "app": app,
                "stage": stage["stage"],
                "attempt": 0,
                "task": self.kept.tasks + len(self.kept.rows),
                "index": int(index),
                "executor": host,
                "host": host,
                "speculative": False,
                "begin": begin,
                "end": end,
                "ok": ok,
                "reason": "Success" if ok else info.get("taskAttemptErrorEnum") or info["status"],
                "failure": "" if ok else info.get("diagnostics") or "",
                "run_ms": run,
                "cpu_ns": counted.get("CPU_MILLISECONDS", 0) * 1_000_000,
                "input_wait_ms": waited,
                "fetch_wait_ms": fetched - waited,
                **{column: counted.get(name, 0) for column, name in _COUNTERS.items()},
            }
        )

    def metrics(self) -> JobMetrics:
        by_name = {(row["dag"], row["vertex"]): row["stage"] for row in self.stages.values()}
        stages = []
        for row in self.stages.values():
            parents = [one for one, other in self.edges.get(row["dag"], []) if other == row["vertex"]]
            numbers = [by_name[row["dag"], name] for name in parents if (row["dag"], name) in by_name]
            stages.append({**row, "parents": sorted(numbers)})
        return self.kept.metrics(
            self.gaps,
            applications=table(self.applications.values(), jobmetrics.APPLICATIONS),
            executors=table(self.executors.values(), jobmetrics.EXECUTORS),
            jobs=table(self.jobs.values(), jobmetrics.JOBS),
            stages=table(stages, jobmetrics.STAGES),
        )


def _counters(counters: Any) -> dict[str, int]:
    """Values by name, of the task's own groups: another group for each edge repeats them."""
    found: dict[str, int] = {}
    for group in (counters or {}).get("counterGroups", []):
        if group["counterGroupName"].endswith((".TaskCounter", ".FileSystemCounter")):
            found |= {each["counterName"]: int(each["counterValue"]) for each in group["counters"]}
    return found


def _edges(plan: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for edge in plan.get("edges", []):
        begin, end = edge["inputVertexName"], edge["outputVertexName"]
        if not (isinstance(begin, str) and isinstance(end, str)):
            raise TypeError("a name of a vertex is no text")
        yield begin, end


def _host(related: Sequence[Mapping[str, str]]) -> str:
    nodes = [each["entity"] for each in related if each["entitytype"] == "nodeId"]
    return nodes[0].partition(":")[0] if nodes else ""


def _slots(settings: Mapping[str, str]) -> int:
    """Task containers on a node; 1 without the settings that say so."""
    try:
        node = int(settings["yarn.nodemanager.resource.memory-mb"])
        return max(1, node // int(settings["hive.tez.container.size"]))
    except loglines.DAMAGED:
        return 1


def _application(name: str) -> str:
    """Of a graph, a vertex or an attempt: application_1700000000000_0001."""
    _, cluster, number, *_ = name.split("_")
    return f"application_{cluster}_{number}"


def _dag(name: str) -> str:
    """Of a vertex or an attempt: dag_1700000000000_0001_1."""
    _, cluster, number, dag, *_ = name.split("_")
    return f"dag_{cluster}_{number}_{dag}"


def _short(text: str) -> str:
    """The beginning of a query or a message, in one line."""
    return re.sub(r"\s+", " ", text).strip()[:80]


LOG = JobLog(found, read)
