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
    if len(values) < 6:
        assert (found.low, found.high) == (None, None)
        assert found.ends == ((min(values), max(values)) if len(values) > 1 else None)
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
    assert statistics.median([1.0, 2.0]).caveat == "no interval: 2 of at least 6 valid runs"
    assert statistics.median([1.0, 2.0, 3.0]).caveat == "no interval: 3 of at least 6 valid runs"
    assert statistics.median([1.0, 2, 3, 4, 5, 6]).caveat == ""


def test_nothing_has_no_median() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        statistics.median([])
    with pytest.raises(ValueError, match="base above zero"):
        statistics.ratio([1.0], [0.0])


@pytest.mark.parametrize(
    ("count", "left_out"), [(6, 0), (8, 0), (9, 1), (12, 2), (15, 3), (20, 5), (2000, 955)]
)
def test_an_interval_ends_at_the_values_that_tables_of_order_statistics_have(
    count: int, left_out: int
) -> None:
    found = statistics.median([float(number) for number in range(count)])
    assert (found.low, found.high) == (left_out, count - 1 - left_out)


@pytest.mark.parametrize("count", [6, 7, 9, 15])
@pytest.mark.parametrize("draw", ["gauss", "expovariate"])
def test_an_interval_covers_what_it_is_of_at_least_as_often_as_it_says(count: int, draw: str) -> None:
    import math
    import random

    rng = random.Random(1)
    true, sample = {
        "gauss": (100.0, lambda: rng.gauss(100, 10)),
        "expovariate": (math.log(2), lambda: rng.expovariate(1)),
    }[draw]
    single = of_ratio = 0
    for _ in range(400):
        above, below = ([sample() for _ in range(count)] for _ in range(2))
        single += holds(statistics.median(above), true)
        of_ratio += holds(statistics.ratio(above, below), 1)
    # three standard errors of 400 draws below 95 %
    assert min(single, of_ratio) >= 400 * (0.95 - 3 * (0.95 * 0.05 / 400) ** 0.5)


def holds(found: Estimate, true: float) -> bool:
    assert found.low is not None
    assert found.high is not None
    return found.low <= true <= found.high


def test_the_range_of_a_ratio_of_few_values_has_every_pair_of_them() -> None:
    found = statistics.ratio([4.0, 6.0, 5.0], [1.0, 2.0])
    assert (found.low, found.ends) == (None, (2.0, 6.0))


def test_a_ratio_to_times_of_which_one_is_zero_has_no_range() -> None:
    found = statistics.ratio([4.0, 6.0], [0.0, 2.0])
    assert (found.median, found.low, found.ends) == (5.0, None, None)


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
