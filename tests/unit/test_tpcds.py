"""tpcds: its queries, its order, its tables by DuckDB, and what it calls wrong."""

import argparse
import json
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import fake_layout, fake_place
from tests.unit.whole_answers import answer, checksum, empty
from weft.adapters.workloads.base import Judgement, Prepared, Results
from weft.adapters.workloads.tpcds import Tpcds
from weft.errors import UsageError, WorkloadError
from weft.host import settings
from weft.spec.parse import parse
from weft.tables import copied, texts
from weft.tables.compare import difference
from weft.tables.duck import database, parts, view

PREPARED = [{"rows": 5, "bytes": 100, "tables": {"item": {"rows": 5, "bytes": 100}}}]
TABLES = {"item": 5}


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
    return work.judge(Results(PREPARED, found, [{"answers": answers, "tables": TABLES, "duckdb": "1"}]))


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


def test_a_query_may_have_a_limit() -> None:
    limited, unlimited = (
        Tpcds(**set_).job(Prepared(fake_layout(), PREPARED)).arguments for set_ in ({"limit": "1m"}, {})
    )
    assert limited[limited.index("--limit-seconds") + 1] == "60.0"
    assert "--limit-seconds" not in unlimited


def test_a_right_answer_is_valid_and_has_its_figures() -> None:
    found = judged(Tpcds(queries="q3,q7"), ran("q3", "q7"))
    assert (found.valid, found.reason, found.bytes_in, found.bytes_out) == (True, "", 20, 2)
    assert found.facts["geometric_mean_seconds"] == 2.0
    assert found.facts["right"] == "2 of 2"
    assert [row["answer"] for row in found.facts["queries"]] == ["right", "right"]


def test_the_mean_is_that_of_queries_that_were_answered() -> None:
    found = ran("q3", "q7")
    found["queries"][1] |= {"seconds": 60.0, "failure": "it did not end within 60 s"}
    facts = judged(Tpcds(queries="q3,q7"), found).facts
    assert facts["geometric_mean_seconds"] == 2.0
    assert [row["seconds"] for row in facts["queries"]] == [2.0, 60.0]


def test_a_wrong_row_a_failure_and_a_missing_query_are_invalid() -> None:
    work = Tpcds(queries="q3,q7")
    order = work.order
    wrong = judged(work, ran("q3", "q7"), q7="row 2: a is 1, expected 2")
    assert wrong.reason == "1 of 2 executions are wrong, first q7-1: row 2: a is 1, expected 2"
    failed = judged(work, ran("q3", "q7", failure="[DIVIDE_BY_ZERO]"))
    assert failed.reason == f"2 of 2 executions are wrong, first {order[0]}-1: [DIVIDE_BY_ZERO]"
    assert judged(work, ran("q3")).reason == "1 of 2 executions are wrong, first q7-1: it was not run"
    unchecked = work.judge(
        Results(PREPARED, ran("q3", "q7"), [{"answers": {}, "tables": TABLES, "duckdb": "1"}])
    )
    assert "its result was not checked" in unchecked.reason
    assert not any(each.valid for each in (wrong, failed, unchecked))


@pytest.mark.parametrize(
    ("made", "found", "words"),
    [
        (5, 4, "the table item has 4 rows instead of 5"),
        (5, None, "the table item has 0 rows instead of 5"),
        (0, 0, "the table item has 0 rows"),
    ],
)
def test_right_answers_on_an_empty_table_or_on_another_one_say_nothing(
    made: int, found: int | None, words: str
) -> None:
    prepared = [{**PREPARED[0], "tables": {"item": {"rows": made, "bytes": 1}}}]
    checked = {"answers": {"q3-1": {"rows": 7, "wrong": ""}}, "duckdb": "1"}
    checked["tables"] = {} if found is None else {"item": found}
    judgement = Tpcds(queries="q3").judge(Results(prepared, ran("q3"), [checked]))
    assert (judgement.valid, judgement.reason) == (False, words)


def test_tables_and_results_in_hdfs_are_copied_by_a_program_of_hadoops() -> None:
    layout = fake_layout()
    uri = dict.fromkeys(fake_place("input", layout.nodes).paths, "hdfs://node1:8020/in")
    place = type(layout.places["input"])("hdfs", "HDFS", uri, shared=True)
    on_hdfs = replace(layout, places={**layout.places, "input": place})
    for command in (*Tpcds().prepare(on_hdfs), *Tpcds().check(Prepared(on_hdfs, []))):
        copier = json.loads(command.argv[command.argv.index("--copier") + 1])
        assert (copier[0], copier[-1]) == (str(layout.java), "io.weft.hadoop.CopyFiles")
        assert "hdfs://node1:8020/in" in command.argv
    assert all("--copier" not in command.argv for command in Tpcds().prepare(layout))


COPIER = """
import json, pathlib, shutil, sys
words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
here = lambda uri: pathlib.Path(uri.removeprefix("file://").replace("hdfs://node1:8020", sys.argv[0].rpartition("/")[0]))
if here(words["--from"]).name == "absent":
    pathlib.Path(words["--outcome"]).write_text('{"reason": "no such file"}')
    sys.exit(1)
shutil.copytree(here(words["--from"]), here(words["--to"]), dirs_exist_ok=True)
pathlib.Path(words["--outcome"]).write_text("{}")
"""
"""Replaces the program that copies to and from HDFS, which is a directory here."""


def test_what_is_written_to_hdfs_is_read_from_there(tmp_path: Path) -> None:
    (tmp_path / "copier.py").write_text(COPIER)
    given = argparse.Namespace(
        scratch=tmp_path / "own", copier=json.dumps([sys.executable, str(tmp_path / "copier.py")])
    )
    with copied.to_write(given, "hdfs://node1:8020/in") as directory:
        (directory / "visits").mkdir()
        (directory / "visits" / "part-0").write_text("rows")
    assert not directory.exists()
    assert (tmp_path / "in" / "visits" / "part-0").exists()
    found = copied.to_read(given, "hdfs://node1:8020/in", "tables")
    assert (found / "visits" / "part-0").read_text() == "rows"
    assert copied.to_read(given, "/lustre/in", "tables") == Path("/lustre/in")
    with pytest.raises(WorkloadError, match=r"was not copied to .*: no such file"):
        copied.to_read(given, "hdfs://node1:8020/absent", "results")


def test_a_checksum_is_that_of_the_values_whatever_their_order_and_types() -> None:
    rows = [(1, "a", Decimal("2.50")), (2, None, Decimal("0.000000"))]
    same = [(2.0, None, 0), (Decimal("1.0"), "a", 2.5000000000000004)]
    assert checksum(rows) == checksum(same)
    others = [
        rows[:1],
        [*rows, rows[0]],
        [rows[0], (2, "", Decimal(0))],
        [(1, "a", Decimal("2.51")), rows[1]],
    ]
    assert len({checksum(rows), *map(checksum, others)}) == 5
    wide = "1234567890123456789012345678901234567"
    assert checksum([(Decimal(wide + "1"),)]) != checksum([(Decimal(wide + "2"),)])


def test_the_checksum_of_a_query_is_that_of_all_its_repeats() -> None:
    work = Tpcds(queries="q3", repeats=2)
    found = ran("q3")
    found["queries"].append({**found["queries"][0], "repeat": 2, "label": "q3-2"})
    for second, shown in (("0a", "0a"), ("0b", "0a, 0b")):
        answers = {
            f"q3-{i}": {"rows": 7, "checksum": sum_, "wrong": ""} for i, sum_ in ((1, "0a"), (2, second))
        }
        facts = work.judge(
            Results(PREPARED, found, [{"answers": answers, "tables": TABLES, "duckdb": "1"}])
        ).facts
        assert facts["queries"][0]["checksum"] == shown


def run(module: str, tmp_path: Path, *words: str) -> tuple[int, dict[str, Any]]:
    outcome = tmp_path / f"{module}.json"
    own = ["--threads", "2", "--scratch", str(tmp_path / "tmp"), "--outcome", str(outcome)]
    done = subprocess.run(
        [sys.executable, "-P", "-m", f"weft.tables.{module}", *words, *own],
        env={"PYTHONPATH": str(settings.PACKAGE.parent)},
        check=False,
    )
    return done.returncode, json.loads(outcome.read_text())


@pytest.fixture(scope="module", name="made")
def _made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Tables in `in`, and the queries in `texts`."""
    where = tmp_path_factory.mktemp("tpcds")
    places = ["--output", str(where / "in"), "--queries", str(where / "texts")]
    code, made = run("generate", where, "--scale", "0.01", *places)
    assert code == 0, made
    return where, made


def test_an_answer_on_an_empty_table_is_wrong_unless_the_right_one_is_empty(
    made: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    where, right, vacuous = made[0], {}, set()
    with database(2, 1 << 30, tmp_path) as db:
        for table in texts.TABLES:
            view(db, table, parts(where / "in" / table))
        for name in texts.INTERACTIVE:
            right[name] = answer(db, (where / "texts" / f"{name}.sql").read_text())
        view(db, "kept", parts(where / "in" / "store_sales"))
        db.execute("CREATE OR REPLACE VIEW store_sales AS SELECT * FROM kept LIMIT 0")
        for name, found in right.items():
            rows = answer(db, (where / "texts" / f"{name}.sql").read_text()).rows
            width = len(found.columns)
            if difference(found, [row[:width] for row in rows]) == "":
                vacuous.add(name)
            assert (name in vacuous) == empty([row[:width] for row in found.rows]), name
    assert 0 < len(vacuous) < len(right)


def test_tables_are_generated_and_results_on_them_are_checked(
    made: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    where, made_of = made
    tables = made_of["tables"]
    assert sorted(tables) == sorted(texts.TABLES)
    assert made_of["rows"] > 100_000
    assert all(table["rows"] for table in tables.values())
    assert {path.stem for path in (where / "texts").glob("*.sql")} == {*texts.ALL, texts.SCAN}
    with database(1, 1 << 28, tmp_path) as db:
        for table in texts.TABLES:
            db.execute(f"CREATE VIEW {table} AS SELECT * FROM '{parts(where / 'in' / table)[0]}'")
        for label, taken in (
            ("q3-1", "*"),
            ("ss_max-1", "*"),
            ("ss_max-2", "* REPLACE (total + 1 AS total)"),
        ):
            text = (where / "texts" / f"{label.split('-')[0]}.sql").read_text().strip().rstrip(";")
            (tmp_path / "out" / label).mkdir(parents=True)
            db.execute(
                f"COPY (SELECT {taken} FROM ({text})) TO '{tmp_path}/out/{label}/part-0.parquet' (FORMAT parquet)"
            )
    places = [
        "--input",
        str(where / "in"),
        "--queries",
        str(where / "texts"),
        "--results",
        str(tmp_path / "out"),
    ]
    code, found = run("check", tmp_path, *places, "--labels", "q3-1,q3-3,ss_max-1,ss_max-2")
    assert code == 0, found
    wrong = {label: each["wrong"] for label, each in found["answers"].items()}
    assert wrong["q3-1"] == wrong["ss_max-1"] == ""
    assert found["tables"] == {name: table["rows"] for name, table in tables.items()}
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
    cast = {
        engine: "--casts" in Tpcds().prepare(replace(fake_layout(), engine=engine))[0].argv
        for engine in ("spark", "flink", "hive")
    }
    assert cast == {"spark": False, "flink": True, "hive": False}
