"""A dose of one thing, and the response of each part: the slope of the right one is 1, the others stay."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.local.conftest import Weft
from tests.needs import DELAYED, JAVA, VIRTUAL, needs
from tests.truth.conftest import Explained, explained, latency

HERE = Path(__file__).parent
NODE = ("--nodes", "virtual:1,cores=1")

pytestmark = [pytest.mark.long, *[needs(*VIRTUAL, *JAVA, *DELAYED)]]


def slope(doses: list[float], responses: list[float]) -> float:
    """Of the straight line through the points."""
    return float(np.polyfit(doses, responses, 1)[0])


def injected(weft: Weft) -> float:
    """Seconds by which the emulated file system says it delayed metadata operations."""
    table = json.loads((weft.record() / "lustre" / "shuffle.json").read_text())
    times = [each for client in table["clients"].values() for name, each in client["llite"].items()
             if each["unit"] == "usec" and name not in {"read", "write"}]  # fmt: skip
    return sum(each["sum"] for each in times) / 1e6


def test_metadata_follows_its_delay(weft: Weft, tmp_path: Path) -> None:
    """On one node with one slot, where every block is read by its task."""
    doses, found = [], []
    for microseconds in (0, 2000, 5000):
        storage = latency(tmp_path, microseconds)
        blocks = ("--set", "mappers=30", "--set", "pairs=100", "--set", "value_bytes=100")
        found.append(explained(weft, "run", "groupby", *NODE, *blocks, "--scratch", storage))
        doses.append(injected(weft))
    assert slope(doses, [each.seconds("metadata: scratch") for each in found]) == pytest.approx(1, abs=0.15)
    assert_others_stay(found, "metadata: scratch", by=doses[-1] - doses[0])


def test_the_processor_follows_a_spin(weft: Weft) -> None:
    doses = [10, 20, 40]
    found = [explained(weft, "submit", *NODE, str(HERE / "spin.py"), *[str(each)] * 4) for each in doses]
    used = [each.seconds("processor") for each in found]
    assert (used[2] - used[1]) / (used[1] - used[0]) == pytest.approx(2, rel=0.15)


def assert_others_stay(found: list[Explained], dosed: str, *, by: float) -> None:
    """No other part of the tasks' own time takes a tenth of the dose; waiting for a processor is the machine's."""
    names = {part["name"] for each in found for part in each.table["parts"]}
    beside = {dosed, "waiting for a processor"}
    moved = {
        name: found[-1].seconds(name) - found[0].seconds(name)
        for name in names - beside
        if "no task" not in name
    }
    assert all(abs(seconds) < by / 10 + 1 for seconds in moved.values()), moved
