"""Ernest's model as a baseline of predictions: Venkataraman et al., "Ernest", NSDI 2016, section 3.1.

A job takes a fixed time, one for its data over its machines, one for the logarithm of machines and one for each machine: four
terms, of which none is negative, fitted by least squares to small runs. Slots are its machines here, and it knows no storages.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

_TERMS = 4
_EQUAL = 1e-9
"""Square seconds: fits that differ by less are equally good."""


@dataclass(frozen=True)
class Sample:
    """A run. `data`: its amount, in any unit that all have."""

    data: float
    slots: int
    seconds: float


def _terms(data: float, slots: int) -> list[float]:
    return [1.0, data / slots, float(np.log(slots)), float(slots)]


def fit(samples: Sequence[Sample]) -> list[float]:
    """The factors of its terms; of equally good ones those with the fewest terms. Raises ValueError without a sample."""
    if not samples:
        raise ValueError("there is no run to fit Ernest's terms to")
    rows = np.array([_terms(one.data, one.slots) for one in samples])
    seconds = np.array([one.seconds for one in samples])
    best, least = [0.0] * _TERMS, float(np.inf)
    # all supports of four terms can be tried, and the best one without a negative factor is the exact solution
    for size in range(1, _TERMS + 1):
        for support in combinations(range(_TERMS), size):
            factors, _, rank, _ = np.linalg.lstsq(rows[:, support], seconds, rcond=None)
            error = float(((rows[:, support] @ factors - seconds) ** 2).sum())
            if rank == size and factors.min() >= 0 and error < least - _EQUAL:
                least = error
                best = [
                    float(factors[support.index(term)]) if term in support else 0.0 for term in range(_TERMS)
                ]
    return best


def predict(samples: Sequence[Sample], data: float, slots: int) -> float:
    """Seconds elsewhere."""
    return sum(factor * term for factor, term in zip(fit(samples), _terms(data, slots), strict=True))
