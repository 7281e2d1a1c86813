"""A sample of workloads on engines of several processes; java/*/JobsTest has all of them within one process each."""

import pytest

from tests.local.conftest import Weft


@pytest.mark.parametrize(
    ("workload", "engine", "fact", "value"),
    [
        (("sort", "--size", "10MB"), "spark", "lines", None),
        (("pagerank-graphx", "--set", "vertices=5000", "--set", "rounds=3"), "spark", "edges", None),
        (("wordcount", "--size", "10MB"), "hadoop", "distinct", None),
        (("pi", "--set", "points=1600000"), "flink", "pi", 3.141575),
        (("pagerank", "--set", "vertices=5000", "--set", "rounds=3"), "flink", "edges", None),
    ],
    ids=["sort-spark", "graphx-spark", "wordcount-hadoop", "pi-flink", "pagerank-flink"],
)
def test_the_answer_is_right(
    weft: Weft, workload: tuple[str, ...], engine: str, fact: str, value: float | None
) -> None:
    result = weft.result("run", *workload, "--engine", engine, "--nodes", "local:2")
    assert result["verdict"] == "VALID"
    assert result["facts"][fact] > 0 if value is None else result["facts"][fact] == value
