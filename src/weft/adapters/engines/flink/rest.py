"""Data from the REST interface of a Flink cluster."""

from collections.abc import Iterator, Mapping
from typing import Any

from weft.facts.engines.flink.checkpoints import savepoint
from weft.layout.plan import Ask


def missing(known: Any, names: list[str]) -> list[str]:
    """TaskManagers that have not registered with the JobManager."""
    found = {manager["id"] for manager in known["taskmanagers"]}
    return [name for name in names if name not in found]


def running(overview: Any) -> int:
    """Jobs that have not ended."""
    return int(overview["jobs-running"])


def metrics(ask: Ask) -> Mapping[str, Any]:
    """Every job with its vertices, their subtasks and failures, and the metrics of every TaskManager."""
    managers = [each["id"] for each in ask("/taskmanagers")["taskmanagers"]]
    jobs = [each["jid"] for each in ask("/jobs/overview")["jobs"]]
    for name in managers:  # a request makes the JobManager fetch the metrics that it returns later
        ask(f"/taskmanagers/{name}")
    return {
        "flink.json": {
            "overview": ask("/overview"),
            "jobs": [_job(ask, job) for job in jobs],
            "taskmanagers": [ask(f"/taskmanagers/{name}") for name in managers],
        }
    }


_ATTEMPTS = 1000
"""Earlier attempts that are asked for, of all subtasks of a job: Flink itself keeps 16 of each."""


def _job(ask: Ask, job: str) -> dict[str, Any]:
    found = ask(f"/jobs/{job}")
    vertices = [{**vertex, **ask(f"/jobs/{job}/vertices/{vertex['id']}")} for vertex in found["vertices"]]
    left = iter(range(_ATTEMPTS))
    return {
        **{key: found[key] for key in ("jid", "name", "state", "start-time", "end-time")},
        "job-type": found.get("job-type", ""),  # Flink 1 has none
        "savepoint": _savepoint(ask, job),
        "exceptions": ask(f"/jobs/{job}/exceptions"),
        "vertices": [
            {**vertex, "earlier": list(_earlier(ask, f"/jobs/{job}/vertices/{vertex['id']}", vertex, left))}
            for vertex in vertices
        ],
    }


def _savepoint(ask: Ask, job: str) -> str | None:
    """The type of the last savepoint, as `savepoint` has it."""
    try:
        return savepoint(ask(f"/jobs/{job}/checkpoints"))
    except LookupError:  # a batch job has no such page
        return None


def _earlier(ask: Ask, page: str, vertex: Mapping[str, Any], left: Iterator[int]) -> Iterator[Any]:
    """The attempts at a vertex's subtasks before the last one, as many as Flink still has."""
    for subtask in vertex["subtasks"]:
        for attempt, _ in zip(reversed(range(subtask["attempt"])), left, strict=False):
            try:
                yield ask(f"{page}/subtasks/{subtask['subtask']}/attempts/{attempt}")
            except LookupError:  # it keeps the last ones
                break
