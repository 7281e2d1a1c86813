"""A stage's task time in exclusive parts: the rules one by one, and conservation on any measurement."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.analysis.explain.balance import doubt
from weft.analysis.explain.slots import SCHEDULING
from weft.analysis.explain.tasktime import (
    CPU,
    GC,
    INPUT,
    NETWORK,
    PYTHON_EXCHANGE,
    PYTHON_START,
    PYTHON_USER,
    PYTHON_WAITING,
    PYTHON_WORKER,
    SAME_NODE,
    SOCKETS,
    THREADS,
    UNCLASSIFIED,
    WAITING,
    StageTasks,
    agree,
    balance,
    parts,
)

OPENS, READS = "metadata: scratch", "data: scratch"


def test_what_nobody_measured_has_no_name() -> None:
    assert parts(StageTasks(10, cpu=4)) == {CPU: 4, UNCLASSIFIED: 6}


def test_each_measurement_is_its_own_part() -> None:
    found = StageTasks(10, scheduling=1, cpu=2, waiting=1, gc=1, fetch=2, files={OPENS: 2})
    assert parts(found) == pytest.approx(
        {SCHEDULING: 1, CPU: 2, WAITING: 1, GC: 1, NETWORK: 2, OPENS: 2, UNCLASSIFIED: 1}
    )


def test_time_in_file_calls_is_what_was_blocked_there() -> None:
    """Of 6 s inside calls the thread waited for a processor in 3: the looks saw it blocked in files for 3 alone."""
    found = StageTasks(10, cpu=2, waiting=4, files={OPENS: 4, READS: 2}, blocked_in_files=3)
    assert parts(found) == pytest.approx({CPU: 2, WAITING: 4, OPENS: 2, READS: 1, UNCLASSIFIED: 1})


def test_samples_that_see_too_little_do_not_hide_what_was_timed() -> None:
    """On an idle machine nothing but the file server can have taken the time inside the calls."""
    found = StageTasks(10, cpu=2, waiting=1, files={OPENS: 6}, blocked_in_files=0.5)
    assert parts(found)[OPENS] == pytest.approx(5)


def test_what_a_hypervisor_took_is_a_wait_for_a_cpu_as_far_as_nothing_else_explains_it() -> None:
    found = StageTasks(10, cpu=4, waiting=1, gc=2, stolen=1)
    assert parts(found) == pytest.approx({CPU: 4, WAITING: 2, GC: 2, UNCLASSIFIED: 2})
    assert parts(dataclasses.replace(found, stolen=30))[WAITING] == pytest.approx(4)


def test_a_fetch_is_what_its_server_did_as_far_as_that_did_anything() -> None:
    found = StageTasks(10, cpu=4, fetch=6, served={OPENS: 3, CPU: 1})
    assert parts(found) == pytest.approx({CPU: 5, OPENS: 3, NETWORK: 2})


def test_who_fetches_in_threads_of_its_own_waits_for_what_they_do() -> None:
    """Of 6 s until the last block, they were 2 s in calls on sockets and 1 s on a CPU: for 3 s there was nothing to fetch."""
    found = StageTasks(10, cpu=4, fetch=6, fetching={NETWORK: 2, CPU: 1}, seen={THREADS: 6})
    assert parts(found) == pytest.approx({CPU: 5, NETWORK: 2, THREADS: 3})
    assert parts(StageTasks(10, cpu=4, fetch=6, fetching={NETWORK: 0}, seen={THREADS: 6})) == pytest.approx(
        {CPU: 4, THREADS: 6}
    )


def test_waiting_for_earlier_stages_is_no_network() -> None:
    assert parts(StageTasks(10, cpu=1, inputs=7, fetch=2)) == pytest.approx({CPU: 1, INPUT: 7, NETWORK: 2})


def test_what_the_link_needs_for_a_fetch_is_not_its_servers() -> None:
    """They work while the bytes before are on their way."""
    found = StageTasks(10, cpu=4, fetch=6, served={OPENS: 3, CPU: 1}, wire=5)
    assert parts(found) == pytest.approx({CPU: 4.25, OPENS: 0.75, NETWORK: 5})
    assert parts(dataclasses.replace(found, wire=60)) == pytest.approx({CPU: 4, NETWORK: 6})


def test_a_tasks_own_file_calls_and_those_of_its_servers_add_up() -> None:
    found = StageTasks(10, cpu=2, fetch=2, files={OPENS: 4}, served={OPENS: 2})
    assert parts(found) == pytest.approx({CPU: 2, OPENS: 6, UNCLASSIFIED: 2})


def test_what_no_cause_explains_is_what_samples_saw() -> None:
    found = StageTasks(10, cpu=2, gc=1, fetch=2, seen={THREADS: 6, SOCKETS: 1})
    assert parts(found) == pytest.approx({CPU: 2, GC: 1, NETWORK: 2, SOCKETS: 1, THREADS: 3, UNCLASSIFIED: 1})


def test_samples_name_no_more_than_what_is_left() -> None:
    found = StageTasks(10, cpu=6, files={OPENS: 2}, seen={THREADS: 6, SOCKETS: 2})
    assert parts(found) == pytest.approx({CPU: 6, OPENS: 2, THREADS: 1.5, SOCKETS: 0.5})


def test_a_stage_that_fetched_nothing_did_not_wait_for_the_network() -> None:
    """A Python worker is behind a socket too."""
    found = StageTasks(10, cpu=2, seen={SOCKETS: 8})
    assert parts(found) == pytest.approx({CPU: 2, SOCKETS: 8})


def test_blocks_of_the_same_node_came_through_no_network() -> None:
    found = StageTasks(10, cpu=4, fetch=6, remote=False, served={OPENS: 3})
    assert parts(found) == pytest.approx({CPU: 4, OPENS: 3, SAME_NODE: 3})


def test_a_socket_to_an_executor_of_the_same_node_is_no_network() -> None:
    found = StageTasks(10, cpu=4, fetch=1, remote=False, seen={NETWORK: 3})
    assert parts(found) == pytest.approx({CPU: 4, SAME_NODE: 3, UNCLASSIFIED: 3})


def test_what_a_python_worker_did_while_its_task_waited_is_a_part_of_the_task() -> None:
    found = StageTasks(10, cpu=2, python={PYTHON_USER: 4, PYTHON_START: 1, WAITING: 1}, seen={THREADS: 9})
    assert parts(found) == pytest.approx({CPU: 2, PYTHON_USER: 4, PYTHON_START: 1, WAITING: 1, THREADS: 2})


def test_what_a_python_worker_did_while_its_task_computed_costs_nothing() -> None:
    found = StageTasks(10, cpu=7, gc=1, python={PYTHON_USER: 6, PYTHON_EXCHANGE: 2})
    assert parts(found) == pytest.approx({CPU: 7, GC: 1, PYTHON_USER: 1.5, PYTHON_EXCHANGE: 0.5})


def test_files_that_the_jobs_functions_wait_for_have_their_part() -> None:
    found = StageTasks(10, cpu=2, python={PYTHON_USER: 2, PYTHON_WAITING: 4}, python_files={READS: 3})
    assert parts(found) == pytest.approx(
        {CPU: 2, PYTHON_USER: 2, READS: 3, PYTHON_WAITING: 1, UNCLASSIFIED: 2}
    )
    much = dataclasses.replace(found, python_files={READS: 6, OPENS: 2})
    assert parts(much) == pytest.approx({CPU: 2, PYTHON_USER: 2, READS: 3, OPENS: 1, UNCLASSIFIED: 2})


def test_a_task_that_waits_longer_than_its_worker_works_waits_for_rows() -> None:
    found = StageTasks(10, cpu=2, python={PYTHON_USER: 3}, seen={PYTHON_WORKER: 5})
    assert parts(found) == pytest.approx({CPU: 2, PYTHON_USER: 3, PYTHON_EXCHANGE: 2, UNCLASSIFIED: 3})


def test_a_worker_that_nobody_watched_is_named_as_that() -> None:
    found = StageTasks(10, cpu=2, seen={PYTHON_WORKER: 5, SOCKETS: 1})
    assert parts(found) == pytest.approx({CPU: 2, PYTHON_WORKER: 5, SOCKETS: 1, UNCLASSIFIED: 2})


def test_more_service_than_waiting_is_not_counted_twice() -> None:
    found = StageTasks(10, cpu=8, fetch=2, served={OPENS: 30, CPU: 10})
    assert parts(found) == pytest.approx({CPU: 8.5, OPENS: 1.5})


def test_causes_that_overlap_share_the_time_in_which_the_task_was_blocked() -> None:
    found = StageTasks(10, cpu=6, gc=4, fetch=4)
    assert parts(found) == pytest.approx({CPU: 6, GC: 2, NETWORK: 2})


def test_more_causes_than_blocked_time_are_something_counted_twice() -> None:
    """39 s of causes in 8 s: they are scaled to fit, so that nothing is unclassified, and the ratio shows it."""
    found = StageTasks(10, cpu=2, waiting=0, gc=5, fetch=4, files={OPENS: 30})
    assert parts(found).get(UNCLASSIFIED) is None
    misfit = balance(found)
    assert (misfit.causes, misfit.blocked, misfit.running, misfit.occupied) == (39, 8, 2, 10)
    assert doubt([("0", misfit)], slot_time=10).startswith(
        "of stage 0, 39.0 s of causes were measured in 8.0 s"
    )


def test_a_fetch_whose_task_then_waited_for_a_cpu_is_not_counted_twice() -> None:
    """Its clock runs on meanwhile: at least 1 of its 4 s was blocked."""
    misfit = balance(StageTasks(10, cpu=5, waiting=3, gc=1, fetch=3))
    assert (misfit.causes, misfit.blocked) == (1, 2)
    assert not doubt([("0", misfit)], slot_time=10)


def test_run_queue_wait_within_file_calls_does_not_excuse_a_fetch_too() -> None:
    found = StageTasks(10, cpu=5, waiting=3, fetch=4, files={OPENS: 3}, blocked_in_files=0)
    assert balance(found).causes == 4


def test_more_cpu_time_than_slots_is_counted_twice() -> None:
    """As the whole process's, with its JIT and GC."""
    found = [("0", balance(StageTasks(100, cpu=100))), ("1", balance(StageTasks(10, cpu=30, waiting=1)))]
    assert "stage 1, 31.0 s on a CPU" in doubt(found, slot_time=120)


def test_a_thread_may_wait_for_a_cpu_before_its_task_runs() -> None:
    """Of 2,000 short tasks, half of the time is on the way to executors and back."""
    short = balance(StageTasks(60, scheduling=30, cpu=15, waiting=20))
    assert (short.running, short.occupied, short.held) == (35, 30, 60)
    assert not doubt([("1", short)], slot_time=60)


def test_threads_of_tasks_that_share_a_slot_can_all_wait_for_a_cpu() -> None:
    """As two operators of Flink in one slot."""
    shared = StageTasks(7.5, lasted=13, cpu=5, waiting=3.5)
    assert not doubt([("0", balance(shared))], slot_time=15)
    assert doubt([("0", balance(dataclasses.replace(shared, lasted=7.5)))], slot_time=15)
    assert doubt([("0", balance(dataclasses.replace(shared, cpu=15)))], slot_time=15)


def test_what_one_stage_lacks_does_not_make_up_for_what_another_has_too_much_of() -> None:
    twice, nothing = StageTasks(10, gc=20), StageTasks(40)
    assert doubt([("0", balance(twice)), ("1", balance(nothing))], slot_time=50)


def test_a_few_seconds_too_much_change_no_verdict() -> None:
    assert not doubt([("0", balance(StageTasks(10, cpu=9, gc=1.05)))], slot_time=10)
    assert not doubt([("0", balance(StageTasks(1, cpu=0.9, gc=0.4)))], slot_time=100)
    assert not doubt([], slot_time=10)


SECONDS = st.floats(min_value=0, max_value=1000)
FILES = st.dictionaries(st.sampled_from([OPENS, READS, "data: input"]), SECONDS)
MEASURED = st.builds(
    StageTasks,
    held=SECONDS,
    scheduling=SECONDS,
    cpu=st.none() | SECONDS,
    waiting=st.none() | SECONDS,
    gc=SECONDS,
    fetch=SECONDS,
    files=FILES,
    blocked_in_files=st.none() | SECONDS,
    system=SECONDS,
    served=st.dictionaries(st.sampled_from([OPENS, CPU, WAITING]), SECONDS),
    wire=SECONDS,
    inputs=SECONDS,
    fetching=st.dictionaries(st.sampled_from([NETWORK, CPU, READS]), SECONDS),
    python=st.dictionaries(st.sampled_from([PYTHON_USER, PYTHON_EXCHANGE, PYTHON_START, WAITING]), SECONDS),
    python_files=FILES,
    seen=st.dictionaries(st.sampled_from([SOCKETS, THREADS, PYTHON_WORKER, NETWORK]), SECONDS),
)


@given(MEASURED)
def test_parts_sum_to_the_time_that_tasks_held_slots(found: StageTasks) -> None:
    assert sum(parts(found).values()) == pytest.approx(found.held, abs=1e-6)
    assert all(seconds >= 0 for seconds in parts(found).values())


@given(MEASURED, SECONDS)
def test_service_that_nobody_waited_for_costs_nothing(found: StageTasks, hidden: float) -> None:
    """Resource seconds of other threads never become a part of tasks that did not wait for them."""
    quiet = dataclasses.replace(found, fetch=0.0)
    assert parts(quiet) == parts(dataclasses.replace(quiet, served={OPENS: hidden}))


@pytest.mark.parametrize(
    ("timed", "seen", "runnable", "expected"),
    [(50, 50, 0, True), (50, 40, 10, True), (50, 20, 10, False), (50, 60, 0, False), (0, 0, 0, True)],
)
def test_two_measurements_of_file_calls(timed: float, seen: float, runnable: float, expected: bool) -> None:
    assert agree(timed, seen, runnable, samples=2000, whole=100) is expected
