"""A made-up trace on real engines: every job runs, is on record, and moves the bytes of the schedule."""

import json
from pathlib import Path

import pytest

from tests.local.conftest import Weft

JOBS = [
    f"job{number}\t{number // 2}\t0\t{number * 50_000}\t{number % 3 * 20_000}\t{number * 1000}"
    for number in range(8)
]


@pytest.mark.parametrize("engine", ["spark", pytest.param("hadoop", marks=pytest.mark.long)])
def test_a_trace_is_replayed_on_schedule(weft: Weft, tmp_path: Path, engine: str) -> None:
    trace = tmp_path / "made-up.tsv"
    trace.write_text("\n".join(JOBS) + "\n")
    words = ["--engine", engine, "--nodes", "local:1", "--set", "bytes_scale=0.5", "--set", "alone=2"]
    result = weft.result("run", f"trace:{trace}", *words)
    assert result["verdict"] == "VALID", result
    facts = result["facts"]
    assert (facts["jobs"], facts["failed"]) == (8, 0)
    assert facts["replay"]["input"] == result["bytes_in"] == 700_000
    assert facts["replay"]["output"] == result["bytes_out"] == 14_000
    assert facts["replay"]["map_only"] == 3
    assert len(facts["slowdown"]) == len(facts["levels"]) > 0
    jobs = json.loads((Path(result["record"]) / "outcomes" / "run.json").read_text())["jobs"]
    assert [sum(job[key] for job in jobs) for key in ("moved", "written")] == [70_000, 14_000]
    for job in jobs:
        assert job["scheduled"] <= job["submitted"] + 0.01
        assert job["submitted"] <= job["ended"]
        assert job["started"] is not None
    assert 'id="replay"' in Path(result["report"]).read_text()
