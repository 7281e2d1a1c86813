"""A delay that is overlapped: its seconds are found, and that the job would be no faster without it."""

from pathlib import Path

import pytest

from tests.local.conftest import Weft
from tests.needs import DELAYED, JAVA, VIRTUAL, needs
from tests.truth.answers import explained, in_calls, profile
from tests.truth.programs import jar

pytestmark = [pytest.mark.long, *[needs(*VIRTUAL, *JAVA, *DELAYED)]]

TASKS = 4
NODE = ("--nodes", "virtual:1,cores=1")


def test_a_delay_in_a_background_thread_costs_seconds_and_no_time(weft: Weft, tmp_path: Path) -> None:
    program = jar("SparkHidden", "spark", tmp_path, "Spin")
    storage = profile(tmp_path, "hidden", metadata__round_trip_us=5000)
    words = (*NODE, "--scratch", storage, "--", str(program), str(TASKS), "3")
    none, dosed = (explained(weft, "submit", *words, files) for files in ("0", "150"))
    given = in_calls(dosed.record, "scratch", data=False) - in_calls(none.record, "scratch", data=False)
    assert given > TASKS * 1.0, "each task's thread waits for more than a second"
    more = dosed.resource("metadata: scratch") - none.resource("metadata: scratch")
    assert more == pytest.approx(given, rel=0.15)
    assert dosed.seconds("metadata: scratch") - none.seconds("metadata: scratch") < 0.1 * given
    assert dosed.bound("metadata: scratch") < 1.05
