"""bench/counted: a recorded job with what a paper counted of its own one."""

import runpy
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.prediction_jobs import MAP, REDUCE, job
from weft.analysis.predict.jobprofile import CallsPerTask, JobProfile, StageWork
from weft.analysis.predict.projection import Recorded
from weft.analysis.predict.target import AskedTasks, Growth
from weft.host import settings

BENCH = runpy.run_path(str(settings.SOURCE / "bench" / "counted.py"))
SAMPLE = ("app", 9, 0)
READ = "scratch read"


def sort() -> JobProfile:
    """A stage that samples the input for two seconds, one that reads it and one that sorts, each of four tasks on two slots."""
    every = {"tasks": [1.0] * 4, "cpu": 1.0}
    calls = [
        CallsPerTask("input", "read", 100, 0.0), CallsPerTask("input", "stat", 90, 0.0), CallsPerTask("input", "open", 1, 0.0),
    ]  # fmt: skip
    scratch = [
        CallsPerTask("scratch", "read", 50, 0.0), CallsPerTask("scratch", "stat", 40, 0.0),
        CallsPerTask("scratch", "seek", 50, 0.0), CallsPerTask("scratch", "open", 4, 0.0),
        CallsPerTask("scratch", "read", 8, 0.0, served=True),
    ]  # fmt: skip
    stages = [
        StageWork(SAMPLE, "sample", lag=3.0, **every),
        StageWork(MAP, "map", after=frozenset({SAMPLE}), lag=0.5, calls=calls, writes_shuffle=True, **every),
        StageWork(REDUCE, "reduce", after=frozenset({MAP}), calls=scratch, reads_shuffle=True, **every),
    ]
    return replace(job(stages, slots=2), size=8e6, wall=9.5)


def changed(**known: Any) -> Recorded:
    recorded = Recorded("run", sort(), Growth(asked=lambda _, __: AskedTasks(files=4, bytes=8e6)), 1, 0, "virtual", {})  # fmt: skip
    found: Recorded = BENCH["of_table"](known).of(recorded, 8e9)
    return found


def calls(stage: StageWork) -> dict[str, float]:
    return {f"{call.role} {call.operation}": call.count for call in stage.calls if not call.served}


MOVED = [{"input read": 1, "scratch written": 1}, {READ: 2, "output written": 1}]


def test_what_no_paper_says_is_as_it_was() -> None:
    assert changed().work == sort()


def test_a_stage_that_only_weft_has_is_left_out_with_its_time() -> None:
    found = changed(first=1).work
    assert [(stage.key, stage.lag, stage.after) for stage in found.stages] == [
        (MAP, 3.0, frozenset()),
        (REDUCE, 0.0, frozenset({MAP})),
    ]
    assert found.wall == pytest.approx(9.5 - 2.0 - 0.5)


def test_bytes_are_the_papers_in_calls_as_long_as_theirs() -> None:
    maps, reduces = changed(first=1, moved=MOVED, request=20_000).work.stages
    assert (maps.bytes, reduces.bytes) == (
        {"input read": 2e6, "scratch written": 2e6},
        {READ: 4e6, "output written": 2e6},
    )
    assert calls(maps) == {"input open": 1, "input read": 100, "scratch write": 100}, "HDFS knows attributes"
    assert calls(reduces) == {"scratch stat": 160, "scratch open": 4, READ: 200, "output write": 100}
    assert [call.count for call in reduces.calls if call.served] == [8]


def test_calls_that_were_counted_are_those_of_all_tasks() -> None:
    (_, reduces) = changed(first=1, moved=MOVED, request=20_000, calls={READ: 4e9}).work.stages
    # of 8 GB; the small run has a thousandth of it, and four tasks
    assert calls(reduces)[READ] == pytest.approx(4e9 / 1000 / 4)


def test_the_number_of_maps_is_the_papers_but_where_it_was_measured() -> None:
    asked = changed(maps=4200).growth.asked
    assert (asked(2, 8e6).splits, asked(64, 8e9).splits) == (4, 4200)
