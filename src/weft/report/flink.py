"""Flink's vertices: how long their subtasks worked, waited for input, and waited for downstream vertices."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weft.model import flinkjobs
from weft.report.blocks import Block, Column, Section, Table
from weft.report.numbers import amount, percent, seconds, size
from weft.report.summary import Summary

_STATES = ("busy", "idle", "backpressured")


def vertices(directory: Path) -> list[dict[str, Any]]:
    """A row for each vertex of each job of a record; empty if Flink left no job metrics."""
    if not (directory / "engine" / flinkjobs.FILE).exists():
        return []
    jobs = flinkjobs.load(directory / "engine")["jobs"]
    return [{"job": job["name"], **_vertex(vertex)} for job in jobs for vertex in job["vertices"]]


def _vertex(vertex: Mapping[str, Any]) -> dict[str, Any]:
    measured = [task["metrics"] for task in vertex["subtasks"]]

    def total(key: str) -> float:
        return sum(float(metrics.get(key) or 0) for metrics in measured)

    times = {state: total(f"accumulated-{state}-time") / 1e3 for state in _STATES}
    counts = {key: total(key) for key in ("read-bytes", "read-records", "write-bytes", "write-records")}
    return {"name": vertex["name"], "tasks": vertex["parallelism"], **times, **counts}


def flink_vertices(summary: Summary) -> Section:
    """A table of all vertices, in the order of the job."""
    if not summary.flink:
        ran = "flink" in summary.engine
        unseen = {"Flink's vertices": "Flink left no job metrics"} if ran else {}
        return Section("flink", "Flink's vertices", unseen=unseen)
    titles = ("tasks", "task time", *_STATES, "in", "records in", "out", "records out")
    columns = [Column("job"), Column("vertex"), *(Column(title, number=True) for title in titles)]
    note = (
        "Busy, idle (waiting for input) and backpressured (waiting for downstream vertices) are shares of the subtasks'"
        " time by Flink's own clocks, which count reading a file as busy. Bytes and records are those that"
        " were exchanged between vertices: weft's own programs move chunks of some hundred rows as one record."
    )
    blocks: list[Block] = [Table(columns, [_row(row) for row in summary.flink], note)]
    return Section("flink", "Flink's vertices", blocks)


def _row(row: Mapping[str, Any]) -> tuple[str, ...]:
    whole = sum(row[state] for state in _STATES)
    return (
        row["job"],
        row["name"],
        amount(row["tasks"]),
        seconds(whole),
        *(percent(row[state] / whole if whole else None) for state in _STATES),
        size(row["read-bytes"]),
        amount(row["read-records"]),
        size(row["write-bytes"]),
        amount(row["write-records"]),
    )
