"""SQL on real engines: the answers are DuckDB's."""

import re
from typing import Literal

import polars
import pytest

from tests.local.conftest import Weft


def test_queries_of_tpcds_are_right_and_have_their_figures(weft: Weft) -> None:
    words = ["--set", "scale=0.05", "--set", "queries=q3,q42,q52", "--nodes", "local:1"]
    result = weft.result("run", "tpcds", *words)
    assert result["verdict"] == "VALID", result
    rows = {row["query"]: row for row in result["facts"]["queries"]}
    assert sorted(rows) == ["q3", "q42", "q52"]
    assert rows["q3"]["rows"] > 0
    assert rows["q3"]["shuffle_bytes"] > 0
    assert result["facts"]["geometric_mean_seconds"] > 0
    assert (weft.record() / "queries" / "q3.sql").exists()
    sql = weft.result("explain", "last")["sql"]
    assert {"scan", "join", "aggregate"} <= {row["kind"] for row in sql["operators"]}
    scan = next(row for row in sql["operators"] if row["name"] == "scan store_sales")
    assert scan["rows"] > 0
    assert scan["bytes"] > 0
    assert scan["files"] > 0
    assert scan["stages"]


@pytest.mark.long
@pytest.mark.timeout(3000)
@pytest.mark.parametrize(
    ("queries", "repeats", "right"),
    [("all", "1", "99 of 99"), ("interactive20", "2", "40 of 40")],
    ids=["all", "interactive20"],
)
def test_all_queries_of_tpcds_are_right(weft: Weft, queries: str, repeats: str, right: str) -> None:
    process = weft.start(
        "run", "tpcds", "--set", "scale=0.1", "--set", f"queries={queries}", "--set", f"repeats={repeats}",
        "--nodes", "local:2", "--json",
    )  # fmt: skip
    out, err = process.communicate(timeout=2500)
    assert process.returncode == 0, err
    assert f'"right": "{right}"' in out


COMPRESSED: tuple[Literal["zstd", "snappy", "lz4", "gzip"], ...] = ("zstd", "snappy", "lz4", "gzip")
"""Parquet files of users."""


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("engine", ["spark", "flink", "hive", "hive:on=mr"])
def test_the_join_is_right_and_a_query_of_ones_own_has_its_result(weft: Weft, engine: str) -> None:
    words = ["--engine", engine, "--nodes", "local:2", "--set", "visits=300000"]
    found = weft.result("run", "sql-join", *words, "--set", "queries=join,aggregation")
    assert found["verdict"] == "VALID", found
    assert found["facts"]["right"] == "2 of 2"
    for day, how in enumerate(COMPRESSED, 1):
        frame = polars.DataFrame({"day": [day] * 3, "hits": [1, 2, 3]})
        frame.write_parquet(weft.home / f"visits-{day}.parquet", compression=how)
    (weft.home / "query.sql").write_text(
        "SELECT `day`, sum(hits) AS hits FROM visits GROUP BY `day` ORDER BY `day` DESC"
    )
    (weft.home / "missing.sql").write_text("SELECT * FROM nowhere")
    table = ["--table", "visits=visits-*.parquet"]
    own = ["submit", "--engine", engine, "--nodes", "local:1"]
    done = weft(*own, "query.sql", *table, "--out", "out.csv")
    assert done.returncode == 0, done.stderr
    assert (weft.home / "out.csv").read_text() == "day,hits\n4,6\n3,6\n2,6\n1,6\n"
    wrong = weft(*own, "missing.sql", *table)
    assert wrong.returncode == 1
    assert "nowhere" in wrong.stderr.rpartition("error:")[2].partition("\n\n")[0], wrong.stderr
    assert weft.head()["verdict"] == "INVALID"


@pytest.mark.long
@pytest.mark.parametrize("engine", ["spark", "flink", "hive"])
def test_an_engine_says_why_it_cannot_run_a_query_of_ones_own(weft: Weft, engine: str) -> None:
    (weft.home / "good.sql").write_text("SELECT count(*) AS n FROM visits")
    (weft.home / "bad.sql").write_text("SELECT 1\nFORM visits WHERE")
    (weft.home / "missing.sql").write_text("SELECT * FROM nowhere")
    (weft.home / "text.parquet").write_text("this is text")
    polars.DataFrame({"hits": [1, 2, 3]}).write_parquet(weft.home / "visits.parquet")
    own = ("submit", "--engine", engine, "--nodes", "local:1")
    early = weft(*own, "good.sql", "--table", "visits=text.parquet")
    assert (early.returncode, "text.parquet is a Parquet file" in early.stderr) == (2, True), early.stderr
    for query, why in (("bad.sql", r"\bline[: ]2\b"), ("missing.sql", "nowhere")):
        wrong = weft(*own, query, "--table", "visits=visits.parquet")
        assert wrong.returncode == 1, wrong.stderr
        assert wrong.stderr.count("error:") == 1, wrong.stderr
        assert weft.head()["verdict"] == "INVALID"
        assert re.search(why, weft.head()["reason"]), weft.head()["reason"]
        assert len(weft.head()["reason"].splitlines()) == 1, weft.head()["reason"]


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("storage", ["hdfs", "delayed:lustre"])
def test_every_engine_has_the_same_result_on_hdfs_and_on_lustre(weft: Weft, storage: str) -> None:
    places = ["--input", storage, "--output", storage, "--nodes", "local:2", "--set", "visits=300000"]
    sums = {}
    for engine in ("spark", "flink", "hive", "hive:on=mr"):
        found = weft.result("run", "sql-join", "--engine", engine, *places)
        assert found["verdict"] == "VALID", found
        (row,) = found["facts"]["queries"]
        assert row["rows"] > 0
        sums[engine] = row["checksum"]
    assert len(set(sums.values())) == 1, sums
