"""SQL on real engines: the answers are DuckDB's."""

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


@pytest.mark.long
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("queries", ["all", "interactive20"])
def test_all_queries_of_tpcds_are_right(weft: Weft, queries: str) -> None:
    repeats = "2" if queries == "interactive20" else "1"
    process = weft.start(
        "run", "tpcds", "--set", "scale=0.1", "--set", f"queries={queries}", "--set", f"repeats={repeats}",
        "--nodes", "local:2", "--json",
    )  # fmt: skip
    out, err = process.communicate(timeout=2500)
    assert process.returncode == 0, err
    assert '"right": "99 of 99"' in out or '"right": "40 of 40"' in out
