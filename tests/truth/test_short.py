"""One short run of each kind whose answer is known: the rest of these tests are long."""

from pathlib import Path

import pytest

from tests.local.conftest import Weft
from tests.needs import DELAYED, JAVA, VIRTUAL, needs
from tests.truth.answers import explained
from tests.truth.doses import DOSES

pytestmark = needs(*VIRTUAL, *JAVA)

GIVEN = {
    "metadata": 1000,
    "bandwidth": 10,
    "link": 50,
    "spin": 2,
    "heap": 1250,
    "hogs": 1,
    "python-spin": 2,
    "python-sleep": 2,
    "python-rows": 1,
    "python-imports": 500,
}
"""By dose: a small one that is seen."""
MORE = {"link", "python-rows"}
"""Of these, what is measured has other time in it: of a task that fetches, all; of the JVM, all in which it does not compute."""
TOLERANCE, START = 0.15, 1.5
"""Share by which one run may miss its dose, and seconds that the job has without any."""


# at 4 Mbit/s Flink's tasks wait 2 to 7 s for it, and compute 5: which of these is the larger depends on the machine
@pytest.mark.parametrize(("engine", "rate"), [("spark", "4mbit"), ("flink", "1mbit"), ("hadoop", "4mbit")])
def test_a_slow_link_is_waited_for(engine: str, rate: str, weft: Weft) -> None:
    nodes = f"virtual:2,cores=1,rate={rate}"
    words = ("terasort", "--size", "20MB", "--nodes", nodes, "--scratch", "memory", "--engine", engine)
    found = explained(weft, "run", *words)
    assert found.largest_of_tasks() == "network"


@pytest.mark.parametrize("name", DOSES)
@needs(*DELAYED)
def test_a_dose_comes_back(name: str, weft: Weft, tmp_path: Path) -> None:
    dose = DOSES[name]
    found = dose.measure(weft, GIVEN[name], tmp_path)
    seconds = found.answer.seconds(dose.part)
    least = 0.5 if name in MORE else 1 - TOLERANCE
    assert least * found.given - START <= seconds <= (1 + TOLERANCE) * found.given + START, (
        found.answer.by_part
    )
