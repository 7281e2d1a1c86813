"""What other runs of the same work say about a prediction: how much longer than predicted they were, as far as that carries over.

The logarithm of measured over predicted seconds is taken as linear in the axes of `distance`, each with a coefficient that is
0 give or take an assumed deviation: Bayesian linear regression (Bishop, Pattern Recognition and Machine Learning, 2006,
section 3.3). Without other runs it leaves the prediction as it is, and its deviation is that of the assumptions.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.model.prediction.distance import AGAIN, DOUBLINGS, Axes

RUN = 0.035
"""Relative deviation of one run, so that two runs of one spec differ by 5 %; an assumption, as all here, that bench/unseen scores."""
PER_DOUBLING = 0.04
"""Relative error of each doubling away from the measurement."""
PER_STORAGE = 0.5
"""Relative error of the part that another storage decides, by figures of it that are not of this job."""

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Seen:
    """Another run."""

    axes: Axes
    log: float
    """Of its measured over its predicted seconds."""


@dataclass(frozen=True)
class Correction:
    """What is known of the coefficients."""

    names: tuple[str, ...]
    means: Matrix
    covariance: Matrix
    surprise: float = 1.0
    """By how much the other runs were further off than assumed: all deviations are multiplied by it."""

    def at(self, axes: Axes) -> tuple[float, float]:
        """The logarithm of what a prediction there has to be multiplied by, and the deviation of a run there from that."""
        at = np.array([axes.get(name, 0.0) for name in self.names])
        unknown = {name: value for name, value in axes.items() if name not in self.names}
        variance = float(at @ self.covariance @ at) + RUN**2
        variance += sum((assumed(name) * value) ** 2 for name, value in unknown.items())
        return float(at @ self.means), self.surprise * math.sqrt(variance)


NONE = Correction((), np.zeros(0), np.zeros((0, 0)))


def assumed(name: str) -> float:
    """The deviation of an axis' coefficient before any other run is known."""
    if name == AGAIN:
        return RUN
    return PER_DOUBLING if name in DOUBLINGS else PER_STORAGE


def fitted(runs: Sequence[Seen]) -> Correction:
    """The correction by other runs."""
    if not runs:
        return NONE
    names = tuple(sorted({name for run in runs for name in run.axes}))
    at = np.array([[run.axes.get(name, 0.0) for name in names] for run in runs])
    logs = np.array([run.log for run in runs])
    before = np.diag([assumed(name) ** 2 for name in names])
    spread = at @ before @ at.T + RUN**2 * np.eye(len(runs))
    gain = before @ at.T @ np.linalg.inv(spread)
    # as one more run that is exactly as far off as assumed, so that a single one proves little
    square = (float(logs @ np.linalg.inv(spread) @ logs) + 1) / (len(runs) + 1)
    return Correction(names, gain @ logs, before - gain @ at @ before, max(1.0, math.sqrt(square)))


def chosen(
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
    known = fitted([Seen(axes, 0.0) for axes in taken])
    return sum(known.at(axes)[1] for axes in wanted) / len(wanted)
