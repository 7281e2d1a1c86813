"""Counters that are made of others: sums by node and moment."""

from typing import Any

import polars

from tests.unit.report_fakes import measure
from weft.analysis.read import derived
from weft.record.sampletable import SCHEMA

ROWS: list[tuple[Any, ...]] = [
    (1.0, "node1", "", "threads.task.cpu", 0.5, "engine"),
    (1.0, "node1", "X/7", "threads.task.cpu", 0.5, "engine"),
    (1.0, "node1", "", "fileops.input.open.count", 3.0, "engine"),
    (1.0, "node1", "", "fileops.scratch.stat.count", 4.0, "engine"),
    (1.0, "node1", "", "fileops.scratch.stat.count", 5.0, "validator"),
    (1.0, "node1", "", "fileops.scratch.read.count", 100.0, "engine"),
    (1.0, "node1", "", "fileops.scratch.stat.seconds", 100.0, "engine"),
    (2.0, "node1", "", "fileops.scratch.stat.count", 6.0, "engine"),
]


def test_metadata_operations_are_summed_and_threads_are_renamed() -> None:
    found = derived.of_nodes(
        polars.DataFrame(
            [measure(name).at(t, node, process, *value) for t, node, process, name, *value in ROWS],
            SCHEMA,
            orient="row",
        )
    )
    rows = {(row["t"], row["counter"]): row["value"] for row in found.iter_rows(named=True)}
    assert rows == {(1.0, "cpu_of_task"): 0.5, (1.0, "metadata"): 12.0, (2.0, "metadata"): 6.0}


def test_no_samples_derive_nothing() -> None:
    assert derived.of_nodes(polars.DataFrame(schema=SCHEMA)).is_empty()
