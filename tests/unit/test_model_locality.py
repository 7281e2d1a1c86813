"""Slots that an executor kept free, since the tasks that were left wanted another one."""

from dataclasses import replace

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.test_model_attribution import job, readings, task
from weft.analysis.explain.attribution import attribute
from weft.analysis.explain.evidence import Window
from weft.analysis.explain.locality import Executor, kept
from weft.analysis.explain.slots import LOCALITY, SCHEDULING, STRAGGLERS, SlotUse
from weft.facts.jobmetrics import EXECUTORS

A = ("app", 0, 0)
TWO = {"x": Executor("app", 1, 0, 100), "y": Executor("app", 1, 0, 100)}


def ran(begin: float, end: float, place: str, *, local: bool | None = True) -> SlotUse:
    return SlotUse(A, begin, end, place, local=local)


ONE = [ran(0, 1, "x"), *(ran(at, at + 1, "y") for at in range(4))]
"""One task in x; four in y, one after another, of which x gets none."""


def seconds(tasks: list[SlotUse], executors: dict[str, Executor] = TWO) -> float:
    return kept(tasks, {A: 0}, executors).get(A, 0.0)


def test_an_executor_is_kept_free_until_the_last_task_begins_elsewhere() -> None:
    assert seconds(ONE) == 2


def test_nothing_is_known_without_what_tasks_wanted() -> None:
    assert seconds([replace(ONE[0], local=None), *ONE[1:]]) == 0


def test_nothing_is_known_of_a_stage_with_a_second_attempt() -> None:
    assert seconds([*ONE, replace(ran(3.5, 4, "x"), ready=3.0)]) == 0


def test_one_that_runs_a_task_later_which_it_has_was_not_kept_free() -> None:
    """The scheduler could have given it that task at once."""
    assert seconds([*ONE, ran(2.5, 4, "x")]) == 0


def test_one_that_gets_a_task_of_others_in_the_end_was_kept_free_until_then() -> None:
    assert seconds([*ONE[:-1], ran(3, 4, "x", local=False)]) == 2


def test_where_a_task_runs_elsewhere_without_such_a_wish_nothing_was_kept() -> None:
    assert seconds([*ONE, ran(3, 4, "z", local=False)]) == 0


def test_an_executor_has_slots_from_its_begin_to_its_end() -> None:
    assert seconds(ONE, {"x": Executor("app", 2, 0.5, 2.5), "y": Executor("app", 1, 0, 100)}) == 0.5 + 2 * 1.5


def parts(level: str | None, *, cached: bool = False) -> dict[str, tuple[float, float | None]]:
    """Seconds and bound of each reason for an empty slot in a job of these tasks."""
    rows = [
        task(0, each.begin, each.end, index=index, locality=level, executor=each.place)
        for index, each in enumerate(ONE)
    ]
    metrics = job(rows)
    metrics.stages = metrics.stages.with_columns(reads_cache=cached)
    there = [{**dict.fromkeys(EXECUTORS), "app": "app", "executor": name, "cores": 1} for name in TWO]
    metrics.executors = polars.DataFrame(there, EXECUTORS)
    found = attribute(metrics, readings({}), Window(0, 4, 2, {}))
    assert found is not None
    return {part.name: (part.seconds, part.bound) for part in found.parts if part.name.startswith("no task")}


@pytest.mark.parametrize(("level", "cached"), [("NODE_LOCAL", False), ("PROCESS_LOCAL", True)])
def test_it_is_a_part_of_the_slot_time(level: str, *, cached: bool) -> None:
    found = parts(level, cached=cached)
    assert found.keys() == {LOCALITY, STRAGGLERS}
    assert found[LOCALITY] == (2, pytest.approx(4 / 3))


@pytest.mark.parametrize("level", ["PROCESS_LOCAL", "ANY", "NO_PREF", None])
def test_tasks_that_may_want_no_place_wait_for_the_scheduler(level: str | None) -> None:
    """Spark logs the first also of those that do not."""
    assert parts(level).keys() == {SCHEDULING, STRAGGLERS}


def test_an_executor_has_no_tasks_of_other_applications() -> None:
    assert seconds(ONE, {**TWO, "z": Executor("other", 1, 0, 100)}) == 2


TASKS = st.builds(
    lambda begin, length, place, local: ran(begin, begin + length, place, local=local),
    st.integers(0, 20),
    st.integers(1, 6),
    st.sampled_from("xyz"),
    st.booleans(),
)


@given(st.lists(TASKS, max_size=12), st.integers(0, 5))
def test_it_is_what_looking_at_each_moment_finds(tasks: list[SlotUse], submitted: int) -> None:
    executors = {
        "x": Executor("app", 1, 0, 15),
        "y": Executor("app", 2, 3, 30),
        "z": Executor("app", 3, 0, 30),
    }
    assert kept(tasks, {A: submitted}, executors).get(A, 0.0) == sum(
        seen(tasks, submitted, at + 0.5, name, executor)
        for name, executor in executors.items()
        for at in range(30)
    )


def seen(tasks: list[SlotUse], submitted: int, now: float, name: str, executor: Executor) -> int:
    """Free slots of an executor while others' tasks are left, none of which would have run on it at once."""
    held = sum(each.begin < now < each.end for each in tasks if each.place == name)
    left = [each for each in tasks if each.begin > now]
    elsewhere = left and all(each.local is not (each.place == name) for each in left)
    there = submitted < now and executor.since < now < executor.until
    return max(0, executor.slots - held) if there and elsewhere else 0
