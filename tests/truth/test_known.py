"""Runs whose answer is known: what was made slow is what the explanation names. Orders and ratios, no times."""

from pathlib import Path

import pytest

from tests.local.conftest import Weft
from tests.needs import DELAYED, JAVA, VIRTUAL, needs
from tests.truth.answers import explained
from tests.truth.doses import CROWDED

HERE = Path(__file__).parent
NODES = ("--nodes", "virtual:2,cores=1")
BLOCKS = ("groupby", *NODES, "--set", "pairs=100", "--set", "value_bytes=100")

pytestmark = [pytest.mark.long, *[needs(*VIRTUAL, *JAVA, *DELAYED)]]


def test_many_small_blocks_on_an_emulated_lustre_wait_for_metadata(weft: Weft) -> None:
    found = explained(weft, "run", *BLOCKS, "--set", "mappers=60", "--scratch", "delayed:lustre")
    assert found.largest_of_tasks() == "metadata: scratch"


def test_terasort_computes(weft: Weft) -> None:
    found = explained(weft, "run", "terasort", *NODES, "--size", "500MB")
    assert found.largest_of_tasks() == "processor"
    assert found.share("unclassified") <= 0.1


def test_a_skewed_stage_has_a_tail(weft: Weft) -> None:
    found = explained(weft, "submit", *NODES, str(HERE / "spin.py"), "40", "1", "1", "1")
    assert found.largest_of_empty() == "no task: tail of a stage"


def test_a_small_heap_keeps_the_collector_busy(weft: Weft) -> None:
    small, large = (
        explained(
            weft, "submit", *NODES, "--set", f"engine.executor_memory={heap}", str(CROWDED), "700000", "4"
        )
        for heap in ("512MB", "2GB")
    )
    assert small.seconds("collector") > 3 * large.seconds("collector")


def test_a_slow_link_is_waited_for(weft: Weft) -> None:
    blocks = ("groupby", "--set", "mappers=8", "--set", "pairs=4000", "--set", "value_bytes=1000")
    found = explained(weft, "run", *blocks, "--nodes", "virtual:2,cores=1,rate=20mbit", "--scratch", "memory")
    assert found.largest_of_tasks() == "network"
