"""Data from the REST interface of a Flink cluster."""

from collections.abc import Mapping
from typing import Any

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


def _job(ask: Ask, job: str) -> dict[str, Any]:
    found = ask(f"/jobs/{job}")
    return {
        **{key: found[key] for key in ("jid", "name", "state", "start-time", "end-time")},
        "exceptions": ask(f"/jobs/{job}/exceptions"),
        "vertices": [
            {**vertex, **ask(f"/jobs/{job}/vertices/{vertex['id']}")} for vertex in found["vertices"]
        ],
    }
