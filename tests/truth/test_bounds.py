"""A bound against the run without the part: never beaten beyond the noise, and near it where the part is large."""

import statistics

import pytest

from tests.local.conftest import Weft
from tests.needs import DELAYED, JAVA, VIRTUAL, needs
from tests.truth.answers import Explained, explained
from tests.truth.doses import WIDE

pytestmark = [pytest.mark.long, *[needs(*VIRTUAL, *JAVA, *DELAYED)]]

NODES = "virtual:2,cores=1"
BLOCKS = (
    "groupby",
    "--nodes",
    NODES,
    "--set",
    "mappers=60",
    "--set",
    "pairs=100",
    "--set",
    "value_bytes=100",
)
PAIRS = {
    "metadata: scratch": ((*BLOCKS, "--scratch", "delayed:lustre"), (*BLOCKS, "--scratch", "memory")),
    "network": (
        (*WIDE, "--nodes", f"{NODES},rate=20mbit", "--scratch", "memory"),
        (*WIDE, "--nodes", NODES, "--scratch", "memory"),
    ),
}
"""By part: a run that has it, and the same run without."""
NOISE = 0.15
ROUNDS = 3


@pytest.mark.parametrize("part", PAIRS)
def test_the_bound_is_near_the_run_without_the_part(part: str, weft: Weft) -> None:
    pairs = [[explained(weft, "run", *words) for words in PAIRS[part]] for _ in range(ROUNDS)]
    bound = statistics.median(slow.bound(part) for slow, _ in pairs)
    real = statistics.median(slow.wall / fast.wall for slow, fast in pairs)
    assert real <= bound * (1 + NOISE)
    if all(slow.share(part) > 0.2 for slow, _ in pairs):
        assert real >= bound * (1 - NOISE)


def test_equal_runs_have_equal_answers(weft: Weft) -> None:
    words = (*BLOCKS, "--scratch", "delayed:lustre")
    found: list[Explained] = [explained(weft, "run", *words) for _ in range(2)]
    assert len({each.largest_of_tasks() for each in found}) == 1
    first, second = found
    for name in {str(part["name"]) for part in first.table["parts"]}:
        assert first.share(name) == pytest.approx(second.share(name), abs=0.1)
