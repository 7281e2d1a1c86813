"""Tests of MLlib: sizes by test, and what the job is asked to do."""

from itertools import pairwise
from typing import get_args

import pytest

from tests.fakes import fake_layout, fake_nodes
from weft.adapters.workloads.base import Prepared
from weft.adapters.workloads.sparkml import _SIZES, SparkMl, SparkMlTest
from weft.errors import UsageError
from weft.spec.parse import parse


def asked(workload: SparkMl) -> dict[str, str]:
    arguments = list(workload.job(Prepared(fake_layout(fake_nodes(2, cores=3)), [])).arguments)
    return {key: value for key, value in pairwise(arguments) if key.startswith("--")}


def test_every_test_has_sizes_of_its_own() -> None:
    assert set(_SIZES) == set(get_args(SparkMlTest))


def test_sizes_can_be_chosen_and_others_are_the_tests_own() -> None:
    found = asked(SparkMl(kind="svd", rows=1000))
    assert (found["--test"], found["--rows"], found["--columns"]) == ("svd", "1000", "50")
    assert found["--partitions"] == "24"
    assert (found["--rank"], asked(SparkMl(kind="word2vec"))["--rank"]) == ("10", "50")
    assert asked(SparkMl(kind="fp-growth"))["--support"] == "0.01"
    assert asked(SparkMl(kind="prefix-span"))["--support"] == "0.3"
    assert asked(SparkMl(kind="prefix-span", support=0.5))["--support"] == "0.5"


def test_it_runs_on_spark_only_and_takes_rows_in_short_form() -> None:
    spec = parse({"workload": "pearson:5000", "nodes": "local:1"})
    assert isinstance(spec.workload, SparkMl)
    assert spec.workload.rows == 5000
    with pytest.raises(UsageError, match="does not run on the engine flink"):
        parse({"workload": "pearson", "engine": "flink", "nodes": "local:1"})


def test_fewer_rows_than_singular_values_are_refused() -> None:
    """Spark finds as many as the rows have, and the check would call that wrong."""
    with pytest.raises(UsageError, match=r"3 rows have no 10 singular values: ask for more rows, or rank=3"):
        parse({"workload": {"kind": "svd", "rows": 3}, "nodes": "local:1"})
    for fits in ({"rows": 3, "rank": 3}, {"rows": 3, "columns": 2}, {"rows": 10}):
        assert parse({"workload": {"kind": "svd", **fits}, "nodes": "local:1"})
    assert parse({"workload": {"kind": "pca", "rows": 3}, "nodes": "local:1"})
