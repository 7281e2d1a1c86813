"""timely on real processes: checked results, and a killed process that is named."""

import json

import pytest

from tests.local.conftest import Weft, in_phase, kill
from tests.local.test_terasort import CHECKSUM
from tests.needs import TIMELY, needs

pytestmark = [needs(*TIMELY), pytest.mark.long]
TWO = ("--engine", "timely", "--nodes", "local:2")


def test_a_sort_is_valid_and_a_killed_process_ends_a_run_and_is_named(weft: Weft) -> None:
    result = weft.result("run", "terasort", *TWO, "--size", "100MB", "--set", "partitions=3")
    assert result["verdict"] == "VALID", result
    assert result["facts"]["checksum"] == CHECKSUM
    assert result["bytes_in"] == result["bytes_out"] == 100_000_000
    process = weft.start("run", "terasort", *TWO, "--size", "100MB", "--json")
    begun = lambda: in_phase(weft, "prepare") and weft.processes("weft-timely")[1:]  # noqa: E731
    weft.wait_for(process, begun, 240)
    kill(next(p for p in weft.processes("weft-timely") if p.environ()["WEFT_NODE"] == "node2"))
    out, err = process.communicate(timeout=100)
    assert process.returncode == 1
    assert "timely-node2 on node2 ended (killed by signal 9)" in " ".join(err.split()), json.loads(out)
    assert weft.head()["verdict"] == "INVALID"
