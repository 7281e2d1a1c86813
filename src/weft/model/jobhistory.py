"""MapReduce's job history as job metrics: the map tasks of a job are one stage, its reduce tasks the next.

NodeManagers take the place of executors; the history lacks their slots, which come from the job's settings. A reduce
task waits for its input from its start until the last fetch, so that the start of its JVM is in fetch_wait_ms.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from weft.model import jobmetrics
from weft.model.jobmetrics import JobMetrics, table

_TASK_COUNTERS = {
    "shuffle_write_bytes": "MAP_OUTPUT_MATERIALIZED_BYTES",
    "remote_bytes": "REDUCE_SHUFFLE_BYTES",
    "remote_blocks": "SHUFFLED_MAPS",
    "gc_ms": "GC_TIME_MILLIS",
    "peak_memory_bytes": "PHYSICAL_MEMORY_BYTES",
}
"""Column by counter. Every fetch uses the network stack, even from the task's own node."""

_STATES = {"KILLED": "TaskKilled", "FAILED": "Failed"}


def found(directory: Path) -> bool:
    """Whether a record's engine folder contains a job history."""
    return next(directory.rglob("*.jhist"), None) is not None


def read(directory: Path) -> JobMetrics:
    """Parse every job history below a record's engine folder."""
    reader = _Reader()
    for number, path in enumerate(sorted(directory.rglob("*.jhist"))):
        reader.feed(number, path)
    return reader.metrics()


def counters(directory: Path) -> dict[str, dict[str, int]]:
    """Counters of all finished jobs, summed: by name, for `map`, `reduce` and `total`."""
    sums: dict[str, dict[str, int]] = {}
    for path in sorted(directory.rglob("*.jhist")):
        for kind, event in _events(path, []):
            if kind not in {"JOB_FINISHED", "JOB_FAILED", "JOB_KILLED"}:
                continue
            for key in ("map", "reduce", "total"):
                for name, value in _counters(event.get(f"{key}Counters")).items():
                    of = sums.setdefault(name, {"map": 0, "reduce": 0, "total": 0})
                    of[key] += value
    return sums


def _events(path: Path, gaps: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Kind and content of each complete event; the first lines contain the format and the schema."""
    bad = 0
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            if not line.startswith('{"type":"') or line.startswith('{"type":"record"'):
                continue
            try:
                event = json.loads(line)
                yield event["type"], _plain(next(iter(event["event"].values())))
            except (ValueError, KeyError, TypeError, AttributeError):
                bad += 1
    if bad:
        gaps.append(f"{bad} line(s) of the job history {path.name} are damaged and were skipped")


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
class _Reader:
    """Rows by table; the start and the end of an attempt are two events."""

    applications: list[dict[str, Any]] = field(default_factory=list)
    executors: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    jobs: list[dict[str, Any]] = field(default_factory=list)
    stages: list[dict[str, Any]] = field(default_factory=list)
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict)
    gaps: list[str] = field(default_factory=list)

    def feed(self, number: int, path: Path) -> None:
        """All events of one job."""
        job: dict[str, Any] = {"number": number, "slots": _slots(path), "app": path.name.split("-", 1)[0]}
        for kind, event in _events(path, self.gaps):
            try:
                self._take(kind, event, job)
            except (ValueError, KeyError, TypeError):
                self.gaps.append(f"an event {kind} of {path.name} has an unexpected form and was skipped")
        self._close(job)

    def _take(self, kind: str, event: dict[str, Any], job: dict[str, Any]) -> None:
        if kind == "JOB_SUBMITTED":
            job.update(name=event["jobName"], begin=_time(event["submitTime"]))
        elif kind == "JOB_INITED":
            job.update(MAP=event["totalMaps"], REDUCE=event["totalReduces"])
        elif kind in {"JOB_FINISHED", "JOB_FAILED", "JOB_KILLED"}:
            job.update(end=_time(event["finishTime"]), failure=_failure(kind, event))
        elif kind == "AM_STARTED":
            self._executor(event["nodeManagerHost"], job)
        elif kind.endswith("_ATTEMPT_STARTED"):
            self._executor(event["trackerName"], job)
            self._attempt(event, job).update(
                begin=_time(event["startTime"]),
                executor=event["trackerName"],
                host=event["trackerName"],
                locality=event.get("locality"),
                speculative=event.get("avataar") == "SPECULATIVE",
            )
        elif kind.endswith(("_ATTEMPT_FINISHED", "_ATTEMPT_FAILED", "_ATTEMPT_KILLED")):
            row = self._attempt(event, job)
            row.update(_ended(event, row.get("begin")))

    def _attempt(self, event: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
        name = event["attemptId"]
        index, tried = re.findall(r"\d+", name)[-2:]
        whole = dict.fromkeys(jobmetrics.TASKS)
        numbers = {
            key: 0
            for key in jobmetrics.TASKS
            if key.endswith(("_ms", "_ns", "_bytes", "_blocks", "_records"))
        }
        own = {
            "app": job["app"],
            "stage": 2 * job["number"] + (event["taskType"] == "REDUCE"),
            "attempt": 0,
            "task": len(self.tasks),
            "index": int(index),
            "try": int(tried),
            "speculative": False,
        }
        return self.tasks.setdefault(name, {**whole, **numbers, **own})

    def _executor(self, host: str, job: dict[str, Any]) -> None:
        self.executors.setdefault(
            (job["app"], host),
            {
                "app": job["app"],
                "executor": host,
                "host": host,
                "cores": job["slots"],
                "added": job.get("begin"),
            },
        )

    def _close(self, job: dict[str, Any]) -> None:
        app = job["app"]
        self.applications.append({key: job.get(key) for key in ("app", "name", "begin", "end")})
        self.jobs.append(
            {"job": job["number"], **{key: job.get(key) for key in ("app", "begin", "end", "failure")}}
        )
        for step, kind in enumerate(("MAP", "REDUCE")):
            stage = 2 * job["number"] + step
            mine = [row for row in self.tasks.values() if (row["app"], row["stage"]) == (app, stage)]
            if not mine:
                continue
            begins, ends = ([row[key] for row in mine if row[key] is not None] for key in ("begin", "end"))
            whole = len(ends) == len(mine)
            name = f"{kind.lower()} of {job.get('name') or app}"
            self.stages.append(
                {"app": app, "stage": stage, "attempt": 0, "name": name, "tasks": job.get(kind), "failure": "",
                 "begin": min(begins, default=None), "end": max(ends) if whole else None}
            )  # fmt: skip

    def metrics(self) -> JobMetrics:
        for row in self.executors.values():
            if row["added"] is None:
                row["added"] = next((a["begin"] for a in self.applications if a["app"] == row["app"]), None)
        ended = [row for row in self.tasks.values() if row["end"] is not None]

        return JobMetrics(
            table(self.applications, jobmetrics.APPLICATIONS),
            table(list(self.executors.values()), jobmetrics.EXECUTORS),
            table(self.jobs, jobmetrics.JOBS),
            table(self.stages, jobmetrics.STAGES),
            table(ended, jobmetrics.TASKS),
            self.gaps,
        )


def _ended(event: dict[str, Any], begin: float | None) -> dict[str, Any]:
    """The end of an attempt. Some have no start, for tasks that never ran."""
    found, end = _counters(event.get("counters")), _time(event["finishTime"])
    since = end if begin is None else begin
    status = event.get("taskStatus") or event.get("status") or ""
    reduce = event["taskType"] == "REDUCE"
    copied = _time(event["shuffleFinishTime"]) if event.get("shuffleFinishTime") else since
    outputs = "REDUCE_OUTPUT_RECORDS" if reduce else "MAP_OUTPUT_RECORDS"
    return {
        "begin": since,
        "end": end,
        "host": event.get("hostname"),
        "ok": status == "SUCCEEDED",
        "reason": "Success" if status == "SUCCEEDED" else _STATES.get(status, status),
        "failure": event.get("error") or "",
        "run_ms": round((end - since) * 1e3),
        "cpu_ns": found.get("CPU_MILLISECONDS", 0) * 1_000_000,
        "fetch_wait_ms": max(0, round((copied - since) * 1e3)) if reduce else 0,
        **{column: found.get(counter, 0) for column, counter in _TASK_COUNTERS.items()},
        "shuffle_write_records": 0 if reduce else found.get("MAP_OUTPUT_RECORDS", 0),
        "input_bytes": found.get("FileInputFormatCounter.BYTES_READ", 0),
        "input_records": found.get("MAP_INPUT_RECORDS", 0),
        "output_bytes": found.get("FileOutputFormatCounter.BYTES_WRITTEN", 0),
        "output_records": found.get(outputs, 0),
    }


def _failure(kind: str, event: Mapping[str, Any]) -> str:
    return "" if kind == "JOB_FINISHED" else str(event.get("diagnostics") or event.get("jobStatus") or kind)


def _slots(path: Path) -> int:
    """Task containers on a node, from the settings beside the history; 1 without them."""
    name = path.name.split("-", 1)[0]
    try:
        found = ElementTree.parse(path.with_name(f"{name}_conf.xml"))  # noqa: S314 - written by the run itself
        values = {each.findtext("name"): each.findtext("value") or "" for each in found.iter("property")}
        node = int(values["yarn.nodemanager.resource.memory-mb"])
        return max(1, node // int(values["mapreduce.map.memory.mb"]))
    except (OSError, ElementTree.ParseError, KeyError, ValueError):
        return 1


def _time(milliseconds: float) -> float:
    return milliseconds / 1000
