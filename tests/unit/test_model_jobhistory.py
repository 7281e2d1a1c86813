"""MapReduce's job history: whole, torn, with a failed try, of a job that did not end."""

import json
from pathlib import Path
from typing import Any

import pytest

from weft.analysis.explain import stages
from weft.facts import executorslots
from weft.facts.engines.hadoop import jobhistory
from weft.text.entry import Entry

JOB = "job_1_0001"
BEGIN = 1_000_000


def line(kind: str, **event: Any) -> str:
    return json.dumps({"type": kind, "event": {f"org.apache.hadoop.mapreduce.jobhistory.{kind}": event}}, separators=(",", ":"))  # fmt: skip


def table(**groups: dict[str, int]) -> dict[str, Any]:
    return {
        "name": "COUNTERS",
        "groups": [
            {"name": f"org.apache.hadoop.mapreduce.{name}", "counts": [{"name": key, "value": value} for key, value in values.items()]}
            for name, values in groups.items()
        ],
    }  # fmt: skip


def attempt(kind: str, index: int, *, begin: int, end: int, status: str = "SUCCEEDED", tried: int = 0, **more: Any) -> list[str]:  # fmt: skip
    name = f"attempt_1_0001_{kind[0].lower()}_{index:06}_{tried}"
    own = {"attemptId": name, "taskType": kind}
    started = line(f"{kind}_ATTEMPT_STARTED", **own, startTime=begin, trackerName="node1", locality={"string": "NODE_LOCAL"}, avataar={"string": "VIRGIN"})  # fmt: skip
    word = "FINISHED" if status == "SUCCEEDED" else status
    ended = line(f"{kind}_ATTEMPT_{word}", **own, finishTime=end, hostname="node1", taskStatus=status, **more)
    return [started, ended]


MAP = {"TaskCounter": {"CPU_MILLISECONDS": 700, "GC_TIME_MILLIS": 30, "MAP_OUTPUT_MATERIALIZED_BYTES": 1010, "MAP_INPUT_RECORDS": 10},
       "lib.input.FileInputFormatCounter": {"BYTES_READ": 1000}}  # fmt: skip
REDUCE = {"TaskCounter": {"REDUCE_SHUFFLE_BYTES": 1010, "SHUFFLED_MAPS": 1, "REDUCE_OUTPUT_RECORDS": 10},
          "lib.output.FileOutputFormatCounter": {"BYTES_WRITTEN": 1000}}  # fmt: skip
SUMS = {"FileSystemCounter": {"FILE_BYTES_READ": 5}}
LINES = [
    "Avro-Json",
    '{"type":"record","name":"Event"}',
    line("AM_STARTED", nodeManagerHost="node2"),
    line("JOB_SUBMITTED", jobid=JOB, jobName="terasort", submitTime=BEGIN, acls={}),
    line("JOB_INITED", jobid=JOB, totalMaps=1, totalReduces=1),
    *attempt("MAP", 0, begin=BEGIN + 1000, end=BEGIN + 1500, status="FAILED", error="no space"),
    *attempt("MAP", 0, begin=BEGIN + 2000, end=BEGIN + 4000, tried=1, counters=table(**MAP)),
    *attempt("REDUCE", 0, begin=BEGIN + 5000, end=BEGIN + 9000, shuffleFinishTime=BEGIN + 6500, counters=table(**REDUCE)),
    line("JOB_FINISHED", jobid=JOB, finishTime=BEGIN + 9500, mapCounters=table(**SUMS), reduceCounters=table(**SUMS), totalCounters=table(**SUMS)),
]  # fmt: skip


def write(directory: Path, lines: list[str]) -> Path:
    path = directory / f"{JOB}-x.jhist"
    path.write_text("\n\n".join(lines) + "\n")
    return path


def test_a_job_becomes_two_stages_with_their_tasks(tmp_path: Path) -> None:
    write(tmp_path, LINES)
    metrics = jobhistory.read(Entry(tmp_path))
    assert metrics.gaps == []
    assert metrics.applications.to_dicts() == [
        {
            "app": JOB,
            "name": "terasort",
            "version": None,
            "begin": 1000.0,
            "end": 1009.5,
            "dynamic": None,
            "most_cores": None,
            "process_cpu": True,
            "stream": None,
            "input_ended": None,
            "failure": None,
        }
    ]
    assert metrics.executors["executor"].to_list() == ["node2", "node1"]
    rows = stages.table(metrics).to_dicts()
    assert [(row["name"], row["done"], row["failed"]) for row in rows] == [
        ("map of terasort", 1, 1),
        ("reduce of terasort", 1, 0),
    ]
    assert (rows[0]["shuffle_write"], rows[1]["shuffle_read"]) == (1010, 1010)


def test_a_task_has_every_number_in_its_unit(tmp_path: Path) -> None:
    write(tmp_path, LINES)
    failed, good, reduce = jobhistory.read(Entry(tmp_path)).tasks.to_dicts()
    assert (failed["ok"], failed["reason"], failed["failure"]) == (False, "Failed", "no space")
    expected = {"host": "node1", "run_ms": 2000, "cpu_ns": 700_000_000, "gc_ms": 30,
                "input_bytes": 1000, "fetch_wait_ms": 0, "ok": True, "stage": 0, "index": 0, "retry": 1}  # fmt: skip
    assert {name: good[name] for name in expected} == expected
    assert (reduce["fetch_wait_ms"], reduce["output_bytes"], reduce["stage"]) == (1500, 1000, 1)
    assert reduce["input_wait_ms"] == 0


def test_a_reduce_task_that_began_early_waited_for_the_map_tasks_first(tmp_path: Path) -> None:
    early = attempt("REDUCE", 0, begin=BEGIN + 3000, end=BEGIN + 9000, shuffleFinishTime=BEGIN + 6500, counters=table(**REDUCE))  # fmt: skip
    write(tmp_path, [*LINES[:9], *early, LINES[-1]])
    row = jobhistory.read(Entry(tmp_path)).tasks.row(-1, named=True)
    assert (row["input_wait_ms"], row["fetch_wait_ms"]) == (1000, 2500)


def test_a_host_whose_clock_is_ahead_did_not_fetch_for_longer_than_the_task_took(tmp_path: Path) -> None:
    ahead = attempt("REDUCE", 0, begin=BEGIN + 5000, end=BEGIN + 9000, shuffleFinishTime=BEGIN + 66500, counters=table(**REDUCE))  # fmt: skip
    write(tmp_path, [*LINES[:9], *ahead, LINES[-1]])
    row = jobhistory.read(Entry(tmp_path)).tasks.row(-1, named=True)
    assert (row["run_ms"], row["fetch_wait_ms"]) == (4000, 4000)


def test_slots_come_from_the_settings_next_to_the_history(tmp_path: Path) -> None:
    write(tmp_path, LINES)
    settings = {"yarn.nodemanager.resource.memory-mb": "2500", "mapreduce.map.memory.mb": "1024"}
    xml = "".join(f"<property><name>{k}</name><value>{v}</value></property>" for k, v in settings.items())
    (tmp_path / f"{JOB}_conf.xml").write_text(f"<configuration>{xml}</configuration>")
    assert jobhistory.read(Entry(tmp_path)).executors["cores"].to_list() == [2, 2]


@pytest.mark.parametrize(("reduce", "slots", "most"), [("2048", 1, 4), ("1024", None, 8), ("-1", 1, 4)])
def test_larger_containers_that_a_job_asked_for_itself_leave_fewer_slots(
    tmp_path: Path, reduce: str, slots: int | None, most: int
) -> None:
    write(tmp_path, LINES)
    settings = {
        "yarn.nodemanager.resource.memory-mb": "2500",
        "mapreduce.map.memory.mb": "2048",
        "mapreduce.reduce.memory.mb": reduce,
        "weft.slots": "2",
    }
    xml = "".join(f"<property><name>{k}</name><value>{v}</value></property>" for k, v in settings.items())
    (tmp_path / f"{JOB}_conf.xml").write_text(f"<configuration>{xml}</configuration>")
    metrics = jobhistory.read(Entry(tmp_path))
    assert metrics.executors.select("cores", "slots").rows() == [(2, slots), (2, slots)]
    assert executorslots.configured(metrics, 8) == most


def test_counters_are_those_of_the_finished_job(tmp_path: Path) -> None:
    write(tmp_path, LINES)
    assert jobhistory.counters(Entry(tmp_path)) == {"FILE_BYTES_READ": {"map": 5, "reduce": 5, "total": 5}}


@pytest.mark.parametrize("cut", range(0, 2400, 97))
def test_a_history_cut_anywhere_is_read_up_to_there(tmp_path: Path, cut: int) -> None:
    path = write(tmp_path, LINES)
    path.write_bytes(path.read_bytes()[:cut])
    metrics = jobhistory.read(Entry(tmp_path))
    assert metrics.tasks.height <= 3
    assert stages.table(metrics).height <= 2
    assert len(metrics.gaps) <= 1


def test_a_record_without_a_history_has_none(tmp_path: Path) -> None:
    assert not jobhistory.found(Entry(tmp_path))
    assert jobhistory.counters(Entry(tmp_path)) == {}


OLD = [
    *LINES[:5],
    *attempt("MAP", 0, begin=BEGIN + 1000, end=BEGIN + 1500, status="FAILED", error="Error: java.lang.RuntimeException: no space"),
    line("TASK_FAILED", taskid="t", error=", Error: java.lang.RuntimeException: no space\n\tat x", status="FAILED"),
    line("TASK_FAILED", taskid="u", error="", status="KILLED"),
    line("JOB_FAILED", jobid=JOB, finishTime=BEGIN + 9500, jobStatus="FAILED"),
]  # fmt: skip


def test_a_history_of_hadoop_0_23_is_read(tmp_path: Path) -> None:
    """Its events but the first begin with a space, attempts that fail have no counters, and the job names no reason."""
    log = tmp_path / f"{JOB}-FAILED.jhist"
    log.write_text("\n ".join(OLD) + "\n")
    assert jobhistory.LOG.begins(log.read_bytes()[:1000])
    metrics = jobhistory.read(Entry(tmp_path))
    assert metrics.gaps == []
    assert metrics.jobs["failure"].to_list() == [
        "FAILED: Error: java.lang.RuntimeException: no space\n\tat x"
    ]
    assert metrics.tasks.select("ok", "run_ms", "cpu_ns").rows() == [(False, 500, None)]


def test_a_job_that_its_task_failed_has_the_error_of_the_task_as_its_reason(tmp_path: Path) -> None:
    for diagnostics, reason in (
        ("Task failed t\nJob failed as tasks failed", "Error: java.lang.RuntimeException: no space\n\tat x"),
        ("Job commit failed: java.io.IOException", "Job commit failed: java.io.IOException"),
    ):
        last = line("JOB_FAILED", finishTime=BEGIN, jobStatus="FAILED", diagnostics={"string": diagnostics})
        write(tmp_path, [*OLD[:-1], last])
        assert jobhistory.read(Entry(tmp_path)).jobs["failure"].to_list() == [f"FAILED: {reason}"]
