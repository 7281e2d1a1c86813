"""Counters of a node, attributed to the tasks that ran there: nothing is lost, repeated, or given to who did not run."""

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.analysis.explain import filetime, spread
from weft.analysis.explain.spread import Readings
from weft.record import sampletable
from weft.record.samples import Measure, Sample

FEW = settings(max_examples=60, deadline=None)
MOMENTS = st.lists(st.integers(0, 1000), min_size=2, max_size=12, unique=True).map(sorted)
GROWTHS = st.lists(st.integers(0, 50), min_size=12, max_size=12)
TASKS = st.lists(st.tuples(st.integers(0, 1000), st.integers(1, 300)), min_size=1, max_size=8)


def array(*values: float) -> spread.Numbers:
    return np.array(values, dtype=np.float64)


def counter(times: list[int], growths: list[int]) -> Readings:
    """A cumulative counter."""
    return Readings(array(*times), np.cumsum(array(*growths[: len(times)])))


@FEW
@given(MOMENTS, GROWTHS, TASKS)
def test_tasks_have_together_what_grew_while_any_of_them_ran(
    times: list[int], growths: list[int], tasks: list[tuple[int, int]]
) -> None:
    readings = counter(times, growths)
    begins = array(*(begin for begin, _ in tasks))
    ends = array(*(begin + length for begin, length in tasks))
    found = spread.over_tasks(readings, begins, ends)
    assert (found >= -1e-9).all()
    # by brute force: each unit of time in which a task ran, with what the counter grew in it
    busy = [moment for moment in range(1400) if ((begins <= moment) & (moment < ends)).any()]
    assert found.sum() == pytest.approx(sum(readings.grown(moment, moment + 1) for moment in busy), abs=1e-6)


@FEW
@given(MOMENTS, GROWTHS, TASKS)
def test_the_order_of_tasks_does_not_matter(
    times: list[int], growths: list[int], tasks: list[tuple[int, int]]
) -> None:
    readings = counter(times, growths)
    begins, ends = (array(*(begin + length * end for begin, length in tasks)) for end in (0, 1))
    backwards = spread.over_tasks(readings, begins[::-1], ends[::-1])[::-1]
    assert spread.over_tasks(readings, begins, ends) == pytest.approx(backwards)


def test_tasks_at_the_same_moment_have_equal_parts_and_one_alone_has_all() -> None:
    readings = Readings(array(0, 10), array(0, 100))
    found = spread.over_tasks(readings, array(0, 5, 20), array(10, 10, 30))
    assert found.tolist() == pytest.approx([50 + 25, 25, 0])


def test_what_grows_while_no_task_runs_is_nobodys() -> None:
    readings = Readings(array(0, 10, 20), array(0, 100, 700))
    assert spread.over_tasks(readings, array(0), array(10)).tolist() == [100]


def test_a_counter_with_one_reading_says_nothing() -> None:
    assert spread.over_tasks(Readings(array(5), array(100)), array(0), array(10)).tolist() == [0]


def test_tasks_have_their_own_nodes_counters_only() -> None:
    measure = Measure("fileops.seconds", "", "scratch", "open")
    counters = {("a", measure): Readings(array(0, 10), array(0, 4))}
    places = {"a": np.array([0]), "b": np.array([1])}
    found = spread.to_tasks(counters, measure, places, array(0, 0), array(10, 10))
    assert found is not None
    assert found.tolist() == [4, 0]
    assert spread.to_tasks(counters, measure, {"b": np.array([0])}, array(0), array(10)) is None


def frame(*found: Sample) -> polars.DataFrame:
    return polars.DataFrame(found, sampletable.SCHEMA, orient="row")


def cpu(t: float, process: str, value: float) -> Sample:
    return Sample(t, "a", process, "cpu.task", value)


def test_processes_that_ended_still_count_and_other_programs_do_not() -> None:
    table = frame(
        cpu(0, "executor/1", 1), cpu(1, "executor/1", 3), cpu(1, "executor/2", 5), cpu(2, "executor/2", 9), cpu(2, "worker/3", 70)
    )  # fmt: skip
    found = spread.of_processes(table, "cpu.", frozenset({"executor"}))
    (readings,) = found.values()
    assert (readings.times.tolist(), readings.values.tolist()) == ([0, 1, 2], [1, 8, 12])


def test_a_sum_of_a_node_that_appears_late_grew_from_zero() -> None:
    early = Sample(0, "a", "", "fileops.processes", 1, "engine")
    late = [Sample(t, "a", "", "fileops.count", value, "engine") for t, value in ((5, 8), (6, 9))]
    found = spread.of_nodes(frame(early, *late), "fileops.")
    readings = found["a", Measure("fileops.count", "", "", "")]
    assert readings.grown(0, 6) == 9


def test_a_counter_since_the_boot_of_a_host_did_not_grow_so_much_before_it_was_first_read() -> None:
    early = Sample(0, "a", "", "fileops.count", 1, "engine")
    boot = [Sample(t, "a", "", "net_send", value) for t, value in ((1, 9e12), (2, 9e12 + 5))]
    found = spread.of_nodes(frame(early, *boot), "fileops.", "net_")
    assert found["a", Measure("net_send")].grown(0, 2) == 5


def calls(
    thread: str, files: str, operation: str, seconds: float, count: float
) -> dict[tuple[str, Measure], Readings]:
    kind = "threadops" if thread else "fileops"
    values = {f"{kind}.seconds": seconds, f"{kind}.count": count}
    return {
        ("a", Measure(name, thread, files, operation)): Readings(array(0, 10), array(0, value))
        for name, value in values.items()
    }


def of_one_task(counters: dict[tuple[str, Measure], Readings]) -> filetime.FileTime:
    return filetime.of_tasks(counters, {"a": np.array([0])}, array(0), array(10), np.zeros(1, bool))


def test_calls_that_move_bytes_are_data_and_all_others_are_metadata() -> None:
    found = of_one_task({**calls("", "scratch", "open", 3, 30), **calls("", "scratch", "read", 2, 20)})
    parts = {
        str(each.part): (each.name, float(each.seconds[0]), float(each.calls[0])) for each in found.operations
    }
    assert parts == {"metadata: scratch": ("open", 3, 30), "data: scratch": ("read", 2, 20)}
    assert found.counted
    assert not found.by_thread


def test_tasks_without_file_calls_of_their_own_have_none_where_threads_are_counted_apart() -> None:
    """Dask's event loop alone reads and writes spilled results."""
    found = of_one_task({**calls("", "scratch", "read", 2, 20), **calls("server", "scratch", "read", 2, 20)})
    assert found.by_thread
    assert not found.operations
    assert sum(found.in_all.values()) == 2


def test_where_threads_are_counted_apart_those_of_tasks_count_and_others_are_in_all() -> None:
    mine, others = calls("task", "jars", "open", 3, 30), calls("", "scratch", "open", 5, 50)
    found = of_one_task({**mine, **others})
    assert [(str(each.part), float(each.seconds[0])) for each in found.operations] == [("metadata: jars", 3)]
    assert {str(part): seconds for part, seconds in found.in_all.items()} == {"metadata: scratch": 5}


def test_without_threads_apart_only_files_that_engines_alone_touch_are_the_tasks() -> None:
    found = of_one_task({**calls("", "jars", "open", 3, 30), **calls("", "unnamed", "read", 9, 9)})
    assert found.operations == []


def test_no_call_is_something_else_than_no_counter() -> None:
    counted = {("a", Measure("fileops.processes", "", "", "")): Readings(array(0, 10), array(1, 1))}
    assert of_one_task(counted).counted
    assert not of_one_task({}).counted
