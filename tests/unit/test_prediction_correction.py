"""Predictions corrected by other runs of the same work."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.analysis.predict.correction import PER_DOUBLING, USUAL, Residual, choose_runs, deviation, fit
from weft.analysis.predict.distance import AGAIN, Axes

NEAR: Axes = {AGAIN: 1.0, "slots": 1.0}
FAR: Axes = {AGAIN: 1.0, "slots": 4.0}
STORAGE: Axes = {AGAIN: 1.0, "scratch on lustre": 0.5}


def test_without_other_runs_a_prediction_stays_and_its_deviation_is_assumed() -> None:
    log, deviation = fit([]).at(FAR)
    assert log == 0.0
    assert deviation == pytest.approx(math.hypot(USUAL, USUAL, 4 * PER_DOUBLING))


def test_a_factor_that_all_runs_have_is_the_luck_of_the_measured_one() -> None:
    known = fit([Residual({AGAIN: 1.0}, 0.08)] * 20)
    assert known.at({AGAIN: 1.0})[0] == pytest.approx(0.08, abs=0.01)


def test_an_error_for_each_doubling_is_carried_on() -> None:
    runs = [Residual({AGAIN: 1.0, "slots": float(d)}, 0.05 * d) for d in (-1, 0, 1, 1, 2, 2)]
    known = fit(runs, run=0.03)
    assert known.at(FAR)[0] == pytest.approx(0.2, rel=0.3)
    assert known.at(FAR)[1] < fit([], run=0.03).at(FAR)[1]
    assert fit(runs).at(FAR)[0] < known.at(FAR)[0], "less is carried on where equal runs differ more"


def test_what_was_seen_on_one_storage_says_nothing_of_another() -> None:
    known = fit([Residual({"scratch on lustre": 0.5}, 0.2)])
    log, deviation = known.at({"scratch on disk": 0.5})
    assert log == 0.0
    assert deviation >= fit([]).at({"scratch on disk": 0.5})[1]


def test_runs_that_are_further_off_than_assumed_widen_every_band() -> None:
    odd = [Residual(NEAR, 0.5), Residual(NEAR, -0.5), Residual(NEAR, 0.4)]
    assert fit(odd).at(STORAGE)[1] > 2 * fit([]).at(STORAGE)[1]


def test_the_assumed_deviations_count_as_many_runs_as_their_degrees_of_freedom() -> None:
    assumed = fit([]).at({AGAIN: 1.0})[1]
    twice = [Residual({AGAIN: 1.0}, 2 * assumed)]
    assert fit(twice).overdispersion == pytest.approx(math.sqrt((8 + 4) / 9)), "one run proves little"
    own = [Residual({f"scratch on {number}": 1.0}, 2 * math.hypot(0.5, USUAL)) for number in range(100)]
    assert fit(own).overdispersion == pytest.approx(math.sqrt((8 + 400) / 108)), "many prove much"


@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(-0.1, 0.1)), max_size=6))
def test_a_correction_is_never_more_than_what_was_seen(runs: list[tuple[float, float]]) -> None:
    known = fit([Residual({AGAIN: 1.0, "slots": axis}, log) for axis, log in runs])
    most = max((abs(log) for _, log in runs), default=0.0)
    assert all(abs(known.at({AGAIN: 1.0, "slots": axis})[0]) <= 2 * most + 1e-9 for axis, _ in runs)


def test_the_runs_that_are_chosen_are_those_that_tell_most() -> None:
    offered: list[Axes] = [{AGAIN: 1.0}, NEAR, STORAGE]
    assert choose_runs(offered, [FAR], 1) == [1]
    assert 2 in choose_runs(offered, [STORAGE], 2)
    assert choose_runs([], [FAR], 4) == []
    assert len(choose_runs(offered, [FAR], 4)) <= 4


def test_what_is_known_already_is_not_measured_again() -> None:
    assert choose_runs([NEAR], [{AGAIN: 1.0}], 4, known=[NEAR] * 200) == []


def test_the_deviation_of_one_run_is_that_of_equal_runs_and_the_usual_one_without_any() -> None:
    assert deviation([]) == pytest.approx(USUAL)
    alike = deviation([[10.0, 10.0, 10.0, 10.0]] * 20)
    assert alike < USUAL / 3
    apart = deviation([[10.0, 20.0], [7.0, 14.0], [3.0, 6.0]] * 10)
    assert apart == pytest.approx(math.log(2) / math.sqrt(2), rel=0.1)
    assert fit([], alike).at({AGAIN: 1.0})[1] == pytest.approx(math.sqrt(2) * alike)


def test_a_band_is_wider_while_few_runs_are_known() -> None:
    few, many = fit([]), fit([Residual({AGAIN: 1.0}, 0.0)] * 200)
    assert few.within(0.9) == pytest.approx(1.860, abs=0.005), "Student's t with 8 degrees of freedom"
    assert many.within(0.9) == pytest.approx(1.645, abs=0.01)
