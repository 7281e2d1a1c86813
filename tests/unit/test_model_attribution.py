"""Slot time attributed: conservation on made-up jobs, and the answers of small ones that are plain."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.report_fakes import measure
from weft.analysis.explain.attribution import Attribution, attribute
from weft.analysis.explain.evidence import Window
from weft.analysis.explain.spread import Readings
from weft.facts import jobmetrics
from weft.facts.jobmetrics import JobMetrics
from weft.record import sampletable
from weft.record.samples import Measure

WINDOW = Window(0, 10, 2, {"10.0.0.1": "node1", "10.0.0.2": "node2"})
EXECUTOR = "CoarseGrainedExecutorBackend/1"
Row = dict[str, object]


def task(stage: int, begin: float, end: float, *, node: int = 1, ok: bool = True, **more: float | str) -> Row:
    """A task that ran all the time between its begin and its end, and used a processor for half of it."""
    took = max(0.0, end - begin)
    known = {
        "run_ms": round(took * 1e3),
        "cpu_ns": round(took * 5e8),
        "scheduler_ms": 0,
        "gc_ms": 0,
        "fetch_wait_ms": 0,
    }
    where = {
        "app": "app",
        "stage": stage,
        "attempt": 0,
        "host": f"10.0.0.{node}",
        "begin": begin,
        "end": end,
        "ok": ok,
    }
    return {**dict.fromkeys(jobmetrics.TASKS), **where, **known, **more}


def job(tasks: list[Row], parents: dict[int, list[int]] | None = None) -> JobMetrics:
    """A job whose stages begin with their first task."""
    found = jobmetrics.empty()
    found.tasks = polars.DataFrame(tasks, jobmetrics.TASKS)
    rows = [
        {**dict.fromkeys(jobmetrics.STAGES), "app": "app", "stage": stage, "attempt": 0, "name": f"step {stage}",
         "begin": min(times[0] for times in of), "end": max(times[1] for times in of), "parents": (parents or {}).get(stage)}
        for stage in {row["stage"] for row in tasks}
        if (of := [(float(str(r["begin"])), float(str(r["end"]))) for r in tasks if r["stage"] == stage])
    ]  # fmt: skip
    found.stages = polars.DataFrame(rows, jobmetrics.STAGES)
    return found


def readings(rates: dict[tuple[str, str, str], float], until: int = 10) -> polars.DataFrame:
    """Counters that grow evenly, by node, process and name."""
    found = [
        measure(name).at(t, node, process, rate * t)
        for t in range(until + 1)
        for (node, process, name), rate in rates.items()
    ]
    return polars.DataFrame(found, sampletable.SCHEMA, orient="row")


def attributed(tasks: list[Row], seen: polars.DataFrame | None = None, **application: object) -> Attribution:
    metrics = job(tasks)
    if application:
        row = {**dict.fromkeys(jobmetrics.APPLICATIONS), **application}
        metrics.applications = polars.DataFrame([row], jobmetrics.APPLICATIONS)
    found = attribute(metrics, readings({}) if seen is None else seen, WINDOW)
    assert found is not None
    return found


def shares(found: Attribution) -> dict[str, float]:
    return {part.name: part.share for part in found.parts}


def test_no_job_metrics_have_no_answer() -> None:
    assert attribute(jobmetrics.empty(), readings({}), WINDOW) is None


def test_what_the_engine_alone_says() -> None:
    found = attributed([task(0, 2, 10, gc_ms=1000), task(0, 2, 6, node=2)])
    assert shares(found) == pytest.approx(
        {
            "no task: application start": 0.2,
            "CPU": 0.3,
            "GC": 0.05,
            "no task: stragglers": 0.2,
            "unclassified": 0.25,
        }
    )
    assert not found.verdict
    assert set(found.coverage.missing) == {"threads", "fileops"}


def test_file_calls_of_task_threads_have_a_part_and_a_bound() -> None:
    """Half of the time on a processor, the other half in opens: without these the job would take half as long."""
    counters = {
        ("node1", EXECUTOR, "threads.task.wait"): 0.0,
        ("node1", EXECUTOR, "threads.task.in.open"): 0.5,
        ("node1", "", "threadops.task.scratch.open.seconds"): 0.5,
        ("node1", "", "threadops.task.scratch.open.count"): 100.0,
        ("node1", "", "threadops.server.scratch.open.seconds"): 3.0,
    }
    found = attributed([task(0, 0, 10), task(0, 0, 10)], readings(counters))
    opens = next(part for part in found.parts if part.name == "metadata: scratch")
    assert opens.seconds == pytest.approx(5)
    assert opens.resource == pytest.approx(5)
    assert opens.operations[0].calls == pytest.approx(1000)
    assert opens.bound == pytest.approx(10 / 7.5, rel=0.01)
    assert found.coverage.cross_check is not None
    assert found.coverage.cross_check.agree


def test_a_wait_that_is_overlapped_has_no_bound() -> None:
    """Servers waited for files all the time, and no task waited for them."""
    busy = [task(0, 0, 10, cpu_ns=10_000_000_000), task(0, 0, 10, node=2, cpu_ns=10_000_000_000)]
    hidden = {
        ("node1", EXECUTOR, "threads.server.in.open"): 4.0,
        ("node1", EXECUTOR, "threads.task.wait"): 0.0,
    }
    assert shares(attributed(busy, readings(hidden))) == pytest.approx({"CPU": 1.0})


def test_file_calls_for_which_no_task_waited_have_seconds_and_no_share() -> None:
    busy = [task(0, 0, 10, cpu_ns=10_000_000_000), task(0, 0, 10, node=2, cpu_ns=10_000_000_000)]
    hidden = {
        ("node1", EXECUTOR, "threads.task.wait"): 0.0,
        ("node1", "", "threadops.task.scratch.read.seconds"): 0.0,
        ("node1", "", "fileops.scratch.open.seconds"): 0.9,
        ("node1", "", "fileops.jars.open.seconds"): 0.001,
        ("node1", "", "fileops.network.open.seconds"): 3.0,
        ("node1", "", "fileops.unnamed.read.seconds"): 3.0,
    }
    found = attributed(busy, readings(hidden))
    assert shares(found) == pytest.approx({"CPU": 1.0, "metadata: scratch": 0.0})
    opens = next(part for part in found.parts if part.name == "metadata: scratch")
    assert (opens.resource, opens.bound) == (pytest.approx(9.0), 1.0)


def test_a_straggler_is_worth_what_an_even_split_would_save() -> None:
    found = attributed([task(0, 0, 10), task(0, 0, 2)])
    tail = next(part for part in found.parts if part.name == "no task: stragglers")
    assert tail.bound == pytest.approx(10 / 6)


def test_of_two_stages_at_once_the_one_that_computes_did_not_wait_for_files() -> None:
    """Two tasks of an executor: one computes for 10 s, the other one is blocked in opens for 10 s."""
    counters = {
        ("node1", EXECUTOR, "threads.task.wait"): 0.0,
        ("node1", EXECUTOR, "threads.task.cpu"): 1.0,
        ("node1", EXECUTOR, "threads.task.in.open"): 1.0,
        ("node1", EXECUTOR, "threads.task.in.running"): 1.0,
        ("node1", "", "threadops.task.scratch.open.seconds"): 1.0,
        ("node1", "", "threadops.task.scratch.open.count"): 100.0,
    }
    tasks = [task(0, 0, 10, cpu_ns=10_000_000_000), task(1, 0, 10, cpu_ns=0)]
    found = attributed(tasks, readings(counters))
    assert shares(found)["CPU"] == pytest.approx(0.5, abs=0.001)
    assert shares(found)["metadata: scratch"] == pytest.approx(0.5, abs=0.01)
    assert found.verdict


def test_each_executor_has_its_own_tasks_activity() -> None:
    """Of two executors on a node, with a task of another stage each, one waits for files and the other one in locks."""
    first, second = (f"{EXECUTOR}/app {number}" for number in (0, 1))
    counters = {
        **{("node1", process, "threads.task.wait"): 0.0 for process in (first, second)},
        ("node1", first, "threads.task.in.open"): 1.0,
        ("node1", second, "threads.task.in.lock"): 1.0,
        ("node1", "", "threadops.task.scratch.open.seconds"): 1.0,
    }
    tasks = [task(number, 0, 10, cpu_ns=0, executor=str(number)) for number in (0, 1)]
    found = attributed(tasks, readings(counters))
    by_stage = {row.stage: row.parts for row in found.stages.values()}
    assert by_stage["0"]["metadata: scratch"] == pytest.approx(10, abs=0.1)
    assert by_stage["1"]["waiting for other threads"] == pytest.approx(10, abs=0.1)


def reducer(**more: float | str | None) -> Row:
    """Of 10 s: until 2 s map tasks ran, and it had its last block at 6 s."""
    own = {"app": "job_1_0001", "index": 0, "retry": 0, "cpu_ns": 9_000_000_000}
    phases = {"input_wait_ms": 2000, "fetch_wait_ms": 4000}
    return {**task(1, 0, 10), **own, **phases, **more}


def test_a_reducer_that_starts_its_jvm_does_not_wait_for_blocks() -> None:
    """It starts for 2 s and computes from 6 to 10 s; its fetchers are in calls on sockets for 1 s."""
    process = "YarnChild/7/attempt_1_0001_r_000000_0"
    times = {
        "threads.task.cpu": [0, 2, 2, 6],
        "threads.task.wait": [0, 0, 0, 0],
        "threads.fetch.in.network": [0, 0, 1, 1],
    }
    found = [
        measure(name).at(t, "node1", process, value)
        for name, values in times.items()
        for t, value in zip((0, 2, 6, 10), values, strict=True)
    ]
    seen = polars.DataFrame(found, sampletable.SCHEMA, orient="row")
    known = {
        part.name: part.seconds
        for part in attributed([reducer()], seen, process_cpu=True).parts
        if part.seconds > 0.01
    }
    assert known["CPU"] == pytest.approx(6)
    assert known["waiting for blocks of the same node"] == pytest.approx(1)
    assert known["unclassified"] == pytest.approx(3)
    assert "waiting for earlier stages" not in known, "it started its JVM meanwhile"


def test_a_history_alone_does_not_say_how_long_jvms_started() -> None:
    found = attributed([reducer(input_wait_ms=0)], process_cpu=True)
    assert "waiting for blocks of the same node" not in shares(found)
    assert "waiting for blocks" in found.coverage.missing
    assert found.coverage.missing["CPU time of tasks"].endswith("with JIT and GC")
    early = {
        part.name: part.seconds
        for part in attributed([reducer(cpu_ns=1_000_000_000)], process_cpu=True).parts
    }
    assert early["waiting for blocks of the same node"] == 4
    assert early["waiting for earlier stages"] == 2


def test_gc_that_the_engine_does_not_report_is_not_zero() -> None:
    """Flink says nothing of it: it is missing, unless the JVMs' own logs of their pauses have it."""
    quiet = [{**task(0, 0, 10, node=node), "gc_ms": None} for node in (1, 2)]
    assert "GC" in attributed(quiet).coverage.missing
    pauses = Readings(np.asarray([0.0, 2.0, 5.0]), np.asarray([0.0, 0.0, 3.0]))
    found = attribute(job(quiet), readings({}), replace(WINDOW, stopped={"node1": pauses}))
    assert found is not None
    assert "GC" not in found.coverage.missing
    assert shares(found)["GC"] == pytest.approx(3 / 20)
    assert "GC" not in attributed([task(0, 0, 10)]).coverage.missing


def executors(*spans: tuple[float, float | None], cores: int = 1, slots: int = 1) -> polars.DataFrame:
    rows = [
        {**dict.fromkeys(jobmetrics.EXECUTORS), "app": "app", "executor": str(number), "cores": cores, "slots": slots,
         "added": added, "removed": removed}
        for number, (added, removed) in enumerate(spans)
    ]  # fmt: skip
    return polars.DataFrame(rows, jobmetrics.EXECUTORS)


def test_a_task_of_two_cores_fills_the_slot_of_two_cores() -> None:
    """`spark.task.cpus=2`: one task at a time in an executor of two cores keeps it busy."""
    busy = job([task(0, 0, 5, cpu_ns=5_000_000_000), task(0, 5, 10, cpu_ns=5_000_000_000)])
    busy.executors = executors((0, None), cores=2, slots=1)
    found = attribute(busy, readings({}), WINDOW)
    assert found is not None
    assert (found.slots, shares(found)) == (1, pytest.approx({"CPU": 1.0}))


def test_executors_that_come_and_go_are_no_empty_slots_while_they_are_not_there() -> None:
    """Two executors, of which one is there from 4 to 6 alone: 12 slot-seconds, and the first 2 s had no task."""
    came = job([task(0, 2, 10, cpu_ns=8_000_000_000), task(0, 4, 6, cpu_ns=2_000_000_000)])
    came.executors = executors((0, None), (4, 6))
    came.applications = polars.DataFrame(
        [{**dict.fromkeys(jobmetrics.APPLICATIONS), "app": "app", "dynamic": True}], jobmetrics.APPLICATIONS
    )
    found = attribute(came, readings({}), WINDOW)
    assert found is not None
    assert (found.slots, found.slot_time, found.start) == (2, 12, 2)
    assert shares(found) == pytest.approx({"CPU": 10 / 12, "no task: application start": 2 / 12})


def test_a_speculative_copy_leaves_stragglers_stragglers() -> None:
    ran = [task(0, 0, 2, index=0), task(0, 0, 10, index=1), task(0, 9, 10, index=1, ok=False)]
    assert "no task: scheduling" not in shares(attributed(ran))
    again = [task(0, 0, 2, index=0), task(0, 0, 6, index=1, ok=False), task(0, 8, 10, index=1)]
    assert shares(attributed(again))["no task: scheduling"] == pytest.approx(4 / 20)


def test_a_link_that_is_full_is_waited_for_whatever_its_servers_do() -> None:
    """Two tasks fetch 40 bytes each at 10 a second, while threads that serve blocks always want a processor."""
    tasks = [task(1, 0, 10, node=node, fetch_wait_ms=5000, remote_bytes=40) for node in (1, 2)]
    busy = readings({(f"node{node}", EXECUTOR, "threads.server.wait"): 0.5 for node in (1, 2)})
    found = attribute(job(tasks), busy, replace(WINDOW, link=10))
    known = {part.name: part.seconds for part in found.parts} if found else {}
    assert known["network"] == pytest.approx(8)
    assert known["run-queue wait"] == pytest.approx(2)
    assert "network" not in shares(attributed(tasks, busy))


def test_a_hypervisor_is_another_user_of_the_cpu() -> None:
    """The machine gave 1 s of CPU time a second and lost 0.5 s: of the tasks' 0.25 s a second, 0.125 s were lost."""
    counters = {
        **{(f"node{node}", EXECUTOR, "threads.task.cpu"): 0.25 for node in (1, 2)},
        **{(f"node{node}", EXECUTOR, "threads.task.wait"): 0.0 for node in (1, 2)},
        ("host", "", "cpu_user"): 0.75,
        ("host", "", "cpu_system"): 0.25,
        ("host", "", "steal"): 0.5,
        ("node1", "", "cpu_user"): 0.25,
    }
    tasks = [task(0, 0, 10, node=node, cpu_ns=2_500_000_000) for node in (1, 2)]
    found = shares(attributed(tasks, readings(counters)))
    assert found["run-queue wait"] == pytest.approx(0.125)
    alone = {**counters, ("node1", "", "steal"): 0.5}
    found = shares(attributed(tasks, readings(alone)))
    assert found["run-queue wait"] == pytest.approx((0.5 + 0.125) / 2), "node1 is a machine of its own"


def test_a_call_on_a_socket_is_named_by_who_is_at_its_other_end() -> None:
    rates = {"Python worker": 0.1, "HDFS": 0.1, "child processes": 0.05, "": 0.2}
    busy = polars.concat(
        [
            polars.DataFrame([Measure("threads.in", "task", peer, "network").at(t, "node1", EXECUTOR, rate * t)],
                             sampletable.SCHEMA, orient="row")
            for t in range(11)
            for peer, rate in rates.items()
        ]
    )  # fmt: skip
    found = shares(attributed([task(0, 0, 10)], busy))
    assert found["Python: worker"] == pytest.approx(0.05)
    assert found["waiting for HDFS"] == pytest.approx(0.05)
    assert found["waiting for child processes"] == pytest.approx(0.025)
    assert found["waiting in sockets"] == pytest.approx(0.1)
    assert "network" not in found


def test_a_call_on_a_socket_is_no_file_call() -> None:
    """The preload library times calls on sockets too."""
    busy = readings({("node1", "", "threadops.task.network.poll.seconds"): 0.4})
    assert not any(name.startswith("metadata") for name in shares(attributed([task(0, 0, 10)], busy)))


def test_a_job_on_one_node_has_no_network() -> None:
    found = shares(attributed([task(0, 0, 10, fetch_wait_ms=4000, remote_bytes=5_000_000)]))
    assert found["waiting for blocks of the same node"] == pytest.approx(0.2)
    assert "network" not in found


@pytest.mark.parametrize(("remote", "name"), [(None, "network"), (0, "waiting for blocks of the same node")])
def test_blocks_of_the_same_node_are_named_only_where_the_engine_counts_them(
    remote: int | None, name: str
) -> None:
    """Flink counts what a task read, not from where: its waits for a slow link were called those for the own node."""
    more: dict[str, Any] = {"fetch_wait_ms": 4000, "local_bytes": 5_000_000, "remote_bytes": remote}
    assert name in shares(attributed([task(0, 0, 10, node=node, **more) for node in (1, 2)]))


def test_work_that_failed_is_named() -> None:
    found = attributed([task(0, 0, 5, ok=False), task(0, 5, 10), task(0, 0, 10, node=2)])
    assert shares(found)["failed work"] == pytest.approx(0.25)


MOMENTS = st.integers(min_value=-20, max_value=120).map(lambda tick: tick / 10)
TASKS = st.builds(
    lambda stage, begin, length, node, ok, gc, fetch, scheduler: task(
        stage, begin, begin + length, node=node, ok=ok, gc_ms=gc, fetch_wait_ms=fetch, scheduler_ms=scheduler
    ),
    st.integers(0, 3),
    MOMENTS,
    st.integers(-5, 80).map(lambda tick: tick / 10),
    st.integers(1, 3),
    st.booleans(),
    st.integers(0, 9000),
    st.integers(0, 9000),
    st.integers(0, 9000),
)
RATES = st.dictionaries(
    st.sampled_from(
        [
            ("node1", EXECUTOR, "threads.task.wait"),
            ("node2", EXECUTOR, "threads.task.in.open"),
            ("node1", EXECUTOR, "threads.server.cpu"),
            ("node1", "", "threadops.task.scratch.open.seconds"),
            ("node2", "", "fileops.scratch.stat.seconds"),
        ]
    ),
    st.floats(0, 5),
)


@settings(deadline=None)
@given(st.lists(TASKS, min_size=1, max_size=30), RATES)
def test_parts_sum_to_slots_times_wall(tasks: list[Row], rates: dict[tuple[str, str, str], float]) -> None:
    """With stragglers, failures, retries, overlaps, nodes that nobody observed, and counters that say too much."""
    found = attribute(job(tasks), readings(rates), WINDOW)
    if found is not None:
        assert sum(part.seconds for part in found.parts) == pytest.approx(20, rel=0.01)
        assert sum(part.share for part in found.parts) == pytest.approx(1, rel=0.01)
        assert all((part.bound or 1) >= 1 and part.seconds >= 0 for part in found.parts)
