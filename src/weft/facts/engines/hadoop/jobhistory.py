"""MapReduce's job history as job metrics: the map tasks of a job are one stage, its reduce tasks the next.

NodeManagers take the place of executors; the history lacks their slots, which come from the job's settings. A reduce
task begins before all map tasks have ended, and then waits for them. The CPU time is that of a task's whole process.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from weft.facts import jobmetrics, loglines
from weft.facts.engines.hadoop import SLOTS, jobsettings
from weft.facts.joblog import JobLog
from weft.facts.jobmetrics import JobMetrics, fitting, table
from weft.facts.kept import KeptRows
from weft.facts.loglines import Damaged
from weft.text.entry import Entry, decode

_TASK_COUNTERS = {
    "shuffle_write_bytes": "MAP_OUTPUT_MATERIALIZED_BYTES",
    "remote_bytes": "REDUCE_SHUFFLE_BYTES",
    "remote_blocks": "SHUFFLED_MAPS",
    "gc_ms": "GC_TIME_MILLIS",
}
"""Column by counter. Every fetch uses the network stack, even from the task's own node."""

_OF_A_RECORD = 16
"""Bytes of its sort buffer that a map task needs for each record besides the record (MapTask.java: METASIZE)."""

_BEGINS = (b"Avro-Json\n", b"Avro-Binary\n")
_EVENT = re.compile(rb'^ ?\{"type":"(JOB|TASK|MAP|REDUCE|AM)_\w+","event":\{', re.MULTILINE)
_BY_TASK = "Task failed"
_MESSAGE = 1000
"""Characters that are kept of a task's error, for a job that it failed."""
_JOB_ENDED = frozenset({"JOB_FINISHED", "JOB_FAILED", "JOB_KILLED", "JOB_ERROR"})
_STATES = {"KILLED": "TaskKilled", "FAILED": "Failed"}


def found(directory: Entry) -> bool:
    """Whether a record's engine folder contains a job history."""
    return bool(directory.files("*.jhist"))


def read(directory: Entry) -> JobMetrics:
    """Parse every job history below a record's engine folder."""
    reader = _JobHistory()
    for number, path in enumerate(directory.files("*.jhist")):
        reader.feed(number, path)
    return reader.metrics()


def counters(directory: Entry) -> dict[str, dict[str, int]]:
    """Counters of all finished jobs, summed: by name, for `map`, `reduce` and `total`."""
    sums: dict[str, dict[str, int]] = {}
    kept = KeptRows()
    for path in directory.files("*.jhist"):
        for _, kind, event in _events(path, Damaged()):
            if kind not in _JOB_ENDED:
                continue
            for key in ("map", "reduce", "total"):
                for name, value in _counters(event.get(f"{key}Counters")).items():
                    if name in sums or kept.room((name,)):
                        of = sums.setdefault(name, {"map": 0, "reduce": 0, "total": 0})
                        of[key] += value
    return sums


def _events(path: Entry, bad: Damaged) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Line, kind and content of each complete event; the first lines contain the format and the schema."""
    for number, text in enumerate(loglines.read(path), 1):
        line = text.strip()  # Hadoop 0.23 has a space before each event but the first
        if not line.startswith('{"type":"') or line.startswith('{"type":"record"'):
            continue
        try:
            event = decode(line)
            found = event["type"], _plain(next(iter(event["event"].values())))
        except (*loglines.DAMAGED, StopIteration):
            bad.at(number)
        else:
            yield number, *found


def _plain(event: Mapping[str, Any]) -> dict[str, Any]:
    """Fields that may be null are wrapped in an object with their type."""
    return {
        key: next(iter(value.values()))
        if isinstance(value, dict) and len(value) == 1 and key != "acls"
        else value
        for key, value in event.items()
    }


def _counters(table: Any) -> dict[str, int]:
    """Values by name; those with the same name in two groups (bytes of input and output formats) include the group's name."""
    found: dict[str, int] = {}
    for group in (table or {}).get("groups", []):
        short = group["name"].rpartition(".")[2]
        for each in group["counts"]:
            own = short in {"FileInputFormatCounter", "FileOutputFormatCounter"}
            found[f"{short}.{each['name']}" if own else each["name"]] = each["value"]
    return found


@dataclass
class _JobHistory:
    """Rows by table; the start and the end of an attempt are two events."""

    applications: list[dict[str, Any]] = field(default_factory=list)
    executors: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    jobs: list[dict[str, Any]] = field(default_factory=list)
    stages: list[dict[str, Any]] = field(default_factory=list)
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict)
    kept: KeptRows = field(default_factory=KeptRows)
    gaps: list[str] = field(default_factory=list)

    def feed(self, number: int, path: Entry) -> None:
        """All events of one job."""
        job: dict[str, Any] = {"number": number, **_slots(path), "app": _job(path.name)}
        bad = Damaged()
        for line, kind, event in _events(path, bad):
            try:
                self._take(kind, event, job)
            except loglines.DAMAGED:
                bad.at(line)
        self.gaps += bad.gap(f"the job history {path.name}")
        self._close(job)

    def _take(self, kind: str, event: dict[str, Any], job: dict[str, Any]) -> None:
        if kind == "JOB_SUBMITTED":
            job.update(
                fitting(
                    jobmetrics.APPLICATIONS, {"name": event["jobName"], "begin": _time(event["submitTime"])}
                )
            )
        elif kind == "JOB_INITED":
            for step, key in (("MAP", "totalMaps"), ("REDUCE", "totalReduces")):
                job[step] = fitting(jobmetrics.STAGES, {"tasks": event[key]})["tasks"]
        elif kind in _JOB_ENDED:
            failure = _failure(kind, event, job.get("error", ""))
            ended = {"end": _time(event["finishTime"]), "failure": failure}
            job.update(fitting(jobmetrics.JOBS, ended))
        elif kind == "TASK_FAILED":
            job.setdefault("error", str(event.get("error") or "").lstrip(", ")[:_MESSAGE])
        elif kind == "AM_STARTED":
            self._executor(event["nodeManagerHost"], job)
        elif kind.endswith("_ATTEMPT_STARTED"):
            self._executor(event["trackerName"], job)
            begun = {
                "begin": _time(event["startTime"]),
                "executor": event["trackerName"],
                "host": event["trackerName"],
                "speculative": event.get("avataar") == "SPECULATIVE",
            }
            if (row := self._attempt(event, job)) is not None:
                row.update(fitting(jobmetrics.TASKS, begun))
        elif (
            kind.endswith(("_ATTEMPT_FINISHED", "_ATTEMPT_FAILED", "_ATTEMPT_KILLED"))
            and (row := self._attempt(event, job)) is not None
        ):
            row.update(fitting(jobmetrics.TASKS, _ended(event, row["begin"])))

    def _attempt(self, event: dict[str, Any], job: dict[str, Any]) -> dict[str, Any] | None:
        """Its row: another event may complete or correct it. None where there is no room."""
        name = event["attemptId"]
        index, retry = re.findall(r"\d+", name)[-2:]
        whole = dict.fromkeys(jobmetrics.TASKS)
        numbers = {key: 0 for key in jobmetrics.TASKS if key.endswith(("_ms", "_ns", "_bytes", "_blocks"))}
        own = {
            "app": job["app"],
            "stage": 2 * job["number"] + (event["taskType"] == "REDUCE"),
            "attempt": 0,
            "task": len(self.tasks),
            "index": int(index),
            "retry": int(retry),
            "speculative": False,
        }
        texts = (name, event.get("error"), event.get("hostname"), event.get("trackerName"))
        if not self.kept.room(texts, rows=name not in self.tasks):
            return None
        return self.tasks.setdefault(name, {**whole, **numbers, **fitting(jobmetrics.TASKS, own)})

    def _executor(self, host: str, job: dict[str, Any]) -> None:
        own = {
            "app": job["app"],
            "executor": host,
            "host": host,
            "cores": job["cores"],
            "slots": job["slots"],
            "added": job.get("begin"),
        }
        if (job["app"], host) not in self.executors and self.kept.room(own.values()):
            self.executors[job["app"], host] = fitting(jobmetrics.EXECUTORS, own)

    def _close(self, job: dict[str, Any]) -> None:
        app = job["app"]
        own = {key: job.get(key) for key in ("app", "name", "begin", "end")}
        self.applications.append({**own, "process_cpu": True})
        self.jobs.append(
            {"job": job["number"], **{key: job.get(key) for key in ("app", "begin", "end", "failure")}}
        )
        for step, kind in enumerate(("MAP", "REDUCE")):
            stage = 2 * job["number"] + step
            mine = [row for row in self.tasks.values() if (row["app"], row["stage"]) == (app, stage)]
            if not mine:
                continue
            if kind == "REDUCE":
                self._divide(app, stage, mine)
            begins, ends = ([row[key] for row in mine if row[key] is not None] for key in ("begin", "end"))
            whole = len(ends) == len(mine)
            name = f"{kind.lower()} of {job.get('name') or app}"
            self.stages.append(
                {"app": app, "stage": stage, "attempt": 0, "name": name, "tasks": job.get(kind), "failure": "",
                 "begin": min(begins, default=None), "end": max(ends) if whole else None}
            )  # fmt: skip

    def _divide(self, app: str, stage: int, reduces: Iterable[dict[str, Any]]) -> None:
        """The time until a reduce task's last fetch: until the last map task ended, and the rest."""
        last = max(
            (
                row["end"] or 0.0
                for row in self.tasks.values()
                if (row["app"], row["stage"]) == (app, stage - 1)
            ),
            default=0.0,
        )
        for row in reduces:
            if row["begin"] is not None and row["end"] is not None:
                waited = min(row["fetch_wait_ms"], max(0, round((last - row["begin"]) * 1e3)))
                row.update(input_wait_ms=waited, fetch_wait_ms=row["fetch_wait_ms"] - waited)

    def metrics(self) -> JobMetrics:
        for row in self.executors.values():
            if row["added"] is None:
                row["added"] = next((a["begin"] for a in self.applications if a["app"] == row["app"]), None)
        for row in self.tasks.values():
            if row["end"] is not None:
                self.kept.task(row)
        return self.kept.metrics(
            self.gaps,
            applications=table(self.applications, jobmetrics.APPLICATIONS),
            executors=table(self.executors.values(), jobmetrics.EXECUTORS),
            jobs=table(self.jobs, jobmetrics.JOBS),
            stages=table(self.stages, jobmetrics.STAGES),
        )


def _ended(event: dict[str, Any], begin: float | None) -> dict[str, Any]:
    """The end of an attempt. Some have no start, for tasks that never ran."""
    found, end = _counters(event.get("counters")), _time(event["finishTime"])
    since = end if begin is None else begin
    status = event.get("taskStatus") or event.get("status") or ""
    reduce = event["taskType"] == "REDUCE"
    copied = _time(event["shuffleFinishTime"]) if event.get("shuffleFinishTime") else since
    return {
        "begin": since,
        "end": end,
        "host": event.get("hostname"),
        "ok": status == "SUCCEEDED",
        "reason": "Success" if status == "SUCCEEDED" else _STATES.get(status, status),
        "failure": event.get("error") or "",
        "run_ms": round((end - since) * 1e3),
        "cpu_ns": found["CPU_MILLISECONDS"] * 1_000_000 if "CPU_MILLISECONDS" in found else None,
        # by the clock of its own host: the others are by that of the ApplicationMaster
        "fetch_wait_ms": max(0, round((min(copied, end) - since) * 1e3)) if reduce else 0,
        **{column: found.get(counter, 0) for column, counter in _TASK_COUNTERS.items()},
        "held_bytes": found.get("MAP_OUTPUT_BYTES", 0) + _OF_A_RECORD * found.get("MAP_OUTPUT_RECORDS", 0),
        "input_bytes": found.get("FileInputFormatCounter.BYTES_READ", 0),
        "output_bytes": found.get("FileOutputFormatCounter.BYTES_WRITTEN", 0),
    }


def _failure(kind: str, event: Mapping[str, Any], error: str) -> str:
    """With the error of its first task that failed where the job names no other reason: Hadoop 0.23 names none at all."""
    found = str(event.get("diagnostics") or "")
    words = (event.get("jobStatus") or kind, error or found if found.startswith(_BY_TASK) else found or error)
    return "" if kind == "JOB_FINISHED" else ": ".join(str(word) for word in words if word)


def _job(name: str) -> str:
    """The ID of a job, with which the names of its files begin; the time and the user follow only when it has ended."""
    return re.split("[-.]", name, maxsplit=1)[0]


def _slots(path: Entry) -> dict[str, int | None]:
    """Task containers on a node, from the settings beside the history; 1 without them. The cores are those that it was planned
    with: a job that asks for larger containers has fewer slots."""
    name = _job(path.name)
    try:
        found = ElementTree.fromstring(path.sibling(f"{name}_conf.xml").text())  # noqa: S314 - written by the run itself
        values = {each.findtext("name"): each.findtext("value") or "" for each in found.iter("property")}
        node = int(values["yarn.nodemanager.resource.memory-mb"])
        sizes = [int(values["mapreduce.map.memory.mb"]), int(values.get("mapreduce.reduce.memory.mb") or 0)]
        own = max(1, node // min((size for size in sizes if size > 0), default=node))
        planned = int(values.get(SLOTS) or own)
    except (OSError, ElementTree.ParseError, *loglines.DAMAGED):
        return {"cores": 1, "slots": None}
    return {"cores": planned, "slots": own if own < planned else None}


def _time(milliseconds: float) -> float:
    return milliseconds / 1000


def _adopt(plain: Path, source: Path) -> list[str]:
    """A job history has the ending of one, and has the job's settings beside it."""
    gaps: list[str] = []
    target = plain if plain.suffix == ".jhist" else plain.with_name(f"{plain.name}.jhist")
    plain.rename(target)
    jobsettings.copy(source.with_name(f"{_job(source.name)}_conf.xml"), target.parent, gaps)
    return [f"{source.name}: {gap}" for gap in gaps]


LOG = JobLog(
    found,
    read,
    name=".jhist files of MapReduce",
    begins=lambda data: data.startswith(_BEGINS) or _EVENT.search(data) is not None,
    adopt=_adopt,
    slots_unknown="a job history does not say how many containers the job could have: its slots are the most tasks at one time",
)
