"""tpcds: its queries, its order, its tables by DuckDB, and what it calls wrong."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import fake_layout, fake_place
from weft.errors import UsageError
from weft.host import settings
from weft.spec.parse import parse
from weft.tables import texts
from weft.tables.duck import database, parts
from weft.workloads.base import Judgement
from weft.workloads.tpcds import Tpcds

PREPARED = [{"rows": 5, "bytes": 100}]


def ran(*names: str, **changes: Any) -> dict[str, Any]:
    rows = [
        {"query": name, "repeat": 1, "label": f"{name}-1", "seconds": 2.0, "failure": "", "bytes_in": 10, "bytes_out": 1,
         "shuffle_bytes": 3, "disk_bytes_spilled": 0, **changes}
        for name in names
    ]  # fmt: skip
    return {"seconds": 4.0, "queries": rows}


def judged(work: Tpcds, found: dict[str, Any], **wrong: str) -> Judgement:
    answers = {
        f"{row['query']}-1": {"rows": 7, "wrong": wrong.get(row["query"], "")} for row in found["queries"]
    }
    return work.judge(PREPARED, found, [{"answers": answers, "duckdb": "1"}])


def test_queries_are_a_set_or_names() -> None:
    assert len(texts.ALL) == 99
    assert len(texts.INTERACTIVE) == len(set(texts.INTERACTIVE)) == 20
    assert Tpcds(queries="q7, q3").order in (["q3", "q7"], ["q7", "q3"])
    spec = parse({"workload": "tpcds"}, {"queries": "q3,q7", "scale": "0.1"})
    assert spec.workload.scale == 0.1  # type: ignore[attr-defined]
    for text in ("q100", "", "q3,q3", "most"):
        with pytest.raises(UsageError):
            parse({"workload": "tpcds"}, {"queries": text})


def test_each_repeat_has_another_order_that_the_seed_determines() -> None:
    work = Tpcds(repeats=3, seed=5)
    order = work.order
    rounds = [order[i : i + 99] for i in range(0, 297, 99)]
    assert all(sorted(one) == sorted(texts.ALL) for one in rounds)
    assert rounds[0] != rounds[1] != rounds[2] != rounds[0]
    assert order == Tpcds(repeats=3, seed=5).order != Tpcds(repeats=3, seed=6).order


def test_a_right_answer_is_valid_and_has_its_figures() -> None:
    found = judged(Tpcds(queries="q3,q7"), ran("q3", "q7"))
    assert (found.valid, found.reason, found.bytes_in, found.bytes_out) == (True, "", 20, 2)
    assert found.facts["geometric_mean_seconds"] == 2.0
    assert found.facts["right"] == "2 of 2"
    assert [row["answer"] for row in found.facts["queries"]] == ["right", "right"]


def test_a_wrong_row_a_failure_and_a_missing_query_are_invalid() -> None:
    work = Tpcds(queries="q3,q7")
    order = work.order
    wrong = judged(work, ran("q3", "q7"), q7="row 2: a is 1, expected 2")
    assert wrong.reason == "1 of 2 executions are wrong, first q7-1: row 2: a is 1, expected 2"
    failed = judged(work, ran("q3", "q7", failure="[DIVIDE_BY_ZERO]"))
    assert failed.reason == f"2 of 2 executions are wrong, first {order[0]}-1: [DIVIDE_BY_ZERO]"
    assert judged(work, ran("q3")).reason == "1 of 2 executions are wrong, first q7-1: it was not run"
    unchecked = work.judge(PREPARED, ran("q3", "q7"), [{"answers": {}, "duckdb": "1"}])
    assert "its result was not checked" in unchecked.reason
    assert not any(each.valid for each in (wrong, failed, unchecked))


def test_storage_that_duckdb_cannot_use_is_refused_before_anything_starts() -> None:
    layout = fake_layout()
    uri = dict.fromkeys(fake_place("input", layout.nodes).paths, "hdfs://node1:8020/in")
    place = type(layout.places["input"])("hdfs", "HDFS", uri, shared=True)
    refused = type(layout)(**{**layout.__dict__, "places": {**layout.places, "input": place}})
    with pytest.raises(UsageError, match="cannot use input on hdfs"):
        Tpcds().generated(refused)


def run(module: str, tmp_path: Path, *words: str) -> tuple[int, dict[str, Any]]:
    outcome = tmp_path / f"{module}.json"
    own = ["--threads", "2", "--scratch", str(tmp_path / "tmp"), "--outcome", str(outcome)]
    done = subprocess.run(
        [sys.executable, "-P", "-m", f"weft.tables.{module}", *words, *own],
        env={"PYTHONPATH": str(settings.PACKAGE.parent)},
        check=False,
    )
    return done.returncode, json.loads(outcome.read_text())


def test_tables_are_generated_and_results_on_them_are_checked(tmp_path: Path) -> None:
    places = ["--output", str(tmp_path / "in"), "--queries", str(tmp_path / "texts")]
    code, made = run("generate", tmp_path, "--scale", "0.01", *places)
    assert code == 0, made
    assert sorted(made["tables"]) == sorted(texts.TABLES)
    assert made["rows"] > 100_000
    assert {path.stem for path in (tmp_path / "texts").glob("*.sql")} == {*texts.ALL, texts.SCAN}
    with database(1, 1 << 28, tmp_path) as db:
        for table in texts.TABLES:
            db.execute(f"CREATE VIEW {table} AS SELECT * FROM '{parts(tmp_path / 'in' / table)[0]}'")
        for label, taken in (
            ("q3-1", "*"),
            ("ss_max-1", "*"),
            ("ss_max-2", "* REPLACE (total + 1 AS total)"),
        ):
            text = (tmp_path / "texts" / f"{label.split('-')[0]}.sql").read_text().strip().rstrip(";")
            (tmp_path / "out" / label).mkdir(parents=True)
            db.execute(
                f"COPY (SELECT {taken} FROM ({text})) TO '{tmp_path}/out/{label}/part-0.parquet' (FORMAT parquet)"
            )
    places = [
        "--input",
        str(tmp_path / "in"),
        "--queries",
        str(tmp_path / "texts"),
        "--results",
        str(tmp_path / "out"),
    ]
    code, found = run("check", tmp_path, *places, "--labels", "q3-1,q3-3,ss_max-1,ss_max-2")
    assert code == 0, found
    wrong = {label: each["wrong"] for label, each in found["answers"].items()}
    assert wrong["q3-1"] == wrong["ss_max-1"] == ""
    assert "row 1: total is " in wrong["ss_max-2"]
    assert "does not exist" in wrong["q3-3"]


def test_a_program_that_fails_says_why(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    places = ["--input", str(tmp_path / "in"), "--queries", str(tmp_path), "--results", str(tmp_path)]
    code, found = run("check", tmp_path, *places, "--labels", "q3-1")
    assert code == 1
    assert "q3.sql" in found["reason"]


def test_averages_and_nulls_are_cast_for_flink_alone() -> None:
    assert (
        texts.with_casts("avg (ss_quantity), avg(sum(x))") == "avg(CAST(ss_quantity AS DOUBLE)), avg(sum(x))"
    )
    assert texts.with_casts("SELECT NULL AS a, (NULL AS b") == "SELECT CAST(NULL AS STRING) AS a, (NULL AS b"
    layout = fake_layout()
    spark = replace(layout, homes={"spark": layout.homes["spark"]})
    assert "--casts" in Tpcds().prepare(layout)[0].argv
    assert "--casts" not in Tpcds().prepare(spark)[0].argv
