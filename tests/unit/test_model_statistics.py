"""Medians, intervals, ratios and an order that does not rank ties."""

import statistics as standard
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.analysis.compare import statistics
from weft.analysis.compare.estimate import Estimate

TIMES = st.lists(st.floats(0.001, 1e6), min_size=1, max_size=12)
FEW = settings(max_examples=40, deadline=None)


@FEW
@given(TIMES)
def test_an_interval_holds_its_median_and_lies_within_the_values(values: list[float]) -> None:
    found = statistics.median(values)
    assert found.median == standard.median(values)
    if len(values) < 3:
        assert (found.low, found.high) == (None, None)
    else:
        assert found.low is not None
        assert found.high is not None
        assert min(values) <= found.low <= found.median <= found.high <= max(values)


@FEW
@given(TIMES)
def test_the_same_values_give_the_same_interval(values: list[float]) -> None:
    assert statistics.median(values) == statistics.median(values)


@FEW
@given(TIMES, st.floats(0.1, 10))
def test_scaling_scales(values: list[float], factor: float) -> None:
    found, scaled = statistics.median(values), statistics.median([value * factor for value in values])
    assert scaled.median == pytest.approx(found.median * factor)
    if found.low is not None:
        assert scaled.low == pytest.approx(found.low * factor)


@FEW
@given(TIMES)
def test_a_ratio_to_itself_is_one(values: list[float]) -> None:
    found = statistics.ratio(values, values)
    assert found.median == pytest.approx(1)
    assert found.low is None or found.low <= 1 <= (found.high or 0)


def test_few_values_give_no_interval_and_say_so() -> None:
    assert statistics.median([1.0, 2.0]).caveat == "no interval: 2 of at least 3 valid runs"
    assert statistics.median([1.0, 2.0, 3.0]).caveat == "3 runs: the interval covers 75% at best, not 95%"
    assert statistics.median([1.0, 2, 3, 4, 5, 6]).caveat == ""


def test_nothing_has_no_median() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        statistics.median([])
    with pytest.raises(ValueError, match="base above zero"):
        statistics.ratio([1.0], [0.0])


def test_an_interval_covers_the_true_median_about_as_often_as_it_says() -> None:
    import random

    rng = random.Random(1)
    hits = 0
    for _ in range(200):
        found = statistics.median([rng.gauss(100, 10) for _ in range(15)])
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 100 <= found.high
    assert hits >= 180


def estimate(low: float, high: float) -> Estimate:
    return Estimate((low + high) / 2, low, high, 5)


def test_cells_whose_intervals_overlap_are_a_tie() -> None:
    cells = {"c": estimate(20, 22), "a": estimate(1, 3), "b": estimate(2.5, 4), "d": estimate(21.5, 30)}
    assert statistics.ranked(cells) == ([["a", "b"], ["c", "d"]], [])


def test_a_tie_through_another_cell_is_a_tie() -> None:
    cells = {"a": estimate(1, 3), "b": estimate(2, 6), "c": estimate(5, 8)}
    assert statistics.ranked(cells) == ([["a", "b", "c"]], [])


def test_a_cell_without_an_interval_is_not_ranked() -> None:
    assert statistics.ranked({"a": estimate(1, 2), "b": Estimate(9, None, None, 1)}) == ([["a"]], ["b"])


@FEW
@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 20)), max_size=8))
def test_ranks_are_apart_and_hold_every_cell_once(bounds: list[tuple[float, float]]) -> None:
    cells = {str(number): estimate(low, low + width) for number, (low, width) in enumerate(bounds)}
    ranks, apart = statistics.ranked(cells)
    assert sorted(name for rank in ranks for name in rank) == sorted(cells)
    assert apart == []
    for faster, slower in pairwise(ranks):
        assert max(cells[name].high or 0 for name in faster) < min(cells[name].low or 0 for name in slower)
