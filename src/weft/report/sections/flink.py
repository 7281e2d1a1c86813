"""Flink's vertices: how long their subtasks worked, waited for input, and waited for downstream vertices."""

from collections.abc import Mapping
from typing import Any

from weft.analysis.summary.summary import Summary
from weft.analysis.summary.vertices import STATES
from weft.report.draw.blocks import Block, Number, Section, Table
from weft.text.numbers import amount, percent, seconds, size


def flink_vertices(summary: Summary) -> Section:
    """A table of all vertices, in the order of the job."""
    if not summary.flink:
        ran = "flink" in summary.engines
        unseen = {"Flink's vertices": "Flink left no job metrics"} if ran else {}
        return Section("flink", "Flink's vertices", unseen=unseen)
    titles = ("tasks", "task time", *STATES, "in", "records in", "out", "records out")
    columns = ["job", "vertex", *map(Number, titles)]
    note = (
        "Busy, idle (waiting for input) and backpressured (waiting for downstream vertices) are shares of the subtasks'"
        " time by Flink's own clocks, which count reading a file as busy. Bytes and records are those that"
        " were exchanged between vertices: weft's own programs move chunks of some hundred rows as one record."
    )
    blocks: list[Block] = [Table(columns, [_row(row) for row in summary.flink], note)]
    return Section("flink", "Flink's vertices", blocks)


def _row(row: Mapping[str, Any]) -> tuple[str, ...]:
    whole = sum(row[state] for state in STATES)
    return (
        row["job"],
        row["name"],
        amount(row["tasks"]),
        seconds(whole),
        *(percent(row[state] / whole if whole else None) for state in STATES),
        size(row["read-bytes"]),
        amount(row["read-records"]),
        size(row["write-bytes"]),
        amount(row["write-records"]),
    )
