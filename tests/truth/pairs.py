"""A run that a part slows down, and the same run without it: the bound of the part, and what came true."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.local.conftest import Weft
from tests.truth.answers import Explained, explained
from tests.truth.doses import CROWD, WIDE
from tests.truth.programs import crowded

NODES = ("--nodes", "virtual:2,cores=1")
BLOCKS = ("run", "groupby", *NODES, "--set", "mappers=60", "--set", "pairs=100", "--set", "value_bytes=100")
OWN = ("submit", "--nodes", "virtual:1,cores=1")


@dataclass(frozen=True)
class Pair:
    """The words of two runs, and of the job of both if it has to be compiled."""

    slow: Sequence[str]
    fast: Sequence[str]
    job: Callable[[Path], Sequence[str]] = lambda _: ()

    def measure(self, weft: Weft) -> tuple[Explained, Explained]:
        job = self.job(weft.home)
        return explained(weft, *self.slow, *job), explained(weft, *self.fast, *job)


@dataclass(frozen=True)
class Compared:
    """Medians of several pairs."""

    share: float
    """Least share of the part in the slow runs."""
    bound: float
    """How many times faster at most without the part, as the explanation of the slow runs reports it."""
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
        (*OWN, "--set", "engine.executor_memory=600MB"),
        (*OWN, "--set", "engine.executor_memory=2GB"),
        lambda folder: ("--", str(crowded(folder)), *CROWD),
    ),
}
"""By part."""
EQUAL = (*BLOCKS, "--scratch", "delayed:lustre")
"""A run that is done twice."""
