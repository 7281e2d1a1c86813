"""Dask's task stream: tasks in the slots of their workers, waits that no slot had to wait, lines that are damaged."""

import json
from pathlib import Path
from typing import Any

import polars
import pytest

from tests.unit.task_lines import read_lines
from weft.analysis.explain import attribution, recovery, tasktime
from weft.analysis.explain.evidence import Window
from weft.facts import logs
from weft.facts.engines.dask import FILE, log
from weft.facts.jobmetrics import JobMetrics
from weft.record import sampletable

ONE, OTHER = "tls://10.0.0.1:8788", "tls://10.0.0.2:8788"
BEGIN = 1000.0


def task(stage: str, index: int, begin: float, end: float, **more: Any) -> dict[str, Any]:
    """All of it on a CPU, unless another figure is given; moments are seconds from the beginning."""
    moments = {"begin": begin, "submitted": begin, "start": begin, "stop": end, "returned": end, "end": end}
    moments |= {"waiting": begin, "ready": begin, "known": begin}
    moments |= {key: more.pop(key) for key in moments.keys() & more.keys()}
    own = {key: BEGIN + at for key, at in moments.items()} | {"worker": ONE, "ok": True, "graph": 1, **more}
    return {"event": "task", "stage": stage, "index": index, "retry": 0, "cpu": end - begin, **own}


def worker(address: str, threads: int = 1) -> dict[str, Any]:
    host = address.rpartition("/")[2].partition(":")[0]
    return {"event": "worker", "t": BEGIN, "worker": address, "host": host, "name": "w", "threads": threads}


HEAD = [
    {"event": "application", "t": BEGIN, "name": "dask", "version": "2026.8.0"},
    worker(ONE),
    worker(OTHER),
    {"event": "graph", "t": BEGIN, "graph": 1, "tasks": 3},
]


def metrics(folder: Path, *lines: Any) -> JobMetrics:
    return read_lines(log.LOG, folder / FILE, (*HEAD, *lines))


def parts(found: JobMetrics, end: float, slots: int = 2) -> dict[str, float]:
    nothing = polars.DataFrame(schema=sampletable.SCHEMA)
    window = Window(BEGIN, BEGIN + end, slots, {})
    answer = attribution.attribute(found, nothing, window)
    assert answer is not None
    return {part.name: pytest.approx(part.seconds, abs=2e-3) for part in answer.parts}


def test_stages_are_prefixes_of_keys_in_a_graph(tmp_path: Path) -> None:
    again = {"event": "graph", "t": BEGIN + 5, "graph": 2, "tasks": 1}
    parent = {"event": "parent", "t": BEGIN, "graph": 1, "stage": "b", "of_graph": 1, "of_stage": "a"}
    found = metrics(
        tmp_path, parent, task("a", 0, 1, 2), task("a", 1, 2, 3, worker=OTHER), task("b", 0, 3, 4), again,
        task("a", 0, 6, 7, graph=2),
    )  # fmt: skip
    rows = {row["stage"]: row for row in found.stages.iter_rows(named=True)}
    assert sorted((row["name"], row["tasks"]) for row in rows.values()) == [("a", 1), ("a", 2), ("b", 1)]
    (b,) = [row for row in rows.values() if row["name"] == "b"]
    assert [rows[parent]["name"] for parent in b["parents"]] == ["a"]
    assert found.jobs["end"].to_list() == [BEGIN + 4, BEGIN + 7]
    assert found.executors["host"].to_list() == ["10.0.0.1", "10.0.0.2"]
    assert set(found.tasks["host"]) == {"10.0.0.1", "10.0.0.2"}
    assert found.gaps == []
    assert logs.of("dask") is log.LOG


def test_a_slot_waits_for_inputs_only_while_it_has_nothing_else_to_do(tmp_path: Path) -> None:
    """The second one's inputs come from 1 to 4, and its slot has another task until 3."""
    found = metrics(tmp_path, task("a", 0, 0, 3), task("b", 0, 4, 5, waiting=1, ready=4, known=1, remote=100))
    rows = found.tasks.sort("begin").to_dicts()
    assert [(row["begin"] - BEGIN, row["end"] - BEGIN) for row in rows] == [(0, 3), (3, 5)]
    assert [row["fetch_wait_ms"] for row in rows] == [0, 1000]
    assert rows[1]["remote_bytes"] == 100
    assert parts(found, 5)[tasktime.SAME_NODE] == 1


def test_of_a_wait_for_inputs_the_loops_own_work_has_its_parts(tmp_path: Path) -> None:
    loop = {"waiting": [1, 1], "submitted": [2.25, 1.5], "stop": [2.25, 1.5], "end": [2.5, 1.5]}
    moments = {
        "waiting": 0,
        "ready": 4,
        "known": 0,
        "submitted": 4.25,
        "start": 4.25,
        "stop": 5,
        "returned": 5,
    }
    late = task("b", 0, 4, 5.25, **moments, loop=loop, cpu=0.75)
    (row,) = metrics(tmp_path, late).tasks.to_dicts()
    assert (row["fetch_wait_ms"], row["spill_ms"], row["codec_ms"]) == (2500, 1500, 500)
    found = parts(metrics(tmp_path, late), 5.25)
    assert (found[tasktime.SPILL], found[tasktime.CODEC], found[tasktime.CPU]) == (1.5, 0.5, 0.75)


def test_what_the_loop_does_is_never_more_than_the_wait(tmp_path: Path) -> None:
    loop = {"waiting": [0, 0], "submitted": [3.0, 1.0]}
    (row,) = metrics(tmp_path, task("b", 0, 2, 3, waiting=0, ready=2, loop=loop)).tasks.to_dicts()
    assert (row["fetch_wait_ms"], row["spill_ms"], row["codec_ms"]) == (0, 1500, 500)


def test_a_slot_that_waits_for_the_loop_waits_for_what_that_does_since_the_task_before(
    tmp_path: Path,
) -> None:
    """The loop spills from 0 to 4, and the slot is empty from 1 to 4."""
    first = task("a", 0, 0, 1, loop={"end": [1.0, 0.0]})
    next_ = task("a", 1, 4, 5, waiting=0, ready=0, known=0, loop={"waiting": [0, 0], "submitted": [4.0, 0.0]})
    rows = metrics(tmp_path, first, next_).tasks.to_dicts()
    assert [row["spill_ms"] for row in rows] == [0, 3000]
    assert [row["scheduler_ms"] for row in rows] == [0, 0]


def test_a_task_that_could_run_and_does_not_waits_for_the_scheduler(tmp_path: Path) -> None:
    """From 2 on, the second could run; from 1 to 2 only a straggler runs, and the second's input is not there."""
    found = metrics(
        tmp_path, task("a", 0, 0, 2), task("a", 1, 0, 1, worker=OTHER), task("b", 0, 3, 4, known=2),
        task("b", 1, 3, 4, worker=OTHER, known=2),
    )  # fmt: skip
    assert parts(found, 4) == {tasktime.CPU: 5, "no task: stragglers": 1, tasktime.SCHEDULING: 2}


def test_times_of_less_than_a_millisecond_add_up(tmp_path: Path) -> None:
    short = [
        task("a", n, n / 1000, n / 1000 + 0.001, start=n / 1000 + 0.0004, cpu=0.0006) for n in range(1000)
    ]
    found = metrics(tmp_path, *short)
    assert found.tasks["scheduler_ms"].sum() == pytest.approx(400, abs=1)


def test_two_threads_are_two_slots(tmp_path: Path) -> None:
    wide = worker("tls://10.0.0.3:8788", threads=2)
    more = {"worker": wide["worker"]}
    found = metrics(
        tmp_path, wide, task("a", 0, 0, 4, **more), task("a", 1, 0, 2, **more),
        task("b", 0, 3, 4, waiting=1, ready=3, **more),
    )  # fmt: skip
    (late,) = found.tasks.filter(found.tasks["stage"] == 1).to_dicts()
    assert (late["begin"] - BEGIN, late["fetch_wait_ms"]) == (2, 1000)


def test_failed_and_lost_tasks_are_failed_work(tmp_path: Path) -> None:
    bare = {"event": "task", "graph": 1, "stage": "a", "index": 0, "worker": ONE, "known": BEGIN}
    lost = {
        **bare,
        "retry": 0,
        "ok": False,
        "failure": "its worker was lost",
        "begin": BEGIN,
        "end": BEGIN + 2,
    }
    found = metrics(tmp_path, lost, task("a", 0, 3, 4, retry=1))
    assert parts(found, 4)[tasktime.FAILED] == 2
    assert found.stages["tasks"].to_list() == [1]
    assert found.jobs["failure"].to_list() == [""], "it was done again"
    assert metrics(tmp_path, lost).jobs["failure"].to_list() == ["its worker was lost"]


def test_a_worker_that_was_lost_is_another_thing_than_one_that_ends_with_its_cluster(tmp_path: Path) -> None:
    lost = task("a", 0, 0, 2, ok=False, failure="its worker was lost")
    removed = [{"event": "removed", "t": BEGIN + at, "worker": name} for name, at in ((ONE, 2), (OTHER, 4))]
    found = metrics(tmp_path, lost, removed[0], task("a", 0, 3, 4, retry=1, worker=OTHER), removed[1])
    (says,) = recovery.sentences(found)
    assert says.endswith("was lost (it ended): 1 task had to be repeated")
    (says,) = recovery.sentences(metrics(tmp_path, removed[0], task("a", 0, 3, 4, worker=OTHER), removed[1]))
    assert says.endswith("was lost (it ended): none of its tasks was running")


@pytest.mark.parametrize(
    "line",
    [
        '{"event":"task","graph":1,"stage":"a"',
        '{"event":"__class__"}',
        '{"event":"unknown"}',
        '{"event":"removed","worker":"none"}',
        json.dumps(task("a", 0, 5, 4)),
        json.dumps(task("a", 0, 1, 2, cpu="much")),
        json.dumps(task("a", 0, 1, 2, start=1e300)),
        json.dumps({**task("a", 0, 1, 2), "end": None}),
        json.dumps({**task("a", 0, 1, 2), "graph": "x"}),
        json.dumps({key: value for key, value in task("a", 0, 1, 2).items() if key != "begin"}),
        "[]",
    ],
)
def test_damaged_lines_are_named_and_left_out(tmp_path: Path, line: str) -> None:
    found = metrics(tmp_path, line, task("a", 1, 1, 2))
    assert found.tasks.height == 1
    assert found.gaps == [
        f"1 line(s) of the task stream {FILE} are damaged and were skipped, the first is line 5"
    ]
