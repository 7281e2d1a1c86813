"""Predictions and advice from a real run, and a change that is tried."""

import pytest

from tests.local.conftest import Weft

pytestmark = pytest.mark.long
GROUPBY = ("groupby", "--nodes", "local:1,cores=1", "--scratch", "disk", "--set", "pairs=200")


def test_a_real_run_is_predicted_and_advised_on(weft: Weft) -> None:
    assert weft("run", *GROUPBY).returncode == 0
    measured = weft.head()["measured"]
    found = weft.result("predict", "last", "--nodes", "1..4", "--scratch", "disk,memory")
    assert [point["nodes"] for point in found["curves"][0]["points"]] == [1, 2, 4]
    # where it was measured, the prediction is what was measured
    assert abs(found["curves"][0]["points"][0]["seconds"] / measured - 1) < 0.01
    assert weft.result("advise", "last")["run"] == weft.record().name
    assert (weft("predict", "last").returncode, (weft.record() / "prediction.html").exists()) == (0, True)


def test_a_change_that_is_tried_is_kept_in_the_log(weft: Weft) -> None:
    """Whether there is one depends on the machine: then it is kept, otherwise the command says so."""
    assert weft("run", *GROUPBY).returncode == 0
    tried = weft("advise", "last", "--try", "1", "--repeat", "1")
    lines = weft.result("advise", "--score") if tried.returncode == 0 else []
    assert tried.returncode == 0 or "nothing to try" in tried.stderr
    assert len(lines) == (1 if tried.returncode == 0 else 0)
