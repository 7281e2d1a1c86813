"""A run that a part slows down, and the same run without it: the bound of the part, and what came true."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.local.conftest import Weft
from tests.truth.answers import Explained, explained, profile
from tests.truth.doses import CROWD, WIDE
from tests.truth.programs import crowded

NODES = ("--nodes", "virtual:2,cores=1")
BLOCKS = ("run", "groupby", *NODES, "--set", "mappers=60", "--set", "pairs=100", "--set", "value_bytes=100")
EQUAL = (*BLOCKS, "--scratch", "delayed:lustre-2014")
"""A run that is done twice."""
ROUND_TRIP = 1000
"""Microseconds of an operation of the metadata server."""

Pair = Callable[[Path], tuple[Sequence[str], Sequence[str]]]
"""By a folder for what they need: the words of a run, and of the same run without a part."""


def _metadata(folder: Path) -> tuple[Sequence[str], Sequence[str]]:
    """The same file system, whose metadata server answers at once."""
    slow = profile(folder, "slow", metadata__round_trip_us=ROUND_TRIP)
    return (*BLOCKS, "--scratch", slow), (*BLOCKS, "--scratch", profile(folder, "fast"))


def _network(_: Path) -> tuple[Sequence[str], Sequence[str]]:
    wide = ("run", *WIDE, "--scratch", "memory", "--nodes")
    return (*wide, f"{NODES[1]},rate=20mbit"), (*wide, NODES[1])


def _gc(folder: Path) -> tuple[Sequence[str], Sequence[str]]:
    job = ("--", str(crowded(folder)), *CROWD)
    own = ("submit", "--nodes", "virtual:1,cores=1", "--set")
    small, large = (f"engine.executor_memory={heap}" for heap in ("600MB", "2GB"))
    return (*own, small, *job), (*own, large, *job)


PAIRS: Mapping[str, Pair] = {"metadata: scratch": _metadata, "network": _network, "GC": _gc}
"""By part."""


def measured(part: str, weft: Weft) -> tuple[Explained, Explained]:
    """Both runs of a pair."""
    slow, fast = PAIRS[part](weft.home)
    return explained(weft, *slow), explained(weft, *fast)


@dataclass(frozen=True)
class Compared:
    """Medians of several pairs."""

    share: float
    """Least share of the part in the slow runs."""
    bound: float
    """How many times faster at most without the part, as the explanation of the slow runs reports it."""
    expected: float
    """The same, but with what the other runs still have of the part: a large heap needs a collector too."""
    real: float
    """How many times faster the runs without it were."""


def expected(part: str, slow: Explained, fast: Explained) -> float:
    """How many times faster without as much of the part as the other run does not have."""
    left = fast.seconds(part) / fast.table["slots"]
    return max(1.0, slow.wall / (slow.wall / slow.bound(part) + left))


def compared(part: str, found: Sequence[tuple[Explained, Explained]]) -> Compared:
    return Compared(
        share=min(slow.share(part) for slow, _ in found),
        bound=statistics.median(slow.bound(part) for slow, _ in found),
        expected=statistics.median(expected(part, slow, fast) for slow, fast in found),
        real=statistics.median(slow.wall / fast.wall for slow, fast in found),
    )
