"""One short run of each engine whose answer is known: most of its time is a slow link's."""

import pytest

from tests.local.conftest import Weft
from tests.needs import JAVA, VIRTUAL, needs
from tests.truth.answers import explained

# with two other tests running, Flink's run had more CPU time than network
pytestmark = [pytest.mark.long, needs(*VIRTUAL, *JAVA)]


@pytest.mark.parametrize("engine", ["spark", "flink", "hadoop"])
def test_a_slow_link_is_waited_for(engine: str, weft: Weft) -> None:
    nodes = "virtual:2,cores=1,rate=4mbit"
    words = ("terasort", "--size", "20MB", "--nodes", nodes, "--scratch", "memory", "--engine", engine)
    found = explained(weft, "run", *words)
    assert found.largest_of_tasks() == "network"
