"""Flink's job metrics, from its REST interface, in the tables that all engines share."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from weft.facts import jobmetrics
from weft.facts.engines.flink import archive
from weft.facts.engines.flink.checkpoints import STOPS
from weft.facts.joblog import JobLog
from weft.facts.jobmetrics import JobMetrics, table
from weft.facts.kept import KeptRows
from weft.text.entry import Entry

FILE = "flink.json"
_ENDED = {"CANCELED": "TaskKilled"}
"""What other engines call it if an attempt is ended because another one failed."""


def found(directory: Entry) -> bool:
    """Whether a record's engine folder contains Flink's job metrics."""
    return (directory / FILE).exists()


def load(directory: Entry) -> dict[str, Any]:
    """The job metrics in a record's engine folder. Raises OSError or ValueError."""
    found: dict[str, Any] = (directory / FILE).json()
    return found


def read(directory: Entry) -> JobMetrics:
    """A vertex is a stage, a subtask a task; what Flink does not report (CPU, spills) is null."""
    found, kept = load(directory), KeptRows()
    jobs = list(enumerate(found["jobs"]))
    for _, job in jobs:
        for row in chain(_tasks(job), _failures(job)):
            kept.task(row)
    tables: Mapping[str, tuple[Iterable[dict[str, Any]], Mapping[str, Any]]] = {
        "applications": ((_application(job, found) for _, job in jobs), jobmetrics.APPLICATIONS),
        "executors": ((row for _, job in jobs for row in _executors(job, found)), jobmetrics.EXECUTORS),
        "jobs": ((_job(number, job) for number, job in jobs), jobmetrics.JOBS),
        "stages": ((row for _, job in jobs for row in _stages(job)), jobmetrics.STAGES),
    }
    read = {name: table(kept.only(rows), schema) for name, (rows, schema) in tables.items()}
    return kept.metrics([text for _, job in jobs for text in _begun_again(job)], **read)


def _application(job: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    version = found["overview"]["flink-version"]
    times = {"begin": _time(job["start-time"]), "end": _time(job["end-time"])}
    kind = job.get("job-type")
    stream: dict[str, bool | None] = {"stream": kind == archive.STREAMING} if kind else {}
    if kind == archive.STREAMING:
        stream["input_ended"] = _ended(job)
    return {"app": job["jid"], "name": job["name"], "version": version, **times, **stream}


def _ended(job: Mapping[str, Any]) -> bool | None:
    """Whether a stream ended since its input did: one that somebody stops with a savepoint is FINISHED too.

    None where that is not known."""
    if job["state"] != "FINISHED":
        return False
    last = job.get("savepoint")
    return None if last is None else last != STOPS


def _executors(job: dict[str, Any], found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """TaskManagers that existed at the end; Flink does not report when one was added or removed."""
    for manager in found["taskmanagers"]:
        yield {
            "app": job["jid"],
            "executor": manager["id"],
            "host": _host(manager["path"].rpartition("@")[2]),
            "cores": manager["slotsNumber"],
            "added": _time(job["start-time"]),
        }


def _job(number: int, job: dict[str, Any]) -> dict[str, Any]:
    times = {"begin": _time(job["start-time"]), "end": _time(job["end-time"])}
    return {"app": job["jid"], "job": number, **times, "failure": _failure(job)}


def _failure(job: dict[str, Any]) -> str:
    """Of a job that somebody cancelled, exceptions are of earlier failures."""
    state = str(job["state"])
    if state == "FINISHED" or _stopped(job):
        return ""
    return state if state == "CANCELED" else _root(job) or state


def _begun_again(job: dict[str, Any]) -> Iterator[str]:
    """What was the failure of no task, and did not end the job."""
    for entry in job["exceptions"]["exceptionHistory"]["entries"] if job["state"] == "FINISHED" else ():
        if not entry.get("taskName"):
            why = str(entry["stacktrace"]).partition("\n")[0]
            yield f"the job {job['name']} was begun again after a failure that was of no task: {why}"


def _stopped(job: dict[str, Any]) -> bool:
    """Whether it is a stream that somebody cancelled: most have no other end."""
    return bool(job["state"] == "CANCELED" and job.get("job-type") == archive.STREAMING)


def _root(job: dict[str, Any]) -> str:
    """The innermost cause of a failed job."""
    history = job["exceptions"]["exceptionHistory"]["entries"]
    text = history[0]["stacktrace"] if history else ""
    causes = [
        line.removeprefix("Caused by: ") for line in text.splitlines() if line.startswith("Caused by: ")
    ]
    return causes[-1] if causes else text.partition("\n")[0]


def count(vertex: Mapping[str, Any]) -> int | None:
    """Tasks of a vertex; of one that never began in a batch job, Flink may not have decided how many."""
    number: int = vertex["parallelism"]
    return number if number > 0 else None


def _stages(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for number, vertex in enumerate(job["vertices"]):
        attempts = [*vertex["subtasks"], *vertex.get("earlier", ())]
        ended = [task["end-time"] for task in vertex["subtasks"] if task["end-time"] > 0]
        begun = [task["start-time"] for task in attempts if task["start-time"] > 0]
        yield {
            "app": job["jid"],
            "stage": number,
            "attempt": 0,
            "name": vertex["name"],
            "tasks": count(vertex),
            "begin": _time(min(begun, default=-1)),
            "end": _time(max(ended, default=-1)),
            "failure": "failed" if any(task["status"] == "FAILED" for task in vertex["subtasks"]) else "",
        }


def _tasks(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    ends = [max((task["end-time"] for task in vertex["subtasks"]), default=0) for vertex in job["vertices"]]
    done = {"FINISHED", *(["CANCELED"] if _stopped(job) else [])}
    for number, vertex in enumerate(job["vertices"]):
        source = not any(
            "read-bytes" in task["metrics"] and task["metrics"]["read-bytes"] for task in vertex["subtasks"]
        )
        for task in vertex["subtasks"]:
            if task["start-time"] <= 0 or task["end-time"] <= 0:
                continue
            metrics = task["metrics"]
            yield {
                **_task(job, number, task["subtask"]),
                "executor": task["taskmanager-id"],
                "host": _host(task["endpoint"]),
                "begin": _time(task["start-time"]),
                "end": _time(task["end-time"]),
                "ok": task["status"] in done,
                # the exceptions show the one that did not finish
                "reason": "Success" if task["status"] in done else "",
                "failure": "",
                "run_ms": task["duration"],
                "scheduler_ms": _deploying(task),
                **(
                    {}
                    if source
                    else _waiting(task, ends[:number], stream=job.get("job-type") == archive.STREAMING)
                ),
                # of both: which came from another node, Flink does not say
                "local_bytes": 0 if source else metrics["read-bytes"],
                "remote_bytes": None,
                "shuffle_write_bytes": metrics["write-bytes"],
            }


def _waiting(task: dict[str, Any], ended: list[int], *, stream: bool) -> dict[str, int]:
    """Milliseconds without input although all vertices before had ended, so that it was on its way; or while those of a stream ran that make it.

    Nothing where it may be either."""
    idle = task["metrics"].get("accumulated-idle-time")
    whole = all(0 < end <= task["start-time"] for end in ended)
    if idle is None or not (whole or stream):
        return {}
    return {"fetch_wait_ms" if whole else "input_wait_ms": int(idle)}


def _deploying(task: dict[str, Any]) -> int | None:
    """Milliseconds on its way to the TaskManager, which are part of its duration; Flink reports them since 1.15."""
    spent = (task.get("status-duration") or {}).get("DEPLOYING")
    return int(spent) if isinstance(spent, (int, float)) and spent > 0 else None


def _failures(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Attempts that failed or that Flink ended with them, repeated or not: it keeps only the last ones."""
    numbers = defaultdict[str, list[int]](list)
    for number, vertex in enumerate(job["vertices"]):
        numbers[vertex["name"]].append(number)
    known = {
        (number, task["subtask"], task["attempt"]): task
        for number, vertex in enumerate(job["vertices"])
        for task in vertex.get("earlier", ())
    }
    for entry in job["exceptions"]["exceptionHistory"]["entries"]:
        if not (of := entry.get("taskName")):  # of the whole job, such as slots that did not come
            continue
        name, _, attempt = str(of).partition(" - execution #")
        vertex, _, share = name.rpartition(" (")
        index, retry = int(share.partition("/")[0] or 1) - 1, int(attempt) if attempt.isdigit() else -1
        # several sources may have the same name
        stages = [number for number in numbers[vertex] if (number, index, retry) in known] or numbers[vertex]
        if not stages:
            continue
        stage = stages[0]
        found = known.pop((stage, index, retry), None)
        at = _time(entry["timestamp"])
        yield {
            **_task(job, stage, index),
            "executor": entry.get("taskManagerId"),
            "host": _host(str(entry.get("endpoint") or "")),
            **({"begin": at, "end": at, "run_ms": 0} if found is None else _ran(found)),
            "ok": False,
            "reason": entry["exceptionName"].rpartition(".")[2],
            "failure": entry["stacktrace"],
        }
    for (stage, index, _), found in known.items():
        ended = {"ok": False, "reason": _ENDED.get(found["status"], found["status"]), "failure": ""}
        where = {"executor": found["taskmanager-id"], "host": _host(found["endpoint"])}
        yield {**_task(job, stage, index), **where, **_ran(found), **ended}


def _ran(task: Mapping[str, Any]) -> dict[str, Any]:
    """When an attempt ran; one that never began ended at once."""
    end = _time(task["end-time"])
    return {"begin": _time(task["start-time"]) or end, "end": end, "run_ms": max(0, task["duration"])}


def _task(job: dict[str, Any], stage: int, index: int) -> dict[str, Any]:
    ids = {"app": job["jid"], "stage": stage, "attempt": 0, "task": index, "index": index}
    return {**ids, "speculative": False}


def _host(endpoint: str) -> str:
    return endpoint.partition(":")[0]


def _time(milliseconds: int) -> float | None:
    return milliseconds / 1000 if milliseconds > 0 else None


def _adopt(plain: Path, source: Path) -> list[str]:
    # it may have the name of the record's own file
    found = plain.rename(plain.with_name(".archive"))
    gaps = archive.write(found, plain.with_name(FILE), source.name)
    found.unlink()
    return gaps


LOG = JobLog(
    found,
    read,
    name="job archives of Flink's History Server",
    begins=archive.begins,
    adopt=_adopt,
    slots_are="slots that the TaskManagers used",
)
