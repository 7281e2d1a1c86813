"""Which operator of a stream limits its rate: by Flink's clocks, and by the stages of micro-batches."""

from typing import Any

import pytest

from weft.analysis.summary.streamoperators import DRIVER, StreamOperator, limiting, of_batches, of_flink
from weft.facts import jobmetrics
from weft.facts.jobmetrics import APPLICATIONS, EXECUTORS, JOBS, STAGES, TASKS, JobMetrics, table


def vertex(name: str, *tasks: tuple[float, float, float]) -> dict[str, Any]:
    """Seconds that each of its tasks was busy, idle and back-pressured."""
    keys = ("accumulated-busy-time", "accumulated-idle-time", "accumulated-backpressured-time")
    return {"name": name, "subtasks": [{"metrics": dict(zip(keys, task, strict=True))} for task in tasks]}


def test_an_operator_is_as_busy_as_its_busiest_task_and_a_skewed_one_says_so() -> None:
    source = vertex("source", (1.0, 1.0, 8.0), (2.0, 8.0, 0.0))
    source, join, sink = of_flink(
        {
            "jobs": [
                {
                    "vertices": [
                        source,
                        vertex("join", (9, 1, 0), (1, 9, 0), (1, 9, 0)),
                        vertex("sink", (0, 0, 0)),
                    ]
                }
            ]
        }
    )
    assert (source.busy, source.waits, source.skewed) == (0.2, 0.8, False)
    assert (join.busy, join.waits, join.skewed) == (0.9, 0.0, True)
    assert join.average == pytest.approx(11 / 30)
    assert join.sentence == (
        "join was busy 90 % of the time, by its busiest task. Its 3 tasks were so on average 37 %: one has much more to do than others."
    )
    assert (sink.busy, sink.sentence) == (0.0, "sink was busy 0 % of the time.")


def test_a_source_whose_busy_time_flink_does_not_know_is_not_held_up_all_the_time() -> None:
    """Sources of the old kind are busy for NaN milliseconds."""
    (task,) = vertex("source", ("NaN", 0, 2000))["subtasks"]  # type: ignore[arg-type]
    old = {"name": "source", "subtasks": [{**task, "duration": 10_000}]}
    source, join = of_flink({"jobs": [{"vertices": [old, vertex("join", (9, 1, 0))]}]})
    assert (source.busy, source.waits, join.busy) == (0, 0.2, 0.9)


def test_an_archive_without_such_clocks_has_no_operator_that_was_busy_for_no_time() -> None:
    """Old versions of Flink have none."""
    assert (
        of_flink({"jobs": [{"vertices": [{"name": "a", "subtasks": [{"metrics": {"read-bytes": 1}}]}]}]})
        == []
    )


@pytest.mark.parametrize(("busiest", "skewed"), [(0.9, True), (0.3, True), (0.29, False), (0.15, False)])
def test_of_two_tasks_one_is_skewed_if_it_is_twice_as_busy_as_the_other(
    *, busiest: float, skewed: bool
) -> None:
    one = StreamOperator(name="join", tasks=2, busy=busiest, average=(busiest + 0.15) / 2)
    assert one.skewed == skewed


def test_stages_of_micro_batches_are_one_by_their_name_and_the_rest_is_the_drivers() -> None:
    def stage(number: int, name: str, begin: float, end: float | None) -> dict[str, Any]:
        return {
            "app": "a",
            "stage": number,
            "attempt": 0,
            "name": name,
            "tasks": 2,
            "begin": begin,
            "end": end,
        }

    stages = [
        stage(0, "read", 0, 1),
        stage(1, "join", 1, 4),
        stage(2, "read", 5, 6),
        stage(3, "join", 5.5, 10),
        stage(4, "join", 10, None),
    ]
    nothing = (table([], schema) for schema in (APPLICATIONS, EXECUTORS, JOBS))
    found = of_batches(JobMetrics(*nothing, table(stages, STAGES), table([], TASKS)))
    assert {one.name: pytest.approx(one.busy) for one in found} == {"read": 0.2, "join": 0.75, DRIVER: 0.1}
    # nobody measured its busiest task
    join = next(one for one in found if one.name == "join")
    assert (join.average, join.sentence) == (None, "join was busy 75 % of the time.")


def test_without_stages_there_is_no_operator() -> None:
    assert of_batches(jobmetrics.empty()) == []


def operator(name: str, busy: float, waits: float = 0.0) -> StreamOperator:
    return StreamOperator(name=name, tasks=1, busy=busy, average=busy, waits=waits)


def test_a_busy_operator_limits_and_who_waits_for_it_is_named() -> None:
    found = [operator("join", 0.9), operator("source", 0.1, 0.8)]
    words = limiting(found, missed=True)
    assert words == (
        "The operator that limits the rate: join was busy 90 % of the time."
        " Others waited for it to take their rows: source 80 % of the time."
    )
    assert limiting(found, missed=False).startswith(
        "Of the operators, the first to limit a higher rate: join"
    )


def test_rows_that_are_not_taken_although_nobody_is_busy_are_held_up_between_operators() -> None:
    words = limiting([operator("sink", 0.2), operator("source", 0.1, 0.85)], missed=False)
    assert "the busiest, sink, 20 %. But source waited 85 % of it" in words
    assert "between them, such as the network" in words


def test_without_operators_there_is_no_sentence() -> None:
    assert limiting([], missed=True) == ""


def test_a_driver_that_may_only_wait_for_its_trigger_does_not_limit_a_rate() -> None:
    """A micro-batch each minute that takes a second has no task for the others."""
    found = [operator(DRIVER, 0.98), operator("join", 0.01)]
    words = limiting(found, missed=False)
    assert words.startswith("No task ran 98 % of the time: the driver planned micro-batches")
    assert words.endswith("the first to limit a higher rate: join was busy 1 % of the time.")
    assert limiting(found[:1], missed=False).endswith("or waited for data or its trigger.")
    assert limiting(found, missed=True).startswith(f"The operator that limits the rate: {DRIVER}")
