"""Tez's history: from its events to the tables that all engines share."""

import json
from pathlib import Path
from typing import Any

from weft.facts.engines.hive import tezhistory
from weft.text.entry import Entry

RUN = "1700000000000_0001"
DAG = f"dag_{RUN}_1"


def event(kind: str, entity: str, at: int, info: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    own = more.pop("eventinfo", None)
    one = {"ts": at, "eventtype": kind, **({"eventinfo": own} if own else {})}
    return {"entity": entity, "entitytype": "X", "events": [one], "otherinfo": info or {}, **more}


def attempt(vertex: int, index: int, begin: int, end: int, *, status: str = "SUCCEEDED") -> list[dict[str, Any]]:  # fmt: skip
    name = f"attempt_{RUN}_1_0{vertex}_00000{index}_0"
    counted = {
        "CPU_MILLISECONDS": 70,
        "SHUFFLE_BYTES": 900,
        "SHUFFLE_PHASE_TIME": 10**6,
        "LAST_EVENT_RECEIVED": 30,
    }
    counters = [{"counterName": key, "counterValue": value} for key, value in counted.items()]
    groups = [
        {"counterGroupName": "org.apache.tez.common.counters.TaskCounter", "counters": counters},
        {"counterGroupName": "TaskCounter_Map_1_INPUT_t", "counters": [{"counterName": "SHUFFLE_BYTES", "counterValue": 5}]},
    ]  # fmt: skip
    where = [{"entity": f"10.0.0.{index + 1}:6040", "entitytype": "nodeId"}]
    info = {"startTime": begin, "endTime": end, "status": status, "diagnostics": "java.io.IOException: gone"}
    return [
        event("TASK_ATTEMPT_STARTED", name, begin, relatedEntities=where),
        event("TASK_ATTEMPT_FINISHED", name, end, {**info, "counters": {"counterGroups": groups}}),
    ]


def history() -> list[dict[str, Any]]:
    """A map vertex with two tasks, one of which failed first, and a reducer."""
    settings = {"yarn.nodemanager.resource.memory-mb": "5000", "hive.tez.container.size": "2000"}
    plan = {"edges": [{"inputVertexName": "Map 1", "outputVertexName": "Reducer 2"}]}
    vertices = {"Reducer 2": f"vertex_{RUN}_1_01", "Map 1": f"vertex_{RUN}_1_00"}
    retried = attempt(0, 1, 3000, 4000)
    for one in retried:
        one["entity"] = one["entity"].removesuffix("0") + "1"
    return [
        {"entity": f"tez_application_{RUN}", "entitytype": "TEZ_APPLICATION", "otherinfo": {"config": settings}},
        event("DAG_SUBMITTED", DAG, 1000, {"dagPlan": plan}, primaryfilters={"dagName": "q3-1"}),
        event("DAG_INITIALIZED", DAG, 1100, {"vertexNameIdMapping": vertices}),
        event("VERTEX_CONFIGURE_DONE", vertices["Map 1"], 1200, eventinfo={"numTasks": 2}),
        event("VERTEX_CONFIGURE_DONE", vertices["Reducer 2"], 1200, eventinfo={"numTasks": 1}),
        *attempt(0, 0, 2000, 3000),
        *attempt(0, 1, 2000, 2500, status="FAILED"),
        *retried,
        event("VERTEX_FINISHED", vertices["Map 1"], 4000, {"status": "SUCCEEDED", "diagnostics": ""}),
        *attempt(1, 0, 4000, 4100),
        event("VERTEX_FINISHED", vertices["Reducer 2"], 4100, {"status": "SUCCEEDED", "diagnostics": ""}),
        event("DAG_FINISHED", DAG, 4200, {"status": "SUCCEEDED", "diagnostics": ""}),
    ]  # fmt: skip


def written(directory: Path, events: list[dict[str, Any]]) -> Path:
    text = "".join(f"{json.dumps(each)}\x01\n" for each in events)
    (directory / f"history.txt.appattempt_{RUN}_000001").write_text(text)
    return directory


def test_a_graph_is_a_job_a_vertex_a_stage_and_an_attempt_a_task(tmp_path: Path) -> None:
    found = tezhistory.read(Entry(written(tmp_path, history())))
    assert found.gaps == []
    assert found.jobs.select("job", "begin", "end", "failure").rows() == [(0, 1.0, 4.2, "")]
    stages = found.stages.select("stage", "name", "tasks", "begin", "end", "parents").rows()
    assert stages == [(0, "Map 1 of q3-1", 2, 2.0, 4.0, []), (1, "Reducer 2 of q3-1", 1, 4.0, 4.1, [0])]
    tasks = found.tasks.select("stage", "index", "host", "ok", "run_ms").rows()
    assert tasks == [
        (0, 0, "10.0.0.1", True, 1000),
        (0, 1, "10.0.0.2", False, 500),
        (0, 1, "10.0.0.2", True, 1000),
        (1, 0, "10.0.0.1", True, 100),
    ]
    assert found.executors.select("host", "cores").rows() == [("10.0.0.1", 2), ("10.0.0.2", 2)]


def test_counters_are_those_of_the_task_and_it_waits_no_longer_than_it_runs(tmp_path: Path) -> None:
    task = tezhistory.read(Entry(written(tmp_path, history()))).tasks.row(3, named=True)
    assert (task["cpu_ns"], task["remote_bytes"]) == (70_000_000, 900)
    assert (task["run_ms"], task["input_wait_ms"], task["fetch_wait_ms"]) == (100, 30, 70)
    assert task["failure"] == ""


def test_a_history_that_was_cut_off_shows_what_is_there(tmp_path: Path) -> None:
    cut = written(tmp_path, history()[:-4])
    file = next(cut.iterdir())
    file.write_text(file.read_text()[:-40])
    found = tezhistory.read(Entry(cut))
    assert found.jobs.select("end", "failure").rows() == [(None, None)]
    assert found.tasks.height == 3
    assert len(found.gaps) == 1
    assert "1 event(s)" in found.gaps[0]


def test_a_directory_without_one_has_none(tmp_path: Path) -> None:
    assert not tezhistory.found(Entry(tmp_path))
    assert tezhistory.found(Entry(written(tmp_path, history())))
