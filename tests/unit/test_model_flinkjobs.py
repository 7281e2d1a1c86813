"""Flink's job metrics: from its REST pages to the tables that all engines share, and to the table of its vertices."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars
import pytest

from tests.unit.report_fakes import APP, write_log
from weft.adapters.engines.flink import rest
from weft.analysis.explain import recovery, stages
from weft.analysis.read.sources import Sources
from weft.analysis.summary import vertices
from weft.facts.engines.flink import jobs as flinkjobs
from weft.record.head import Head
from weft.record.record import Stored
from weft.text.entry import Entry

MANAGERS = [
    {"id": f"taskmanager-node{i}", "path": f"pekko.ssl.tcp://flink@10.0.0.{i}:4/user/rpc/x", "slotsNumber": 2}
    for i in (1, 2)
]


def subtask(index: int, begin: int, end: int, **metrics: float) -> dict[str, Any]:
    known = {"read-bytes": 0, "write-bytes": 0, "accumulated-busy-time": 0.0, "accumulated-idle-time": 0}
    times = {"start-time": begin, "end-time": end, "duration": end - begin}
    where = {"endpoint": f"node{index + 1}:999", "taskmanager-id": f"taskmanager-node{index + 1}"}
    return {
        "subtask": index,
        "status": "FINISHED",
        "attempt": 0,
        **times,
        **where,
        "metrics": {**known, **metrics},
    }


READ = {"write-bytes": 500, "accumulated-busy-time": 1500.0, "accumulated-idle-time": 500}
SORT = {"read-bytes": 500, "accumulated-busy-time": 3000.0, "accumulated-idle-time": 1000}
FAILURE = {
    "exceptionName": "org.apache.flink.runtime.jobmaster.JobMasterException",
    "stacktrace": "JobMasterException: the TaskManager left\nCaused by: java.io.IOException: gone\n\tat x",
    "timestamp": 5000,
    "taskName": "sort (2/2) - execution #0",
    "endpoint": "10.0.0.2:5",
    "taskManagerId": "taskmanager-node2",
}
JOB = {
    "jid": "ab",
    "name": "terasort-raw",
    "state": "FINISHED",
    "start-time": 1000,
    "end-time": 9000,
    "vertices": [
        {
            "id": "v0",
            "name": "read",
            "parallelism": 2,
            "subtasks": [subtask(i, 1000, 3000, **READ) for i in (0, 1)],
        },
        {
            "id": "v1",
            "name": "sort",
            "parallelism": 2,
            "subtasks": [subtask(i, 3000, 7000, **SORT) for i in (0, 1)],
        },
    ],
}
PAGES = {
    "/overview": {"flink-version": "2.3.0"},
    "/taskmanagers": {"taskmanagers": MANAGERS},
    **{f"/taskmanagers/{each['id']}": each for each in MANAGERS},
    "/jobs/overview": {"jobs": [{"jid": "ab"}]},
    "/jobs/ab": {
        **JOB,
        "vertices": [{k: v for k, v in each.items() if k != "subtasks"} for each in JOB["vertices"]],
    },
    **{f"/jobs/ab/vertices/{each['id']}": each for each in JOB["vertices"]},
}


def record(
    tmp_path: Path,
    *failures: dict[str, Any],
    state: str = "FINISHED",
    pages: Mapping[str, dict[str, Any]] | None = None,
) -> Path:
    exceptions = {"exceptionHistory": {"entries": list(failures)}}
    every = {**PAGES, "/jobs/ab/exceptions": exceptions, **(pages or {})}
    every["/jobs/ab"] = {**every["/jobs/ab"], "state": state}
    (tmp_path / "engine").mkdir()
    for name, content in rest.metrics(every.__getitem__).items():
        (tmp_path / "engine" / name).write_text(json.dumps(content))
    return tmp_path


def test_engines_that_shared_a_cluster_have_one_history(tmp_path: Path) -> None:
    write_log(record(tmp_path) / "engine")
    sources = Sources(Stored(tmp_path, Head()))
    metrics = sources.metrics()
    assert (sorted(metrics.applications["app"]), sources.gaps) == (["ab", APP], [])
    assert stages.table(metrics).select("app", "stage").height == 4


def test_vertices_are_stages_and_subtasks_are_tasks(tmp_path: Path) -> None:
    metrics = flinkjobs.read(Entry(record(tmp_path) / "engine"))
    table = stages.table(metrics)
    assert table.select("stage", "name", "done", "median", "shuffle_read", "shuffle_write").rows() == [
        (0, "read", 2, 2.0, 0, 1000),
        (1, "sort", 2, 4.0, 1000, 0),
    ]
    assert metrics.every.collect()["remote_bytes"].to_list() == [None] * 4, (
        "Flink does not say what was local"
    )
    assert metrics.applications["version"].to_list() == ["2.3.0"]
    assert metrics.executors.select("host", "cores").rows() == [("10.0.0.1", 2), ("10.0.0.2", 2)]
    assert recovery.sentences(metrics) == []


def test_what_flink_does_not_say_is_unknown_and_not_nothing(tmp_path: Path) -> None:
    table = stages.table(flinkjobs.read(Entry(record(tmp_path) / "engine")))
    assert table.select("cpu_share", "gc_share", "disk_spill").rows() == [(None,) * 3] * 2


@pytest.mark.parametrize(("began", "waited"), [(3000, 0.25), (2999, None)])
def test_who_has_no_input_although_all_of_it_exists_waits_for_the_network(
    tmp_path: Path, began: int, waited: float | None
) -> None:
    """A task that runs beside the one before it may wait because that has made nothing yet."""
    engine = record(tmp_path) / "engine"
    found = flinkjobs.load(Entry(engine))
    found["jobs"][0]["vertices"][1]["subtasks"] = [subtask(i, began, began + 4000, **SORT) for i in (0, 1)]
    (engine / flinkjobs.FILE).write_text(json.dumps(found))
    assert stages.table(flinkjobs.read(Entry(engine)))["fetch_share"].to_list() == [None, waited]


def test_a_vertex_that_never_began_has_no_number_of_tasks(tmp_path: Path) -> None:
    """A batch job decides it when the vertex begins: until then it is -1."""
    later = {"id": "v2", "name": "sink", "parallelism": -1, "subtasks": []}
    known = {**JOB, "vertices": [*JOB["vertices"], later]}
    engine = Entry(record(tmp_path, pages={"/jobs/ab": known, "/jobs/ab/vertices/v2": later}) / "engine")
    assert stages.table(flinkjobs.read(engine)).sort("stage")["tasks"].to_list() == [2, 2, None]
    assert [row["tasks"] for row in vertices.vertices(engine)] == [2, 2, None]


def attempt(index: int, number: int, begin: int, end: int, status: str) -> dict[str, Any]:
    return {**subtask(index, begin, end), "attempt": number, "status": status}


def test_attempts_that_failed_have_their_time(tmp_path: Path) -> None:
    """The second subtask failed after 2 s, which ended the first one; Flink has forgotten what was before."""
    last = [{**subtask(i, 6000, 9000, **SORT), "attempt": 2} for i in (0, 1)]
    sort = {**JOB["vertices"][1], "subtasks": last}
    base = "/jobs/ab/vertices/v1"
    failed = {**FAILURE, "timestamp": 5000, "taskName": "sort (2/2) - execution #1"}
    pages = {
        base: sort,
        f"{base}/subtasks/0/attempts/1": attempt(0, 1, 3000, 5100, "CANCELED"),
        f"{base}/subtasks/1/attempts/1": attempt(1, 1, 3000, 5000, "FAILED"),
    }
    metrics = flinkjobs.read(Entry(record(tmp_path, failed, pages=pages) / "engine"))
    lost = metrics.tasks.filter(~polars.col("ok")).sort("index")
    assert lost.select("index", "begin", "end", "reason").rows() == [
        (0, 3.0, 5.1, "TaskKilled"),
        (1, 3.0, 5.0, "JobMasterException"),
    ]
    assert metrics.stages["begin"].to_list() == [1.0, 3.0]
    assert recovery.sentences(metrics) == [
        "1 task of stage 1 failed: JobMasterException: the TaskManager left"
    ]


def test_a_task_that_was_lost_is_reported(tmp_path: Path) -> None:
    (sentence,) = recovery.sentences(flinkjobs.read(Entry(record(tmp_path, FAILURE) / "engine")))
    assert sentence == "1 task of stage 1 failed: JobMasterException: the TaskManager left"


def test_a_failure_of_the_whole_job_is_of_no_task(tmp_path: Path) -> None:
    """As where slots do not come, or a coordinator fails: Flink names no task then."""
    whole = {**FAILURE, "taskName": None, "endpoint": None, "taskManagerId": None}
    for name in ("again", "failed"):
        (tmp_path / name).mkdir()
    metrics = flinkjobs.read(Entry(record(tmp_path / "again", whole) / "engine"))
    assert metrics.tasks["ok"].all()
    assert recovery.sentences(metrics) == []
    assert metrics.gaps == [
        "the job terasort-raw was begun again after a failure that was of no task: JobMasterException: the TaskManager left"
    ]
    failed = flinkjobs.read(Entry(record(tmp_path / "failed", whole, state="FAILED") / "engine"))
    assert recovery.sentences(failed) == ["job 0 failed: java.io.IOException: gone"]
    assert failed.gaps == []


def test_a_job_that_failed_is_reported_with_its_innermost_cause(tmp_path: Path) -> None:
    sentences = recovery.sentences(
        flinkjobs.read(Entry(record(tmp_path, FAILURE, state="FAILED") / "engine"))
    )
    assert sentences[-1] == "job 0 failed: java.io.IOException: gone"


def test_the_time_of_a_vertex_is_divided(tmp_path: Path) -> None:
    read, sort = vertices.vertices(Entry(record(tmp_path) / "engine"))
    assert (read["job"], read["busy"], read["idle"], read["write-bytes"]) == ("terasort-raw", 3.0, 1.0, 1000)
    assert (sort["busy"], sort["read-bytes"]) == (6.0, 1000)


def test_a_record_without_job_metrics_has_no_vertices(tmp_path: Path) -> None:
    assert vertices.vertices(Entry(tmp_path)) == []
    with pytest.raises(OSError, match=r"flink\.json"):
        flinkjobs.read(Entry(tmp_path))
