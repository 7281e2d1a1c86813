"""Flink's vertices, from its job metrics in a record."""

import math
from collections.abc import Mapping
from typing import Any

from weft.facts.engines.flink import jobs as flinkjobs
from weft.text.entry import Entry

STATES = ("busy", "idle", "backpressured")


def vertices(engine: Entry) -> list[dict[str, Any]]:
    """A row for each vertex of each job of a record; empty if Flink left no job metrics."""
    if not flinkjobs.found(engine):
        return []
    jobs = flinkjobs.load(engine)["jobs"]
    return [{"job": job["name"], **_vertex(vertex)} for job in jobs for vertex in job["vertices"]]


def spent(measured: Mapping[str, Any], state: str) -> float:
    """Milliseconds of a subtask in a state; 0 for NaN, with which Flink says that it does not know it."""
    found = float(measured.get(f"accumulated-{state}-time") or 0)
    return found if math.isfinite(found) else 0.0


def _vertex(vertex: Mapping[str, Any]) -> dict[str, Any]:
    measured = [task["metrics"] for task in vertex["subtasks"]]

    def total(key: str) -> float:
        return sum(float(metrics.get(key) or 0) for metrics in measured)

    times = {state: sum(spent(metrics, state) for metrics in measured) / 1e3 for state in STATES}
    counts = {key: total(key) for key in ("read-bytes", "read-records", "write-bytes", "write-records")}
    return {"name": vertex["name"], "tasks": flinkjobs.count(vertex), **times, **counts}
