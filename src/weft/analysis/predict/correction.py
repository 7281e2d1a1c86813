"""What other runs of the same work say about a prediction: how much longer than predicted they were, as far as that carries over.

The logarithm of measured over predicted seconds is taken as linear in the axes of `distance`, each with a coefficient that is
0 give or take an assumed deviation: Bayesian linear regression (Bishop, Pattern Recognition and Machine Learning, 2006,
section 3.3). Without other runs it leaves the prediction as it is, and its deviation is that of the assumptions.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from weft.analysis.predict.constants import VALUE
from weft.analysis.predict.distance import AGAIN, DOUBLINGS, Axes

USUAL = VALUE["usual_deviation"]
"""Relative deviation of one run."""
_AS_MANY = 4
"""Differences between equal runs as which it counts."""
PER_DOUBLING = VALUE["error_per_doubling"]
"""Relative error of each doubling away from the measurement."""
_SURE = VALUE["runs_of_assumption"]
"""Runs as which the assumed deviations count: so many degrees of freedom have they, and so much do other runs change them."""

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Residual:
    """How another run deviates from what was predicted for it."""

    axes: Axes
    log: float
    """Of its measured over its predicted seconds."""


@dataclass(frozen=True)
class Correction:
    """What is known of the coefficients."""

    names: tuple[str, ...]
    means: Matrix
    covariance: Matrix
    overdispersion: float = 1.0
    """By how much the other runs were further off than assumed: all deviations are multiplied by it."""
    run: float = USUAL
    """Relative deviation of one run."""
    runs: int = 0
    """Other runs that it is from."""

    def at(self, axes: Axes) -> tuple[float, float]:
        """The logarithm of what a prediction there has to be multiplied by, and the deviation of a run there from that."""
        at = np.array([axes.get(name, 0.0) for name in self.names])
        unknown = {name: value for name, value in axes.items() if name not in self.names}
        variance = float(at @ self.covariance @ at) + self.run**2
        variance += sum((prior_deviation(name, self.run) * value) ** 2 for name, value in unknown.items())
        return float(at @ self.means), self.overdispersion * math.sqrt(variance)

    def within(self, share: float) -> float:
        """How many deviations to either side hold so large a share of runs: Student's distribution, as the deviations themselves
        are known from few runs (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5)."""
        normal, free = NormalDist().inv_cdf((1 + share) / 2), _SURE + self.runs
        first = (normal**3 + normal) / (4 * free)
        return normal + first + (5 * normal**5 + 16 * normal**3 + 3 * normal) / (96 * free**2)


NONE = Correction((), np.zeros(0), np.zeros((0, 0)))


def deviation(equal: Iterable[Sequence[float]]) -> float:
    """The relative deviation of one run, from the seconds of equal runs; the usual one without any."""
    squares, free = _AS_MANY * USUAL**2, _AS_MANY
    for seconds in equal:
        logs = np.log(seconds)
        squares += float(((logs - logs.mean()) ** 2).sum())
        free += len(seconds) - 1
    return math.sqrt(squares / free)


def prior_deviation(name: str, run: float = USUAL) -> float:
    """The deviation of an axis' coefficient before any other run is known."""
    if name == AGAIN:
        return run
    return PER_DOUBLING if name in DOUBLINGS else VALUE["error_per_storage"]


def fit(runs: Sequence[Residual], run: float = USUAL) -> Correction:
    """The correction by other runs. `run`: the relative deviation of one of them."""
    if not runs:
        return replace(NONE, run=run)
    names, at, logs, before, spread = _system(runs, run)
    gain = before @ at.T @ np.linalg.inv(spread)
    # the assumption is as many runs that are exactly as far off as assumed, so that a few others prove little
    square = (_squares(logs, spread) + _SURE) / (len(runs) + _SURE)
    covariance = before - gain @ at @ before
    return Correction(names, gain @ logs, covariance, max(1.0, math.sqrt(square)), run, len(runs))


def squares(runs: Sequence[Residual], run: float = USUAL) -> float:
    """How far off the runs were by all: the square of their distance in units of what is assumed (Mahalanobis)."""
    if not runs:
        return 0.0
    _, _, logs, _, spread = _system(runs, run)
    return _squares(logs, spread)


def _squares(logs: Matrix, spread: Matrix) -> float:
    return float(logs @ np.linalg.inv(spread) @ logs)


def _system(runs: Sequence[Residual], run: float) -> tuple[tuple[str, ...], Matrix, Matrix, Matrix, Matrix]:
    """Axes, runs by axes, logarithms, and the covariances of coefficients and of logarithms before any run is known."""
    names = tuple(sorted({name for one in runs for name in one.axes}))
    at = np.array([[one.axes.get(name, 0.0) for name in names] for one in runs])
    before = np.diag([prior_deviation(name, run) ** 2 for name in names])
    spread = at @ before @ at.T + run**2 * np.eye(len(runs))
    return names, at, np.array([one.log for one in runs]), before, spread


def choose_runs(
    offered: Sequence[Axes], wanted: Sequence[Axes], count: int, known: Sequence[Axes] = ()
) -> list[int]:
    """Indexes of the runs after which the wanted targets are known best, at most `count`, each chosen with those before it
    and those that are known; fewer if no more help. Each is chosen once: that errors are linear is only assumed."""
    found: list[int] = []
    left = _deviation(known, wanted)
    while len(found) < min(count, len(offered)):
        taken = [*known, *(offered[index] for index in found)]
        deviations = {
            index: _deviation([*taken, axes], wanted)
            for index, axes in enumerate(offered)
            if index not in found
        }
        best = min(deviations, key=deviations.__getitem__)
        if deviations[best] > _WORTH * left:
            break
        found.append(best)
        left = deviations[best]
    return found


_WORTH = 0.99
"""Of the deviation: a run that leaves more is not worth its time."""


def _deviation(taken: Sequence[Axes], wanted: Sequence[Axes]) -> float:
    """The mean deviation at the wanted targets; what runs will have taken does not matter for it."""
    known = fit([Residual(axes, 0.0) for axes in taken])
    return sum(known.at(axes)[1] for axes in wanted) / len(wanted)
