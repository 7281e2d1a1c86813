"""sql-join: its tables do not depend on how many programs write them, and what is wrong is named."""

import dataclasses
import hashlib
import json
import subprocess
import sys
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.fakes import fake_layout, fake_nodes
from tests.unit.whole_answers import answer
from weft.adapters.engines.flink.engine import FlinkEngine
from weft.adapters.workloads.base import Prepared, Results
from weft.adapters.workloads.sqljoin import SqlJoin
from weft.errors import UsageError
from weft.host import settings
from weft.spec.parse import parse
from weft.tables import visits
from weft.tables.columns import described
from weft.tables.compare import difference
from weft.tables.duck import database, parts, view


def numbers(first: int, last: int) -> Any:
    return np.arange(first, last, dtype=np.uint64)


def written(tmp_path: Path, name: str, *edges: int) -> dict[str, str]:
    """Checksums of the files that so many writers leave, by path."""
    for i, (first, last) in enumerate(pairwise(edges)):
        words = ["--visits", "300000", "--pages", "30000", "--sources", "500", "--seed", "3"]
        words += ["--output", str(tmp_path / name), "--part-from", str(first), "--part-to", str(last)]
        words += ["--scratch", str(tmp_path), "--outcome", str(tmp_path / f"{name}-{i}.json")]
        done = subprocess.run(
            [sys.executable, "-P", "-m", "weft.tables.visits", *words],
            env={"PYTHONPATH": str(settings.PACKAGE.parent)}, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (tmp_path / f"{name}-{i}.json").read_text()
    files = sorted((tmp_path / name).rglob("*.parquet"))
    return {
        str(file.relative_to(tmp_path / name)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    }


def test_the_bytes_do_not_depend_on_the_number_of_writers(tmp_path: Path) -> None:
    one = written(tmp_path, "one", 0, 3)
    assert one == written(tmp_path, "three", 0, 1, 2, 3)
    assert list(one) == [
        "rankings/part-00000.parquet",
        *(f"uservisits/part-0000{i}.parquet" for i in range(2)),
    ]
    assert json.loads((tmp_path / "one-0.json").read_text())["uservisits"] == 300_000


def test_rows_depend_on_the_seed_and_their_number_alone() -> None:
    whole = visits.visits(numbers(0, 3000), 1, 500, 50)
    assert whole[1000:2000].equals(visits.visits(numbers(1000, 2000), 1, 500, 50))
    assert not whole.equals(visits.visits(numbers(0, 3000), 2, 500, 50))
    assert whole["sourceIP"].n_unique() == 50
    assert whole["adRevenue"].dtype.scale == 6  # type: ignore[attr-defined]
    assert 0 <= whole["adRevenue"].min() < Decimal("0.01") < Decimal("0.99") < whole["adRevenue"].max() < 1  # type: ignore[operator]


def test_each_page_has_an_address_of_its_own_and_visits_lead_to_pages() -> None:
    pages = visits.rankings(numbers(0, 5000), 1)
    assert pages["pageURL"].n_unique() == 5000
    lengths = pages["pageURL"].str.len_bytes()
    assert (lengths.min(), lengths.max()) == (10, 100)
    assert set(visits.visits(numbers(0, 2000), 1, 5000, 50)["destURL"]) <= set(pages["pageURL"])


def test_one_of_ten_pages_has_a_rank_of_ten_or_more() -> None:
    ranks = visits.rankings(numbers(0, 50_000), 0)["pageRank"].to_numpy()
    assert ranks.max() == 1000
    assert [float((ranks >= least).mean()) for least in (2, 10)] == pytest.approx([1 / 2, 1 / 10], abs=0.01)


def test_dates_are_inclusive_and_sums_are_exact(tmp_path: Path) -> None:
    work = SqlJoin(visits=20_000, queries="join,aggregation")
    files = {
        "rankings": visits.rankings(numbers(0, 2000), 0),
        "uservisits": visits.visits(numbers(0, 20_000), 0, 2000, 200),
    }
    with database(1, 1 << 28, tmp_path) as db:
        for name, frame in files.items():
            (tmp_path / name).mkdir()
            frame.write_parquet(tmp_path / name / "part-0.parquet")
            view(db, name, parts(tmp_path / name))
        texts = {path.stem: text for path, text in work.generated(fake_layout()).items()}
        right = answer(db, texts["join"])
        rows = [row[:3] for row in right.rows]
        (share,) = db.execute(
            "SELECT count(*) FROM uservisits WHERE visitDate IN ('1999-01-01', '2000-01-01')"
        ).fetchone()  # type: ignore[misc]
        (within,) = db.execute(
            "SELECT sum(adRevenue) FROM uservisits WHERE visitDate BETWEEN '1999-01-01' AND '2000-01-01'"
        ).fetchone()  # type: ignore[misc]
        assert share > 0
        assert sum(row[2] for row in rows) == within
        assert difference(right, rows) == ""
        # one millionth, one visit's day, one place
        off = [(*rows[0][:2], rows[0][2] + Decimal("0.000001")), *rows[1:]]
        assert "totalRevenue is" in difference(right, off)
        without = texts["join"].replace(">= DATE", "> DATE").replace("<= DATE", "< DATE")
        assert difference(right, db.execute(without).fetchall()) != ""
        assert "row 1" in difference(right, [rows[1], rows[0], *rows[2:]])
        assert (
            difference(answer(db, texts["aggregation"]), db.execute(texts["aggregation"]).fetchall()[::-1])
            == ""
        )


def test_writers_divide_all_files_among_the_nodes() -> None:
    commands = SqlJoin(visits=2_000_000).prepare(fake_layout(fake_nodes(3)))
    found = [(command.node.name, *(command.argv[command.argv.index(f"--part-{edge}") + 1] for edge in ("from", "to")))
             for command in commands]  # fmt: skip
    assert found == [("node1", "0", "3"), ("node2", "3", "6"), ("node3", "6", "9")]


@pytest.mark.parametrize("text", ["", "joins", "join,join", "join,"])
def test_an_unknown_query_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse({"workload": "sql-join"}, {"queries": text})


def test_lost_rows_of_the_generator_and_wrong_answers_are_invalid() -> None:
    work = SqlJoin(visits=100, pages=10)
    made = [{"rankings": 10, "uservisits": 60, "bytes": 1}, {"rankings": 0, "uservisits": 40, "bytes": 1}]
    ran = {"queries": [{"query": "join", "label": "join-1", "seconds": 1.0, "failure": ""}], "seconds": 1.0}
    tables = {"rankings": 10, "uservisits": 100}
    right = [{"answers": {"join-1": {"rows": 3, "wrong": ""}}, "tables": tables, "duckdb": "1"}]
    wrong = [{"answers": {"join-1": {"rows": 3, "wrong": "row 2: x"}}, "tables": tables, "duckdb": "1"}]
    fewer = [{**right[0], "tables": {**tables, "uservisits": 60}}]
    assert work.judge(Results(made, ran, right)).valid
    assert work.judge(Results(made, ran, fewer)).reason == "the table uservisits has 60 rows instead of 100"
    assert (
        work.judge(Results(made, ran, wrong)).reason == "1 of 1 executions are wrong, first join-1: row 2: x"
    )


def test_flink_needs_a_library_and_spark_does_not() -> None:
    on = {
        engine: parse({"workload": "sql-join", "engine": engine}).libraries() for engine in ("spark", "flink")
    }
    assert on == {"spark": (), "flink": ("flink-sql",)}


def test_libraries_are_on_the_class_path_of_the_job() -> None:
    jar = Path("/cache/flink-sql/lib/format.jar")
    layout = dataclasses.replace(fake_layout(), libraries=[jar])
    argv = FlinkEngine().submit(SqlJoin().job(Prepared(layout, [])), layout).argv
    assert argv[argv.index("-C") + 1] == f"file://{jar}"
    assert "-C" not in FlinkEngine().submit(SqlJoin().job(Prepared(fake_layout(), [])), fake_layout()).argv


def test_the_columns_are_those_of_the_tables(tmp_path: Path) -> None:
    with database(1, 1 << 28, tmp_path) as db:
        for name, frame in (
            ("rankings", visits.rankings(numbers(0, 9), 0)),
            ("uservisits", visits.visits(numbers(0, 9), 0, 9, 9)),
        ):
            frame.write_parquet(tmp_path / f"{name}.parquet")
            view(db, name, [tmp_path / f"{name}.parquet"])
        files = SqlJoin().generated(fake_layout())
        (text,) = (text for path, text in files.items() if path.name == "columns.tsv")
        assert "".join([*described(db, "rankings"), *described(db, "uservisits")]) == text
