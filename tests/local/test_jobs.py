"""A workload on each engine of several processes; java/*/JobsTest has all of them within one process each."""

import pytest

from tests.local.conftest import Weft


@pytest.mark.parametrize(
    ("workload", "engine", "fact"),
    [
        pytest.param(
            ("pagerank-graphx", "--set", "vertices=5000", "--set", "rounds=3"),
            "spark",
            "edges",
            marks=pytest.mark.long,
        ),
        pytest.param(("wordcount", "--size", "10MB"), "hadoop", "distinct", marks=pytest.mark.long),
        (("pagerank", "--set", "vertices=5000", "--set", "rounds=3"), "flink", "edges"),
    ],
    ids=["graphx-spark", "wordcount-hadoop", "pagerank-flink"],
)
def test_the_answer_is_right(weft: Weft, workload: tuple[str, ...], engine: str, fact: str) -> None:
    result = weft.result("run", *workload, "--engine", engine, "--nodes", "local:2")
    assert result["verdict"] == "VALID"
    assert result["facts"][fact] > 0
