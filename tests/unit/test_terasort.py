"""TeraSort sorts as the engine's users would, unless it is asked for weft's own sorter; the record says which was run."""

from pathlib import Path
from typing import Any

import pytest

from tests.fakes import fake_layout
from tests.unit.report_fakes import make_record
from weft import report
from weft.workloads.terasort import TeraSort

PREPARED = [{"rows": 10, "checksum": "a"}]


def ran(**more: Any) -> dict[str, Any]:
    return {"valid": True, "bytes_in": 1000, "bytes_out": 1000, "seconds": 1.0, "partitions": 2, **more}


@pytest.mark.parametrize(("given", "asked"), [({}, "stock"), ({"method": "raw"}, "raw")])
def test_the_sort_is_the_engines_unless_asked_otherwise(given: dict[str, Any], asked: str) -> None:
    arguments = TeraSort(size=1000, **given).job(fake_layout(), PREPARED).arguments
    assert arguments[arguments.index("--method") + 1] == asked


def test_the_record_says_which_method_the_job_ran_and_not_which_was_asked_for() -> None:
    checked = [{"valid": True, "rows": 10, "checksum": "a"}]
    judgement = TeraSort(size=1000, method="stock").judge(PREPARED, ran(method="raw"), checked)
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
