"""Stages scheduled again: known schedules, and bounds that no schedule can pass."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.analysis.explain.schedule import Step, makespan, without
from weft.analysis.explain.slots import FEW, Stage

A, B, C = (("app", number, 0) for number in range(3))


@pytest.mark.parametrize(
    ("steps", "slots", "expected"),
    [
        ({A: Step([1.0])}, 1, 1),
        ({A: Step([1.0, 1.0, 1.0])}, 2, 2),
        ({A: Step([3.0, 1.0, 1.0, 1.0])}, 2, 3),
        ({A: Step([1.0, 1.0], lag=2.0), B: Step([1.0], frozenset({A}), lag=0.5)}, 2, 4.5),
        ({A: Step([2.0]), B: Step([3.0]), C: Step([1.0], frozenset({A, B}))}, 2, 4),
        ({A: Step([2.0]), B: Step([3.0]), C: Step([1.0], frozenset({A, B}))}, 1, 6),
        ({A: Step([]), B: Step([1.0], frozenset({A}))}, 1, 1),
        ({A: Step([1.0], frozenset({C}))}, 1, 1),
        ({}, 4, 0),
    ],
    ids=[
        "one",
        "waves",
        "straggler",
        "chain",
        "join",
        "join on one slot",
        "no tasks",
        "skipped parent",
        "nothing",
    ],
)
def test_known_schedules(steps: dict[Stage, Step], slots: int, expected: float) -> None:
    assert makespan(steps, slots) == pytest.approx(expected)


DURATIONS = st.lists(st.floats(min_value=0.001, max_value=100), min_size=1, max_size=30)


@given(DURATIONS, DURATIONS, st.integers(min_value=1, max_value=8))
def test_a_chain_of_stages_lies_between_its_bounds(
    first: list[float], second: list[float], slots: int
) -> None:
    found = makespan({A: Step(first), B: Step(second, frozenset({A}))}, slots)
    longest = max(first) + max(second)
    ideal = (sum(first) + sum(second)) / slots
    assert max(longest, ideal) <= found * (1 + 1e-9)
    # Graham: a list schedule of each stage is at most its ideal time and its longest task together
    assert found <= (ideal + longest) * (1 + 1e-9)


@given(DURATIONS, st.integers(min_value=1, max_value=8), st.floats(min_value=0.1, max_value=1))
def test_shorter_tasks_of_one_stage_shorten_it_as_much(tasks: list[float], slots: int, factor: float) -> None:
    whole = {A: Step(tasks)}
    shorter = {A: Step([seconds * factor for seconds in tasks])}
    assert makespan(shorter, slots) == pytest.approx(makespan(whole, slots) * factor)


def test_a_stage_of_few_tasks_is_divided_among_any_number_of_slots() -> None:
    """A record may have any number: a damaged one had 10^10, and its report took all memory."""
    for count in (10, 10**10):
        assert without(FEW, {A: Step([4.0, 6.0], frozenset())}, {}, count) == pytest.approx(10.0 / count)
