"""Clocks of hosts that differ: their offsets are asked for, kept in the record, and taken off the hosts' readings."""

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars
import pytest

from tests.unit.report_fakes import measure
from tests.unit.test_model_attribution import EXECUTOR, WINDOW, job, task
from weft.analysis.explain.attribution import attribute
from weft.analysis.read import clocks
from weft.analysis.read.nodes import NodeInfo
from weft.facts.jobmetrics import TaskFiles
from weft.layout.node import Node
from weft.record import sampletable
from weft.run import clocks as asked

NODES = [NodeInfo(name=f"node{n}", address=f"10.0.0.{n}") for n in (1, 2)]


def noted(t: float, **offsets: tuple[float, float]) -> dict[str, Any]:
    return {"t": t, "event": "clocks", "offsets": offsets}


def readings(*times: float) -> polars.DataFrame:
    """A task of node2 that computes for 4 s from 3 s on, by a clock that is 3 s ahead."""
    values = [0.0, 4.0, 4.0]
    found = [
        measure("threads.task.cpu").at(t, "node2", EXECUTOR, value)
        for t, value in zip(times, values, strict=True)
    ] + [measure("threads.task.wait").at(t, "node2", EXECUTOR, 0.0) for t in times]
    return polars.DataFrame(found, sampletable.SCHEMA, orient="row")


def test_what_a_host_measured_is_of_the_tasks_that_ran_then() -> None:
    """Without the offset its CPU time would be that of the stage after."""
    metrics = job([task(0, 0, 4, node=2), task(1, 4, 8, node=2)])
    metrics.tasks = metrics.tasks.with_columns(polars.lit(None, polars.Int64).alias("cpu_ns"))
    seen, same = clocks.aligned([noted(0, node2=(3, 0.01))], readings(3, 7, 11), metrics, NODES)
    found = attribute(same, seen, WINDOW)
    assert found is not None
    assert {row.stage: row.parts.get("CPU", 0.0) for row in found.stages.values()} == pytest.approx(
        {"0": 4, "1": 0}
    )


def test_job_metrics_have_the_clock_of_the_head_node() -> None:
    metrics = job([task(0, 2, 4), task(1, 4, 8, ready=3.5)])
    seen, shifted = clocks.aligned([noted(0, node1=(2, 0.01))], readings(3, 7, 11), metrics, NODES)
    assert shifted.tasks["begin"].to_list() == [0, 2]
    assert shifted.tasks["ready"].to_list() == [None, 1.5]
    assert shifted.stages["end"].sort().to_list() == [2, 6]
    assert seen["t"].to_list() == readings(3, 7, 11)["t"].to_list(), "node2 has the clock of the record"


def test_tasks_that_are_in_files_have_that_clock_too() -> None:
    metrics = job([task(0, 2, 4), task(1, 4, 8, ready=3.5)])
    files = TaskFiles()
    files.add(metrics.tasks)
    kept = replace(metrics, tasks=metrics.tasks.clear(), files=[files])
    _, shifted = clocks.aligned([noted(0, node1=(2, 0.01))], readings(3, 7, 11), kept, NODES)
    assert shifted.every.collect()["begin"].to_list() == [0, 2]
    assert kept.every.collect()["begin"].to_list() == [2, 4]


def test_clocks_drift_between_the_two_times_that_they_are_asked() -> None:
    found = clocks.offsets([noted(0, node1=(1, 0.01)), noted(10, node1=(2, 0.01))])
    assert found["node1"].at(5) == pytest.approx(1.5)


@pytest.mark.parametrize(
    "event",
    [
        noted(0, node1=(0.004, 0.005)),
        {"event": "clocks"},
        {"event": "clocks", "t": 1, "offsets": {"node1": "x"}},
        {"event": "other"},
    ],
)
def test_an_offset_within_its_error_and_a_damaged_one_are_none(event: Mapping[str, Any]) -> None:
    assert clocks.offsets([event]) == {}


class Ahead:
    """A host whose clock is 7 s ahead."""

    def __init__(self, node: Node) -> None:
        self.node = node

    def ask(self, program: str, request: Mapping[str, Any], *, timeout: float) -> Any:
        assert (program, request, timeout > 0) == ("clock", {}, True)
        return {"clock": time.time() + 7}


def test_a_host_is_asked_for_its_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked, "access", Ahead)
    ahead, within = asked.offset(Node("node1", "10.0.0.1", 1, 1, tmp_path, host="far")) or (0, 0)
    assert ahead == pytest.approx(7, abs=0.5)
    assert abs(ahead - 7) <= within + 1e-3
    assert json.dumps([ahead, within])
