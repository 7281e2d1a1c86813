"""TeraSort sorts as the engine's users would, unless it is asked for weft's own sorter; the record says which was run."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import fake_layout
from tests.unit.report_fakes import make_record
from weft import report
from weft.adapters.workloads.base import Prepared, Results
from weft.adapters.workloads.sort import Sort
from weft.adapters.workloads.terasort import TeraSort
from weft.errors import UsageError
from weft.spec.parse import parse

PREPARED = [{"rows": 10, "checksum": "a", "hash": "b"}]


def ran(**more: Any) -> dict[str, Any]:
    return {"valid": True, "bytes_in": 1000, "bytes_out": 1000, "seconds": 1.0, "partitions": 2, **more}


@pytest.mark.parametrize(("given", "asked"), [({}, "stock"), ({"method": "raw"}, "raw")])
def test_the_sort_is_the_engines_unless_asked_otherwise(given: dict[str, Any], asked: str) -> None:
    arguments = TeraSort(size=1000, **given).job(Prepared(fake_layout(), PREPARED)).arguments
    assert arguments[arguments.index("--method") + 1] == asked


def test_the_record_says_which_method_the_job_ran_and_not_which_was_asked_for() -> None:
    checked = [{"valid": True, "rows": 10, "checksum": "a"}]
    judgement = TeraSort(size=1000, method="stock").judge(Results(PREPARED, ran(method="raw"), checked))
    assert judgement.valid
    assert judgement.facts["method"] == "raw"


@pytest.mark.parametrize(
    ("method", "words"),
    [("stock", "the engine&#39;s own operators"), ("raw", "the limit of this engine&#39;s data path")],
)
def test_the_report_says_at_its_head_which_sort_it_was(tmp_path: Path, method: str, words: str) -> None:
    record = make_record(tmp_path / "run", head={"facts": {"method": method}})
    text = report.write(record).read_text()
    assert f"Terasort (method {method}) of " in text
    assert words in text


def test_without_the_sort_order_is_not_checked_and_count_and_checksum_are() -> None:
    layout, work = fake_layout(), TeraSort(size=1000, sort=False)
    arguments = work.job(Prepared(layout, PREPARED)).arguments
    assert arguments[arguments.index("--sort") + 1] == "false"
    (check,) = work.check(Prepared(layout, PREPARED))
    words = list(check.argv)
    assert words[words.index("--order") + 1] == "none"
    assert words[words.index("--rows") + 1] == "10"
    assert words[words.index("--checksum") + 1] == "a"
    assert "--order" not in TeraSort(size=1000).check(Prepared(layout, PREPARED))[0].argv


def test_a_job_that_sorted_although_it_was_not_to_is_invalid() -> None:
    checked, work = [{"valid": True, "rows": 10, "checksum": "a"}], TeraSort(size=1000, sort=False)
    assert work.judge(Results(PREPARED, ran(sort=False), checked)).valid
    assert work.judge(Results(PREPARED, ran(sort=False), checked)).facts["sort"] is False
    assert "ran with sort=true" in work.judge(Results(PREPARED, ran(sort=True), checked)).reason
    assert (
        "ran with sort=false" in TeraSort(size=1000).judge(Results(PREPARED, ran(sort=False), checked)).reason
    )


@pytest.mark.parametrize("wrong", [{"valid": False, "reason": "checksum is b"}])
def test_a_record_that_is_lost_is_found_without_the_order_too(wrong: dict[str, Any]) -> None:
    judgement = TeraSort(size=1000, sort=False).judge(Results(PREPARED, ran(sort=False), [wrong]))
    assert (judgement.valid, judgement.reason) == (False, "checksum is b")


@pytest.mark.parametrize("engine", ["flink", "hadoop"])
def test_engines_that_always_sort_are_refused(engine: str) -> None:
    with pytest.raises(UsageError, match="with these parameters"):
        parse({"workload": {"kind": "terasort", "sort": False}, "engine": engine})


def test_a_method_that_always_sorts_is_refused() -> None:
    with pytest.raises(UsageError, match="sortByKey always sorts"):
        parse({"workload": {"kind": "terasort", "sort": False, "method": "kryo"}})


@pytest.mark.parametrize(
    ("engine", "size", "partitions"),
    [("spark", "3TB", 46_875), ("flink", "3TB", 32_768), ("flink", "1GB", 16)],
)
def test_there_are_no_more_partitions_than_the_engine_runs(engine: str, size: str, partitions: int) -> None:
    layout = replace(fake_layout(), engine=engine)
    assert TeraSort(size=size).reducers(layout) == Sort(size=size).reducers(layout) == partitions
