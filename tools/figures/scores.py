"""How good intervals and slopes are: what a share of hits says, what an interval costs, what a line is known to."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

LEVEL = 0.95


def student(free: int, level: float = LEVEL) -> float:
    """How many standard errors to either side hold this share, with so many degrees of freedom; exact.

    The series are those of Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
    """
    if free < 1:
        raise ValueError("without a degree of freedom nothing is known of an error")

    def within(angle: float) -> float:
        cosine, sine, term, odd = math.cos(angle), math.sin(angle), 1.0, free % 2
        total, first = 0.0, 1 if odd else 0
        for power in range(first, free - 1, 2):
            total += term * cosine**power
            term *= (power + 1) / (power + 2)
        return 2 / math.pi * (angle + sine * total) if odd else sine * total

    return math.sqrt(free) * math.tan(_solved(within, level, 0.0, math.pi / 2))


def held(hits: int, of: int, level: float = LEVEL) -> tuple[float, float]:
    """Between which shares the true one is, when so many of some were hits (Clopper and Pearson, Biometrika 26, 1934)."""

    def at_most(share: float) -> float:
        return sum(math.comb(of, k) * share**k * (1 - share) ** (of - k) for k in range(hits + 1))

    def at_least(share: float) -> float:
        return sum(math.comb(of, k) * share**k * (1 - share) ** (of - k) for k in range(hits, of + 1))

    low = 0.0 if hits == 0 else _solved(at_least, (1 - level) / 2, 0.0, 1.0)
    high = 1.0 if hits == of else 1 - _solved(lambda share: at_most(1 - share), (1 - level) / 2, 0.0, 1.0)
    return low, high


def _solved(rising: Callable[[float], float], wanted: float, low: float, high: float) -> float:
    """Where a function that rises has a value."""
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < wanted else (low, middle)
    return (low + high) / 2


def interval_score(low: float, high: float, real: float, level: float) -> float:
    """Of an interval of times, on logarithms: its width, and how far it missed in units of what it leaves out; 0 is best.

    Gneiting and Raftery, Strictly Proper Scoring Rules, Prediction, and Estimation, 2007, section 6.2.
    """
    below, above, true = math.log(low), math.log(high), math.log(real)
    missed = max(below - true, true - above, 0.0)
    return above - below + 2 / (1 - level) * missed


@dataclass(frozen=True)
class Slope:
    """Of a straight line, with half of its interval by Student's t; none with fewer than three points."""

    value: float
    error: float | None
    """Standard error."""
    half: float | None
    base: float
    """Where the line is at 0: an error that is the same at all points is here, and not in the slope."""
    base_half: float | None
    """Half of the interval of that."""


def slope(given: Sequence[float], found: Sequence[float]) -> Slope:
    """Of the straight line through points, by least squares."""
    at, values = np.asarray(given, dtype=float), np.asarray(found, dtype=float)
    (tilt, base), free = np.polyfit(at, values, 1), len(at) - 2
    if free < 1:
        return Slope(float(tilt), None, None, float(base), None)
    left = float(((values - tilt * at - base) ** 2).sum()) / free
    spread = float(((at - at.mean()) ** 2).sum())
    error, known = math.sqrt(left / spread), student(free)
    of_base = math.sqrt(left * (1 / len(at) + float(at.mean()) ** 2 / spread))
    return Slope(float(tilt), error, known * error, float(base), known * of_base)
