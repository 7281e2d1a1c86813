"""A run that a part slows down, and the same run without it: what the bound of the part said, and what came true."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.local.conftest import Weft
from tests.truth.answers import Explained, explained
from tests.truth.doses import CROWDED, WIDE

NODES = ("--nodes", "virtual:2,cores=1")
BLOCKS = ("run", "groupby", *NODES, "--set", "mappers=60", "--set", "pairs=100", "--set", "value_bytes=100")
CROWD = ("submit", "--nodes", "virtual:1,cores=1")
OBJECTS = ("--", str(CROWDED), "4000000", "4")


@dataclass(frozen=True)
class Pair:
    """The words of two runs."""

    slow: Sequence[str]
    fast: Sequence[str]

    def measure(self, weft: Weft) -> tuple[Explained, Explained]:
        return explained(weft, *self.slow), explained(weft, *self.fast)


@dataclass(frozen=True)
class Compared:
    """Medians of several pairs."""

    share: float
    """Least share of the part in the slow runs."""
    bound: float
    """How many times faster at most without the part, as the slow runs' explanation said."""
    real: float
    """How many times faster the runs without it were."""


def compared(part: str, found: Sequence[tuple[Explained, Explained]]) -> Compared:
    return Compared(
        share=min(slow.share(part) for slow, _ in found),
        bound=statistics.median(slow.bound(part) for slow, _ in found),
        real=statistics.median(slow.wall / fast.wall for slow, fast in found),
    )


PAIRS: Mapping[str, Pair] = {
    "metadata: scratch": Pair((*BLOCKS, "--scratch", "delayed:lustre"), (*BLOCKS, "--scratch", "memory")),
    "network": Pair(
        ("run", *WIDE, "--nodes", f"{NODES[1]},rate=20mbit", "--scratch", "memory"),
        ("run", *WIDE, *NODES, "--scratch", "memory"),
    ),
    "collector": Pair(
        (*CROWD, "--set", "engine.executor_memory=600MB", *OBJECTS),
        (*CROWD, "--set", "engine.executor_memory=2GB", *OBJECTS),
    ),
}
"""By part."""
EQUAL = (*BLOCKS, "--scratch", "delayed:lustre")
"""A run that is done twice."""
