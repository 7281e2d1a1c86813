"""Why slots are empty: jobs of a few tasks whose answer is plain, and conservation on any job."""

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.test_model_attribution import job, readings, task
from weft.analysis.explain import sentences
from weft.analysis.explain.attribution import attribute
from weft.analysis.explain.evidence import Window
from weft.analysis.explain.slots import (
    DRIVER,
    EMPTY,
    FEW,
    SCHEDULING,
    START,
    STRAGGLERS,
    SlotUse,
    Stage,
    _Now,
    use,
)
from weft.analysis.explain.tasktime import GC, SAME_NODE
from weft.facts.jobmetrics import EXECUTORS, JOBS, LOST_OUTPUT

A, B = ("app", 0, 0), ("app", 1, 0)


def reasons(
    tasks: list[SlotUse], submitted: dict[Stage, float], end: float = 10, slots: int = 2
) -> dict[str, float]:
    found: dict[str, float] = {}
    for (reason, _), seconds in use(tasks, submitted, 0, end, slots).empty.items():
        found[reason] = found.get(reason, 0) + seconds
    return found


def test_before_the_first_task_and_after_the_last() -> None:
    assert reasons([SlotUse(A, 2, 9), SlotUse(A, 2, 9)], {A: 1}) == {START: 4, DRIVER: 2}


def test_slots_wait_for_a_straggler() -> None:
    assert reasons([SlotUse(A, 0, 4), SlotUse(A, 0, 10)], {A: 0}) == {STRAGGLERS: 6}


def test_a_stage_of_one_task_has_too_few() -> None:
    assert reasons([SlotUse(A, 0, 10)], {A: 0}) == {FEW: 10}


def test_a_task_that_is_ready_and_not_launched_waits_for_the_scheduler() -> None:
    assert reasons([SlotUse(A, 0, 4), SlotUse(A, 0, 10), SlotUse(A, 5, 10)], {A: 0}) == {SCHEDULING: 1}


def test_between_two_stages_the_driver_is_alone() -> None:
    tasks = [SlotUse(A, 0, 4), SlotUse(A, 0, 4), SlotUse(B, 6, 10), SlotUse(B, 6, 10)]
    assert reasons(tasks, {A: 0, B: 6}) == {DRIVER: 4}
    assert reasons(tasks, {A: 0, B: 5}) == {DRIVER: 2, SCHEDULING: 2}


def test_a_copy_of_a_straggler_does_not_make_it_wait_for_the_scheduler() -> None:
    """It is launched at 9, when the straggler has run alone for 7 s."""
    tasks = [SlotUse(A, 0, 2)] * 3 + [SlotUse(A, 0, 10), SlotUse(A, 9, 10, ready=9)]
    assert reasons(tasks, {A: 0}, slots=4) == {STRAGGLERS: 23}


def test_a_partition_whose_attempt_failed_waits_for_the_next_attempt_and_not_before() -> None:
    tasks = [SlotUse(A, 0, 2)] * 3 + [SlotUse(A, 0, 7), SlotUse(A, 9, 10, ready=7)]
    assert reasons(tasks, {A: 0}, slots=4) == {STRAGGLERS: 3 * 5 + 3, SCHEDULING: 2 * 4}


def test_further_attempts_do_not_make_few_partitions_many() -> None:
    assert reasons([SlotUse(A, 0, 10), SlotUse(A, 9, 10, ready=9)], {A: 0}, slots=2) == {FEW: 9}


def test_a_program_that_submits_no_job_for_long_is_no_application_that_starts() -> None:
    """As one that lists files for an hour, or a notebook whose user thinks."""
    metrics = job([task(0, 15, 20)])
    metrics.executors = polars.DataFrame([{**dict.fromkeys(EXECUTORS), "added": 1.0}], EXECUTORS)
    metrics.jobs = polars.DataFrame([{**dict.fromkeys(JOBS), "begin": 14.5}], JOBS)
    found = attribute(metrics, readings({}), Window(0, 20, 2, {}))
    assert found is not None
    assert (found.start, found.unasked) == (15, 13.5)
    assert sentences.of_start(found.start, found.wall, found.unasked) == (
        "Before its first task, 15.0 s passed, 75 % of the run phase: for 13.5 s of it there were executors,"
        " and the program submitted no job."
    )


def test_no_task_at_all_is_the_start() -> None:
    assert reasons([], {}) == {START: 20}


def test_more_tasks_than_slots_share_them() -> None:
    assert use([SlotUse(A, 0, 10)] * 4, {A: 0}, 0, 10, 2).held == pytest.approx([5, 5, 5, 5])


def test_tasks_of_one_executor_share_its_slots_and_not_those_of_others() -> None:
    """As a sink in the slot of the one long subtask, while the other executor is done."""
    tasks = [SlotUse(A, 0, 10, "x"), SlotUse(B, 0, 10, "x"), SlotUse(A, 0, 2, "y")]
    found = use(tasks, {A: 0, B: 0}, 0, 10, 2, {"x": 1, "y": 1})
    assert found.held == pytest.approx([5, 5, 2])
    assert found.empty == {(STRAGGLERS, A): pytest.approx(8)}
    # where not all slots are known to belong to an executor, they belong to all
    assert use(tasks, {A: 0, B: 0}, 0, 10, 2, {"x": 1}).held == use(tasks, {A: 0, B: 0}, 0, 10, 2).held


def test_at_each_moment_only_stages_that_run_or_wait_count() -> None:
    """A log may have thousands of stages, and a million moments."""
    now = _Now({A: 1, B: 1})
    for step in ("submitted", "begin", "end"):
        now.apply(step, A)
    for step in ("begin", "submitted", "ready", "retried"):
        now.apply(step, B)
    assert (now.active, now.again, list(now.running)) == (set(), {}, [B])


def test_a_task_whose_output_is_lost_later_is_not_ready_before_that() -> None:
    """Its executor is lost at 12, while a straggler of the stage runs."""
    lost = task(0, 0, 5, index=1, ok=False, reason=LOST_OUTPUT)
    tasks = [task(0, 0, 20, index=0), lost, task(0, 12, 20, index=1)]
    found = attribute(job(tasks), readings({}), Window(0, 20, 2, {}))
    assert found is not None
    assert {part.name: part.seconds for part in found.parts if part.name in EMPTY} == {STRAGGLERS: 7}


def test_what_failed_on_no_node_makes_no_second_one() -> None:
    """As the failure of a whole job of Flink, after which waits for blocks of the own node would be network."""
    nowhere = {**task(0, 5, 5, ok=False), "host": ""}
    found = attribute(job([task(0, 0, 10, fetch_wait_ms=4000), nowhere]), readings({}), Window(0, 10, 2, {}))
    assert found is not None
    assert SAME_NODE in {part.name for part in found.parts}


def test_without_waits_for_the_scheduler_a_job_takes_what_its_tasks_take() -> None:
    """A driver that launches a task of 0.1 s each second: nothing else keeps the other slots empty."""
    ran = [task(0, begin, begin + 0.1, index=begin) for begin in range(10)]
    found = attribute(job(ran), readings({}), Window(0, 10, 2, {}))
    assert found is not None
    (part,) = (part for part in found.parts if part.name == SCHEDULING)
    assert part.share > 0.8
    assert part.bound == pytest.approx(10 / (0.5 + 0.9))


def test_a_slot_that_waits_for_locality_waits_less_where_the_tasks_of_others_are_shorter() -> None:
    """Two slots, ten tasks of 1 s one after another in one of them, 0.4 s of each in GC."""
    ran = [task(0, begin, begin + 1, index=begin, gc_ms=400) for begin in range(10)]
    found = attribute(job(ran), readings({}), Window(0, 10, 2, {}))
    assert found is not None
    bounds = {part.name: part.bound for part in found.parts}
    assert bounds[GC] == pytest.approx(10 / 6)
    assert bounds[SCHEDULING] == pytest.approx(2)


def test_tasks_are_scheduled_again_in_the_order_in_which_they_began() -> None:
    """A log has them as they ended: a long one that began first would begin last."""
    ran = [*(task(0, begin, begin + 1, index=1 + begin) for begin in range(4)), task(0, 0, 4, index=0)]
    found = attribute(job(ran), readings({}), Window(0, 4, 2, {}))
    assert found is not None
    assert found.bounds.replay == pytest.approx(1)


MOMENTS = st.integers(min_value=-20, max_value=120).map(lambda tick: tick / 10)
TASKS = st.builds(
    lambda stage, begin, length, place, ready: SlotUse(
        ("app", stage, 0), begin, begin + length, place, ready
    ),
    st.integers(min_value=0, max_value=3),
    MOMENTS,
    st.integers(min_value=0, max_value=80).map(lambda tick: tick / 10),
    st.sampled_from(["x", "y"]),
    st.none() | MOMENTS,
)


@given(
    st.lists(TASKS, max_size=40),
    st.dictionaries(st.integers(0, 3), MOMENTS),
    st.integers(1, 6),
    st.integers(0, 3),
)
def test_every_slot_second_has_one_answer(
    tasks: list[SlotUse], submitted: dict[int, float], slots: int, other: int
) -> None:
    rooms = {"x": slots, "y": other} if other else {}
    slots += other
    found = use(tasks, {("app", stage, 0): at for stage, at in submitted.items()}, 0, 10, slots, rooms)
    assert sum(found.held) + sum(found.empty.values()) == pytest.approx(10 * slots)
    assert all(seconds >= 0 for seconds in (*found.held, *found.empty.values()))
