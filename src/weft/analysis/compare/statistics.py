"""Medians with intervals, and a ranking without cells whose intervals overlap."""

import statistics
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from weft.analysis.compare.estimate import LEAST, LEVEL, Estimate

Name = TypeVar("Name", bound=Hashable)

RESAMPLES = 4000
_SEED = 20_240_229
"""The same values always give the same interval."""


def median(values: Sequence[float]) -> Estimate:
    """The median of at least one value. Raises ValueError if there is none."""
    if not values:
        raise ValueError("a median needs at least one value")
    return combined({"": values}, lambda medians: medians[""])


def ratio(values: Sequence[float], base: Sequence[float]) -> Estimate:
    """The ratio of two medians; its count is that of the smaller sample. Raises ValueError without a positive base."""
    if not values or not base or statistics.median(base) <= 0:
        raise ValueError("a ratio of medians needs values on both sides, and a base above zero")
    found = combined({"above": values, "below": base}, lambda medians: medians["above"] / medians["below"])
    return found if min(base) > 0 else replace(found, low=None, high=None)


def combined(
    samples: Mapping[Name, Sequence[float]], work_out: Callable[[Mapping[Name, Any]], Any]
) -> Estimate:
    """A value computed from the medians of several samples, each of at least one value, with its bootstrap interval."""
    middle = float(work_out({name: statistics.median(values) for name, values in samples.items()}))
    count = min(len(values) for values in samples.values())
    if count < LEAST:
        return Estimate(middle, None, None, count)
    rng = np.random.default_rng(_SEED)
    drawn = work_out({name: _medians(values, rng) for name, values in samples.items()})
    low, high = map(float, np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]))
    return Estimate(middle, min(low, middle), max(high, middle), count)


def ranked(cells: Mapping[str, Estimate]) -> tuple[list[list[str]], list[str]]:
    """Groups of names in order of their medians, and the names that cannot be ranked.

    Cells whose intervals overlap, directly or through others, form one group: a tie. Cells without an interval are
    not ranked.
    """
    bounded = {name: (cell.low, cell.high or 0.0) for name, cell in cells.items() if cell.low is not None}
    groups: list[list[str]] = []
    edge = -np.inf
    for name, (low, high) in sorted(bounded.items(), key=lambda item: item[1]):
        if groups and low <= edge:
            groups[-1].append(name)
        else:
            groups.append([name])
        edge = max(edge, high)
    ranks = [sorted(group, key=lambda name: cells[name].median) for group in groups]
    return ranks, [name for name in cells if name not in bounded]


def _medians(
    values: Sequence[float], rng: np.random.Generator
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    drawn = rng.choice(np.asarray(values, dtype=np.float64), size=(RESAMPLES, len(values)))
    found: np.ndarray[tuple[int], np.dtype[np.float64]] = np.median(drawn, axis=1)
    return found
