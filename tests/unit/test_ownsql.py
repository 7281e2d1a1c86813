"""A query of the user's own: its tables, its result, and what is refused before anything starts."""

import dataclasses
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import fake_layout
from weft.adapters.workloads.base import Prepared
from weft.adapters.workloads.ownsql import OwnSql
from weft.cli.ownquery import own_query
from weft.errors import UsageError
from weft.layout.plan import Layout
from weft.spec.parse import parse
from weft.tables import columns, stage
from weft.tables.duck import database
from weft.tables.gather import joined

NONE: dict[str, Any] = {"main_class": None, "conf": {}}


def without_input(layout: Layout) -> Layout:
    places = {role: place for role, place in layout.places.items() if role != "input"}
    return dataclasses.replace(layout, places=places)


@pytest.fixture(name="query")
def _query(tmp_path: Path) -> Path:
    path = tmp_path / "query.sql"
    path.write_text("SELECT 1")
    return path


def test_tables_and_result_may_come_before_or_after_the_file(query: Path, tmp_path: Path) -> None:
    result = tmp_path / "out.csv"
    found = own_query(query, ["--table", "b=/y", f"--out={result}"], ["a=/x/*.parquet"], None, NONE)
    assert found is not None
    assert found["tables"] == {"a": "/x/*.parquet", "b": "/y"}
    assert found["result"] == str(result)
    assert "result" not in (own_query(query, [], ["a=/x"], None, NONE) or {})


def test_the_old_spelling_of_its_result_works_with_a_note(
    query: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = own_query(query, [f"--result={tmp_path}/old.csv"], ["a=/x"], None, NONE)
    assert (found or {})["result"] == f"{tmp_path}/old.csv"
    assert "note: --result FILE is now --out FILE" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--nodes", "local:2"], "takes no argument --nodes"),
        (["--table"], "value missing"),
        (["--table", "visits"], "value missing"),
        (["--out", "a.csv", "--out", "b.csv"], "given twice"),
        (["--out", "/nowhere/at/all.csv"], "is not a directory"),
    ],
)
def test_other_arguments_are_refused(query: Path, arguments: list[str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        own_query(query, arguments, [], None, NONE)


def test_a_result_that_exists_is_not_replaced(query: Path) -> None:
    with pytest.raises(UsageError, match="exists"):
        own_query(query, [], [], query, NONE)


def test_options_belong_to_a_query_or_to_another_program(query: Path) -> None:
    with pytest.raises(UsageError, match="has no --class"):
        own_query(query, [], [], None, {"main_class": "X", "conf": {}})
    with pytest.raises(UsageError, match=r"belong to a \.sql file"):
        own_query(Path("x.py"), [], ["a=/x"], None, NONE)
    assert own_query(Path("x.py"), ["--table"], [], None, NONE) is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tables": {"a b": "/x"}}, "not a name of a table"),
        ({"tables": {"a;": "/x"}}, "not a name of a table"),
        ({"result": "/tmp/out.json"}, "neither .parquet nor .csv"),
        ({"query": "/nowhere.sql"}, "file not found"),
    ],
)
def test_a_broken_request_is_refused(query: Path, changes: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse({"workload": {"kind": "own-sql", "query": str(query), "tables": {"a": "/x"}, **changes}})


def test_every_node_sees_the_directory_above_a_pattern(query: Path, tmp_path: Path) -> None:
    work = OwnSql(query=query, tables={"a": f"{tmp_path}/day=*/x.parquet", "b": "hdfs://node1/y"})
    assert work.paths == [query, tmp_path]
    assert work.tables["b"] == "hdfs://node1/y"
    assert OwnSql(query=query, tables={"a": "x.parquet"}).tables["a"] == str(Path.cwd() / "x.parquet")


def test_the_engine_gets_the_tables_and_the_result_stays_in_the_record(query: Path) -> None:
    work = OwnSql(query=query, tables={"a": "/x/*.parquet"}, conf={"spark.sql.x": "1"})
    layout = without_input(fake_layout())
    job = work.job(Prepared(layout, []))
    assert "a=/x/*.parquet" in job.arguments
    assert f"result={query}" in job.arguments
    assert job.dependencies.conf == {"spark.sql.x": "1"}
    (gather,) = work.check(Prepared(layout, []))
    assert str(layout.record / "result.parquet") in gather.argv


def test_tables_are_copied_to_an_input_that_is_asked_for(query: Path, tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    table = {
        "kind": "own-sql",
        "query": str(query),
        "tables": {"a": f"{tmp_path}/*.parquet", "b": "hdfs://n/y"},
    }
    assert "input" not in parse({"workload": table}).storage()
    assert parse({"workload": table, "input": "hdfs"}).storage()["input"].kind == "hdfs"
    layout = fake_layout()
    place = dataclasses.replace(layout.places["input"], paths={"node1": "hdfs://node1:8020/weft/input"})
    layout = dataclasses.replace(layout, places={**layout.places, "input": place})
    work = OwnSql.model_validate(table)
    (staging,) = work.prepare(layout)
    assert f"a/={tmp_path}/*.parquet" in staging.argv
    arguments = work.job(Prepared(layout, [])).arguments
    assert {"a=hdfs://node1:8020/weft/input/a", "b=hdfs://n/y"} <= set(arguments)


def test_files_of_a_pattern_are_copied_below_the_name_of_their_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in ("1", "2"):
        (tmp_path / f"day={day}").mkdir()
        (tmp_path / f"day={day}" / "part.parquet").write_text(day)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("note")
    place, outcome = tmp_path / "input", tmp_path / "outcome.json"
    place.mkdir()
    words = ["--from", f"t/={tmp_path}/day=*", "--from", f"notes={tmp_path}/notes", "--to", str(place)]
    monkeypatch.setattr(sys, "argv", ["stage", *words, "--scratch", str(tmp_path), "--outcome", str(outcome)])
    with pytest.raises(SystemExit) as ended:
        stage.main()
    assert ended.value.code == 0
    assert sorted(path.read_text() for path in (place / "t").iterdir()) == ["1", "2"]
    assert (place / "notes" / "a.txt").read_text() == "note"
    assert json.loads(outcome.read_text())["paths"] == 3


def test_parts_become_one_file_in_their_order(tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    with database(1, 1 << 28, tmp_path) as db:
        for part, first in enumerate((10, 0)):
            db.execute(
                f"COPY (SELECT range + {first} AS n FROM range(2)) TO '{parts}/part-{part}.parquet' (FORMAT parquet)"
            )
        found = joined(db, parts, tmp_path / "it's.csv")
        assert (found["rows"], found["columns"]) == (4, 1)
        assert (tmp_path / "it's.csv").read_text() == "n\n10\n11\n0\n1\n"
        joined(db, parts, tmp_path / "all.parquet")
        assert db.execute(f"SELECT * FROM '{tmp_path}/all.parquet'").fetchall() == [(10,), (11,), (0,), (1,)]


def test_a_table_that_is_no_parquet_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, outcome = tmp_path / "text.parquet", tmp_path / "outcome.json"
    text.write_text("this is text")
    words = ["--table", f"visits={text}", "--output", f"{tmp_path}/columns.tsv"]
    words += ["--scratch", str(tmp_path), "--outcome", str(outcome)]
    monkeypatch.setattr(sys, "argv", ["columns", *words])
    with pytest.raises(SystemExit):
        columns.main()
    reason = json.loads(outcome.read_text())["reason"]
    assert reason.startswith("table visits is not a Parquet file: ")
    assert str(text) in reason


def test_tables_without_files_in_parquet_are_refused_before_anything_starts(
    query: Path, tmp_path: Path
) -> None:
    def asked(path: object, **more: object) -> None:
        parse({"workload": {"kind": "own-sql", "query": str(query), "tables": {"a": str(path)}}, **more})

    (tmp_path / "text.parquet").write_text("this is text")
    (tmp_path / "empty").mkdir()
    for wrong in ("none.parquet", "text.parquet", "empty", "none-*.parquet"):
        with pytest.raises(UsageError, match=f"table a: no file of {re.escape(str(tmp_path / wrong))}"):
            asked(tmp_path / wrong)
    part = tmp_path / "table" / "day=1" / "part-0.parquet"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"PAR1 and more")
    (part.parent / "_SUCCESS").touch()
    for right in (
        part,
        tmp_path / "table",
        tmp_path / "table" / "day=*",
        tmp_path / "table" / "*" / "*.parquet",
    ):
        asked(right)
    asked("hdfs://node1/y")
    asked("/only/there", nodes="ssh:one,two")
