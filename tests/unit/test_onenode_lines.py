"""What `weft advise` says of engines of one node: only what a run of the same work showed."""

import json
from typing import Any

import pytest

from weft.api import onenode
from weft.host import settings
from weft.record import record
from weft.record.record import Stored

JOIN = {"kind": "sql-join", "visits": 1000}


def run(name: str, engine: str, seconds: float, work: dict[str, Any], **more: Any) -> Stored:
    made = record.create(settings.runs(), name, "", {"workload": work["kind"], "engine": engine})
    (made.directory / "resolved.json").write_text(json.dumps({"spec": {"workload": work}}))
    made.update(**{"verdict": "VALID", **more}, measured=seconds / 2, phases={"run": seconds})
    made.release()
    return record.find(settings.runs(), name)


def says(stored: Stored) -> list[str]:
    return [one.says for one in onenode.lines(stored)]


def test_a_run_of_the_same_work_is_compared_by_the_run_phase() -> None:
    cluster = run("20260101-000000-a", "spark", 20.0, JOIN)
    run("20260101-000001-b", "duckdb", 1.0, {**JOIN, "visits": 2000})
    run("20260101-000002-c", "duckdb", 4.0, JOIN)
    duckdb, sail = says(cluster)
    assert duckdb == (
        "the run phase of duckdb on one node was 5.0 times faster: 4.0 s (VALID, 20260101-000002-c) instead of 20.0 s"
    )
    assert sail.startswith("whether sail on one node is faster is not known: weft run ")
    assert sail.endswith("/spec.toml --engine sail --nodes virtual:1")


def test_what_ran_in_a_job_is_not_tried_on_the_login_node() -> None:
    cluster = run("20260101-000000-a", "spark", 20.0, JOIN)
    spec = {"workload": JOIN, "nodes": {"kind": "slurm", "count": 4}}
    (cluster.directory / "resolved.json").write_text(json.dumps({"spec": spec}))
    duckdb, _ = onenode.lines(cluster)
    assert duckdb.flags == ()
    assert "is not known: on a node of the cluster, weft run " in duckdb.says


def test_a_slower_run_and_one_that_failed_are_shown_too() -> None:
    cluster = run("20260101-000000-a", "spark", 2.0, JOIN)
    run("20260101-000001-b", "sail", 4.0, JOIN)
    run("20260101-000002-c", "duckdb", 1.0, JOIN, verdict="INVALID", reason="Out of Memory Error")
    duckdb, sail = says(cluster)
    assert (
        duckdb == "the newest run of duckdb on one node is INVALID: Out of Memory Error (20260101-000002-c)"
    )
    assert "2.0 times slower" in sail


@pytest.mark.parametrize(
    ("engine", "work"), [("duckdb", JOIN), ("spark", {"kind": "terasort"})], ids=["itself", "no SQL"]
)
def test_there_is_no_line_where_there_is_nothing_to_compare(engine: str, work: dict[str, Any]) -> None:
    assert onenode.lines(run("20260101-000000-a", engine, 2.0, work)) == []


def test_a_run_that_its_user_stopped_does_not_count() -> None:
    cluster = run("20260101-000000-a", "spark", 2.0, JOIN)
    stopped = "stopped by the user in phase check"
    run("20260101-000001-b", "duckdb", 1.0, JOIN, verdict="INVALID", reason=stopped)
    assert "not known" in says(cluster)[0]


def test_settings_of_another_engine_are_left_out_of_a_query_of_ones_own() -> None:
    work = {
        "kind": "own-sql",
        "query": "/q.sql",
        "tables": {"t": "/t"},
        "conf": {"spark.sql.ansi.enabled": "true"},
    }
    cluster = run("20260101-000000-a", "spark", 2.0, work)
    duckdb, _ = onenode.lines(cluster)
    assert duckdb.flags == ("--engine", "duckdb", "--nodes", "virtual:1", "--set", "workload.conf=")
    assert duckdb.says.endswith("spec.toml --engine duckdb --nodes virtual:1 --set workload.conf=")
    run("20260101-000001-b", "duckdb", 1.0, {**work, "conf": {}, "result": "/r.csv"})
    assert "2.0 times faster" in says(cluster)[0]
