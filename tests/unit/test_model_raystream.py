"""Ray's task stream: what a slot waits for before a task, what is serialisation of a task's time, and lines that are damaged."""

import json
from pathlib import Path
from typing import Any

import polars
import pytest

from tests.unit.task_lines import read_lines
from weft.analysis.explain import attribution, tasktime
from weft.analysis.explain.evidence import Window
from weft.facts import logs
from weft.facts.engines.ray import FILE, log
from weft.facts.jobmetrics import JobMetrics
from weft.record import sampletable

BEGIN = 1000.0
HEAD = [
    {"event": "application", "t": BEGIN, "name": "ray", "version": "2.60.0"},
    *(
        {"event": "worker", "t": BEGIN, "worker": name, "host": host, "threads": 1}
        for name, host in (("one", "10.0.0.1"), ("other", "10.0.0.2"))
    ),
    {"event": "graph", "t": BEGIN, "graph": 1},
]


def task(stage: str, index: int, begin: float, end: float, **more: Any) -> dict[str, Any]:
    """All of it on a CPU, unless another figure is given; moments are seconds from the beginning."""
    spans = {
        key: [[BEGIN + at for at in pair] for pair in more.pop(key)]
        for key in ("restored", "spilled")
        if key in more
    }
    stored = [BEGIN + at for at in more.pop("stored", (end, end))]
    own = {
        "event": "task",
        "graph": 1,
        "stage": stage,
        "index": index,
        "retry": 0,
        "worker": "one",
        "ok": True,
    }
    times = {"known": BEGIN + more.pop("known", begin), "begin": BEGIN + begin, "end": BEGIN + end}
    return {**own, **times, "stored": stored, "cpu": end - begin, **spans, **more}


def metrics(folder: Path, *lines: Any) -> JobMetrics:
    return read_lines(log.LOG, folder / FILE, (*HEAD, *lines))


def parts(found: JobMetrics, end: float, slots: int = 2) -> dict[str, float]:
    nothing = polars.DataFrame(schema=sampletable.SCHEMA)
    answer = attribution.attribute(found, nothing, Window(BEGIN, BEGIN + end, slots, {}))
    assert answer is not None
    return {part.name: pytest.approx(part.seconds, abs=2e-3) for part in answer.parts}


def test_stages_are_names_of_functions_and_executors_are_nodes(tmp_path: Path) -> None:
    parent = {"event": "parent", "graph": 1, "stage": "b", "of_graph": 1, "of_stage": "a"}
    found = metrics(
        tmp_path, parent, task("a", 0, 1, 2), task("a", 1, 2, 3, worker="other"), task("b", 0, 3, 4)
    )
    rows = {row["name"]: row for row in found.stages.iter_rows(named=True)}
    assert {name: row["tasks"] for name, row in rows.items()} == {"a": 2, "b": 1}
    assert rows["b"]["parents"] == [rows["a"]["stage"]]
    assert found.jobs["end"].to_list() == [BEGIN + 4]
    assert found.executors["host"].to_list() == ["10.0.0.1", "10.0.0.2"]
    assert set(found.tasks["host"]) == {"10.0.0.1", "10.0.0.2"}
    assert found.gaps == []
    assert logs.of("ray") is log.LOG


def test_a_slot_waits_for_inputs_only_while_it_has_nothing_else_to_do(tmp_path: Path) -> None:
    """The second one could run from 1 on, and its slot has another task until 3."""
    found = metrics(tmp_path, task("a", 0, 0, 3), task("b", 0, 4, 5, known=1, remote=100))
    rows = found.tasks.sort("begin").to_dicts()
    assert [(row["begin"] - BEGIN, row["end"] - BEGIN) for row in rows] == [(0, 3), (3, 5)]
    assert [row["fetch_wait_ms"] for row in rows] == [0, 1000]
    assert rows[1]["remote_bytes"] == 100


def test_a_task_whose_inputs_are_there_waits_for_the_scheduler(tmp_path: Path) -> None:
    found = metrics(tmp_path, task("a", 0, 0, 1), task("a", 1, 2, 3, known=1))
    assert parts(found, 3, slots=1) == {tasktime.CPU: 2, tasktime.SCHEDULING: 1}


def test_of_a_wait_for_inputs_what_was_restored_meanwhile_is_spilled_results(tmp_path: Path) -> None:
    restored = [(0, 1), (0.5, 2), (6, 7)]
    (row,) = metrics(tmp_path, task("a", 0, 4, 5, known=1, restored=restored)).tasks.to_dicts()
    assert (row["spill_ms"], row["fetch_wait_ms"], row["scheduler_ms"]) == (1000, 0, 2000)
    moved = task("a", 0, 4, 5, known=1, restored=restored, remote=9)
    (row,) = metrics(tmp_path, moved).tasks.to_dicts()
    assert (row["spill_ms"], row["fetch_wait_ms"], row["scheduler_ms"]) == (1000, 2000, 0)


def test_serialisation_is_not_the_functions_cpu_time(tmp_path: Path) -> None:
    """Storing takes from 4 to 8; until 5 others are spilled, and 1 second of all serialisation is on the CPU."""
    one = task("a", 0, 0, 8, cpu=4.5, codec_cpu=1, made=0.5, written=1, stored=(4, 8), spilled=[(3, 5)])
    found = parts(metrics(tmp_path, one), 8, slots=1)
    assert found == {tasktime.CPU: 3.5, tasktime.CODEC: 3.5, tasktime.SPILL: 1}


def test_a_call_of_an_actor_leaves_the_slots_as_they_are(tmp_path: Path) -> None:
    call = task("Actor.call", 0, 0, 4, actor=True, known=0)
    late = task("b", 0, 4, 5, known=1, remote=1)
    found = metrics(tmp_path, call, late)
    assert found.tasks["fetch_wait_ms"].to_list() == [0, 3000]


def test_failed_tasks_are_failed_work(tmp_path: Path) -> None:
    lost = task("a", 0, 0, 2, ok=False, failure="its worker was lost")
    found = metrics(tmp_path, lost, task("a", 0, 3, 4, retry=1))
    assert parts(found, 4)[tasktime.FAILED] == 2
    assert found.jobs["failure"].to_list() == [""], "it was done again"
    assert metrics(tmp_path, lost).jobs["failure"].to_list() == ["its worker was lost"]


def test_tasks_that_the_control_service_forgot_are_reported(tmp_path: Path) -> None:
    found = metrics(tmp_path, {"event": "lost", "tasks": 1, "why": "it keeps the last 100,000 tasks"})
    assert found.gaps == ["1 task(s) at least were left out: it keeps the last 100,000 tasks"]


@pytest.mark.parametrize(
    "line",
    [
        '{"event":"task","graph":1,"stage":"a"',
        json.dumps(task("a", 0, 5, 4)),
        json.dumps(task("a", 0, 1, 2, cpu="much")),
        json.dumps(task("a", 0, 1, 2, restored=[(1, 1e300)])),
        json.dumps({**task("a", 0, 1, 2), "stored": 3}),
        json.dumps({**task("a", 0, 1, 2), "spilled": [[1]]}),
    ],
)
def test_damaged_lines_are_named_and_left_out(tmp_path: Path, line: str) -> None:
    found = metrics(tmp_path, line, task("a", 1, 1, 2))
    assert found.tasks.height == 1
    assert found.gaps == [
        f"1 line(s) of the task stream {FILE} are damaged and were skipped, the first is line 5"
    ]
