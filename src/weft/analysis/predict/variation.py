"""How much runs of one spec differ from each other, which no prediction can know."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

USUAL = 0.1
"""Relative deviation of one run: 26 specs that were run 2 to 9 times within five hours on a virtual
machine with two cores, 63 differences, deviated by 0.105."""
_AS_MANY = 4
"""Differences between equal runs as which it counts."""


def deviation(equal: Iterable[Sequence[float]]) -> float:
    """The relative deviation of one run, from the seconds of equal runs; the usual one without any."""
    squares, free = _AS_MANY * USUAL**2, _AS_MANY
    for seconds in equal:
        logs = np.log(seconds)
        squares += float(((logs - logs.mean()) ** 2).sum())
        free += len(seconds) - 1
    return math.sqrt(squares / free)
