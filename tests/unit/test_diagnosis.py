"""The rule that judges what tools say of a job: sentences of other tools and of the field."""

import pytest
from figures.diagnosis import CAUSES, DEFECTS, OBSERVED, Finding, others, verdict

RIGHT = {
    "small blocks": "Shuffle files: 48 % of the time is metadata operations on the Lustre scratch",
    "few tasks": "Stage 3: 1 shuffle partition(s) across 2 executor core(s) - cluster is under-utilized",
    "full heap": "High GC pressure (31.0%): Consider increasing executor memory or reducing memory usage",
    "slow links": "High shuffle volume in Stage 2: reduce shuffle with broadcast joins",
    "skew": "Data skew in Stage 2: Max task duration (9000ms) is 8.2x the median (1100ms)",
    "many tasks": "Too many partitions: 2000 for 0.0 GB shuffle",
    "spill": "Memory spilling detected in 2 stages: Increase executor memory or optimize memory usage",
    "small files": "Small input partitions in Stage 0: Input per task is 0.0 MB across 120 tasks",
    "driver": "No task is running for 60 % of the time: the driver works alone",
    "imports": "Python workers spent most of their time importing modules",
    "exchange": "Serialization of rows between the JVM and Python",
    "function waits": "The Python function is blocked and waits for something",
    "function computes": "The UDF uses the CPU for 95 % of the stage",
}


@pytest.mark.parametrize(("cause", "text"), RIGHT.items())
def test_words_of_the_field_are_right_for_their_defect_and_a_false_alarm_otherwise(
    cause: str, text: str
) -> None:
    assert verdict([Finding(text)], cause) == "right"
    assert verdict([Finding(text)], "") == "wrong"
    assert verdict([Finding(text, aside=True)], cause) == "right"
    assert verdict([Finding(text, aside=True)], "") == "right"


def test_every_defect_has_an_example_and_a_cause() -> None:
    assert RIGHT.keys() == DEFECTS.keys()
    assert {each for defect in DEFECTS.values() for each in defect.accepts} <= CAUSES.keys()
    assert CAUSES.keys() >= OBSERVED


@pytest.mark.parametrize("cause", DEFECTS)
def test_what_names_nothing_is_silent_and_another_cause_alone_is_wrong(cause: str) -> None:
    assert verdict([], cause) == "silent"
    assert verdict([Finding("Slot utilization is only 30% - 70% idle; 80 % computing")], cause) == "silent"
    assert verdict([Finding("Task failures in Stage 1: 4 of 8 tasks failed")], cause) == "wrong"


def test_the_cause_without_its_place_is_right_in_part() -> None:
    assert verdict([Finding("much serialization")], "exchange") == "in part"
    assert verdict([Finding("much time in a UDF")], "function waits") == "in part"


def test_other_causes_that_are_named_with_the_right_one_are_listed() -> None:
    found = [Finding("High GC in stage 1"), Finding("straggler in stage 2"), Finding("bandwidth", aside=True)]
    assert verdict(found, "skew") == "right"
    assert others(found, "skew") == ["memory"]


def test_memory_that_could_be_smaller_is_no_cause() -> None:
    text = "Executor memory underutilized: Peak memory usage is only 5%: Reduce spark.executor.memory to match actual usage"
    assert verdict([Finding(text)], "") == "right"
    assert verdict([Finding(text)], "full heap") == "silent"
