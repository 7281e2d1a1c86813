"""The sentence of a run: what it says where an executor was not observed."""

import re

import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.test_model_attribution import EXECUTOR, RATES, TASKS, WINDOW, Row, job, readings, task
from weft.analysis.explain import evidence, sentences, slots, tasktime
from weft.analysis.explain.attribution import attribute
from weft.analysis.explain.explanation import explain
from weft.analysis.explain.findings import advice, of_parts, of_run, refined
from weft.analysis.explain.fitting import Used
from weft.analysis.explain.limits import Ceilings
from weft.analysis.explain.sentences import PHRASES
from weft.analysis.explain.stacks import Profiled
from weft.analysis.explain.timeparts import Explanation, Limit, Suggestion, TimePart, Trying
from weft.analysis.read.nodes import NodeInfo
from weft.analysis.read.spans import Span
from weft.facts import engines, jobmetrics, peers
from weft.facts.jobmetrics import JobMetrics
from weft.report.draw.blocks import Bar
from weft.report.sections.explain import bar, blocks, first_screen, to_try

NODES = [NodeInfo(name=f"node{n}", address=f"10.0.0.{n}", cores=1) for n in (1, 2)]


def run(metrics: JobMetrics, *, no_gain: str = "") -> Explanation:
    """On two slots, for 10 s."""
    found = explain(
        metrics, readings({}), [Span(name="run", begin=0, seconds=10)], NODES, 0, 2, Used(), no_gain=no_gain
    )
    assert found is not None
    return found


def sentence(*observed: int) -> str:
    """Of two executors, each with a task that has a processor for 4 s of 10 and waits for one in the others."""
    metrics = job([task(0, 0, 10, node=node, cpu_ns=4e9) for node in (1, 2)])
    rows = [{**dict.fromkeys(jobmetrics.EXECUTORS), "app": "app", "executor": str(n)} for n in (1, 2)]
    metrics.executors = polars.DataFrame(rows, jobmetrics.EXECUTORS)
    seen = readings({(f"node{node}", EXECUTOR, "threads.task.wait"): 0.6 for node in observed})
    found = explain(metrics, seen, [Span(name="run", begin=0, seconds=10)], NODES, 0, 2, Used())
    assert found is not None
    return found.sentence


def test_each_part_of_the_slot_time_has_words_and_something_to_try() -> None:
    parts = {value for name, value in vars(tasktime).items() if name.isupper() and isinstance(value, str)}
    parts |= {*slots.EMPTY} - {slots.SCHEDULING}
    assert parts - {tasktime.UNCLASSIFIED, slots.START} == PHRASES.keys()
    given = {tasktime.CPU, tasktime.UNCLASSIFIED, slots.START}
    assert {part for part, category in advice() if not category} >= parts - given
    assert not given & {part for part, category in advice() if not category}, (
        "a job has its work and its start"
    )


def test_each_peer_has_a_part() -> None:
    assert set(peers.roles()) == evidence.PEERS.keys() - {""}


def test_an_executor_whose_threads_were_not_read_is_the_reason_why_there_is_no_verdict() -> None:
    unread = sentence(1)
    assert unread.startswith("No verdict: 30 % of slot time has no name")
    assert unread.endswith(
        "Threads of 1 of 2 executors were read: what tasks of the others waited for has no name."
    )


def test_a_failed_run_has_no_speed_up() -> None:
    metrics = job([task(0, 0, 10, node=node, cpu_ns=4e9, gc_ms=6000) for node in (1, 2)])
    ended, failed = (run(metrics, no_gain=why) for why in ("", sentences.FAILED_RUN))
    assert ended.sentence.startswith(
        "60 % of the job's slot time was tasks stopped by garbage collection (without it, the run phase at most 2.5 times"
    )
    assert "The run failed: where its time went is not why." in failed.sentence
    assert (failed.findings, [one.part for one in ended.findings]) == ((), ["GC"])
    assert "speed-up" in str(blocks(ended))
    assert "speed-up" not in str(blocks(failed))
    assert "times faster" not in failed.sentence


def test_neither_the_start_nor_the_jobs_work_are_offered_as_what_it_could_do_without() -> None:
    """Half of the run phase is the application's start, and the tasks compute: there is nothing to gain."""
    found = run(job([task(0, 5, 10, node=node, cpu_ns=5e9) for node in (1, 2)]))
    assert found.sentence.startswith("100 % of the job's slot time was tasks computing.")
    assert (
        found.start == "Before its first task, the application took 5.00 s to start, 50 % of the run phase."
    )
    assert found.findings == ()
    assert {part.name: part.bound for part in found.parts} == {
        "CPU": None,
        "no task: application start": None,
    }
    decided = found.model_copy(update={"decided": True})
    (words,) = to_try(decided)
    assert words.startswith("The job computes: its tasks were on a CPU for 100 % of the job's slot time.")
    assert words.endswith("No change that weft knows surely saves more than 5 %.")
    assert "faster" not in str(blocks(decided))


def test_a_job_that_computes_is_compared_with_what_the_machine_can_do() -> None:
    parts = [
        TimePart(name=name, share=seconds / 20, seconds=seconds, resource=seconds, bound=None)
        for name, seconds in (
            ("CPU", 8.0),
            ("run-queue wait", 1.0),
            ("no task: application start", 10.0),
            ("GC", 1.0),
        )
    ]
    gauges = [
        Limit(name="CPUs", unit="cores", observed=1.7, ceiling=2, share=0.85, peak=2),
        Limit(
            name="bytes read: input",
            unit="B",
            observed=1,
            ceiling=10,
            share=0.1,
            peak=2,
            service="the storage",
        ),
        Limit(
            name="network: sent by node1",
            unit="B",
            observed=3,
            ceiling=10,
            share=0.3,
            peak=4,
            service="the link",
        ),
    ]
    assert sentences.of_work(parts, gauges) == (
        "The job computes: its tasks were on a CPU for 80 % of the job's slot time and waited for one in 10 %,"
        " with 1.7 of 2 cores used, and the link at 30 % of its measured peak."
    )
    assert sentences.of_work(parts, ()).endswith("waited for one in 10 %.")
    assert sentences.of_work(parts[2:], gauges) == "", "it does not compute"


def test_a_job_whose_tasks_mostly_waited_for_a_cpu_is_not_called_computing() -> None:
    parts = [
        TimePart(name=name, share=seconds / 10, seconds=seconds, resource=seconds, bound=None)
        for name, seconds in (("CPU", 0.4), ("run-queue wait", 5.4), ("metadata: scratch", 4.2))
    ]
    assert sentences.of_work(parts, ()) == (
        "Its tasks waited for a CPU for 54 % of the job's slot time, and were on one for 4 %:"
        " other threads, programs or virtual machines had it."
    )


def test_the_first_screen_says_where_the_jobs_time_went_then_the_start_then_one_thing_to_try() -> None:
    found = run(job([task(0, 5, 10, node=node, cpu_ns=2e9, gc_ms=3000) for node in (1, 2)]))
    trying = Trying(change="twice the heap", gain=0.3, low=0.1, high=0.4, command="weft run x")
    first = first_screen(found.model_copy(update={"trying": trying, "decided": True}))
    assert first[0].startswith("60 % of the job's slot time was tasks stopped by garbage collection")
    assert first[1].startswith("Before its first task")
    assert first[2:] == ["Try twice the heap: saves 30 % of the time (10 % to 40 %).", "weft run x"]
    assert len(first_screen(found)) == 2, "a record alone does not decide what to try"


def test_where_all_were_read_their_waits_have_a_name() -> None:
    assert sentence(1, 2).startswith(
        "60 % of the job's slot time was tasks ready to run while others used the CPU"
    )


@pytest.mark.parametrize(
    ("category", "advice"),
    [("partitioning", ["Spark compares each record with every bound"]), ("sort", [])],
)
def test_what_to_do_about_cpu_time_depends_on_its_largest_category(category: str, advice: list[str]) -> None:
    metrics = job([task(0, 0, 10, node=node, cpu_ns=9.5e9) for node in (1, 2)])
    profile = Profiled(processes=2, columns={"map": {category: 12.0, "kernel": 7.0}})
    found = explain(
        metrics, readings({}), [Span(name="run", begin=0, seconds=10)], NODES, 0, 2, Used(), profile
    )
    assert found is not None
    assert found.headline == "CPU"
    assert [one.change[:43] for one in found.findings] == advice


def test_sides_have_all_stages_and_the_table_those_that_took_most() -> None:
    metrics = job([task(number, number, number + 1, node=1) for number in range(8)])
    found = explain(metrics, readings({}), [Span(name="run", begin=0, seconds=10)], NODES, 0, 2, Used())
    assert found is not None
    assert len(found.stages) < 8
    assert sum(found.sides.values()) > sum(stage.seconds for stage in found.stages)
    assert sum(found.sides.values()) >= 8


def test_a_part_has_the_same_colour_in_every_report() -> None:
    """By what it is like, and not by how large it is."""
    first = bar(run(job([task(0, 0, 10, node=node, cpu_ns=2e9, gc_ms=7000) for node in (1, 2)])))
    second = bar(run(job([task(0, 4, 10, node=node, cpu_ns=5e9, gc_ms=1000) for node in (1, 2)])))

    def colours(shown: Bar) -> dict[str, str]:
        return {name: found for (name, _, _), found in zip(shown.parts, shown.classes, strict=True)}

    assert colours(first)["CPU"] == colours(second)["CPU"] == "f-cpu o10"
    assert colours(first)["GC"] == colours(second)["GC"] == "f-gc o10"


def test_a_stage_that_spilled_is_named() -> None:
    tasks = [task(0, 0, 10, node=node, disk_spill_bytes=100_000_000) for node in (1, 2)]
    (found,) = [one for one in run(job(tasks)).findings if one.part == "spill"]
    assert found.change.endswith("smaller partitions: stage 0 (step 0) spilled 200 MB")
    assert found.gain is None, "how long that took, nobody measured"
    assert not any("spilled" in one.change for one in run(job([task(0, 0, 10)])).findings)


def test_one_task_that_reads_most_is_named_in_place_of_stragglers_in_general() -> None:
    sizes = [(1, 0, 2, 10), (1, 2, 4, 10), (2, 0, 10, 80)]
    tasks = [task(0, begin, end, node=node, cpu_ns=(end - begin) * 1e9, remote_bytes=size)
             for node, begin, end, size in sizes]  # fmt: skip
    (found,) = [one for one in run(job(tasks)).findings if one.part == slots.STRAGGLERS]
    assert found.change == (
        "spread the keys of stage 0 (step 0): one of its 3 tasks read 80 % of its shuffle, 8 times the median"
    )
    assert found.gain is not None
    even = [{**row, "remote_bytes": 10} for row in tasks]
    (general,) = [one for one in run(job(even)).findings if one.part == slots.STRAGGLERS]
    assert general.change.startswith("more, smaller partitions")


def test_attempts_that_failed_and_copies_are_no_tasks_that_read_less() -> None:
    """Of four partitions one is read twice: by the copy that was killed, too."""
    rows = [
        (1, 0, 2, 10, True),
        (1, 2, 4, 10, True),
        (1, 4, 6, 10, True),
        (2, 0, 9, 90, False),
        (2, 0, 10, 90, True),
    ]
    tasks = [task(0, begin, end, node=node, ok=ok, cpu_ns=(end - begin) * 1e9, remote_bytes=size)
             for node, begin, end, size, ok in rows]  # fmt: skip
    (found,) = [one for one in run(job(tasks)).findings if one.part == slots.STRAGGLERS]
    assert "one of its 4 tasks read 75 % of its shuffle, 9 times the median" in found.change


def test_tasks_that_took_no_time_are_no_reason_to_say_nothing_of_the_others() -> None:
    """Clocks of logs count milliseconds, and may step back."""
    found = run(job([task(0, 0, 10, cpu_ns=1e10), task(0, 0, 10, cpu_ns=1e10), task(1, 5, 5), task(2, 6, 5)]))
    assert found.sentence.startswith("100 % of the job's slot time was tasks computing.")
    none = job([task(0, 5, 5), task(0, 6, 5)])
    assert explain(none, readings({}), [Span(name="run", begin=0, seconds=10)], NODES, 0, 2, Used()) is None


@pytest.mark.parametrize(("alone", "names"), [(4, False), (25, True)])
def test_a_driver_that_plans_for_seconds_is_no_advice(alone: int, names: bool) -> None:
    """As it does in any short application."""
    metrics = job([task(stage, begin, begin + 3, node=node, cpu_ns=3e9)
                   for stage, begin in ((0, 0), (1, 3 + alone)) for node in (1, 2)], {1: [0]})  # fmt: skip
    span = [Span(name="run", begin=0, seconds=6 + alone)]
    found = explain(metrics, readings({}), span, NODES, 0, 2, Used())
    assert found is not None
    assert any(one.part == slots.DRIVER for one in found.findings) == names
    assert ("times faster" in found.sentence) == names


@pytest.mark.parametrize(
    ("probes", "imported", "expected"),
    [
        ((), False, ["more probes: --probe threads --probe fileops"]),
        (("threads", "fileops"), False, []),
        ((), True, ["weft submit, which watches what tasks wait for: a log does not say it"]),
    ],
)
def test_nothing_is_offered_to_be_watched_that_was_or_cannot_be(
    probes: tuple[str, ...], imported: bool, expected: list[str]
) -> None:
    found = run(job([task(0, 0, 10, node=node, cpu_ns=2e9) for node in (1, 2)]))
    assert not found.verdict
    left = of_run(found, probes, "spark", {}, imported=imported)
    assert [one.change for one in left.findings] == expected


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (None, ", or more bandwidth between nodes"),
        (0.03, "; more slots, or fewer calls: the link is at 3 % of its rate, so the latency of each call is waited for"),
        (0.9, ", or more bandwidth between nodes; fewer bytes or a faster service: the link is near its limit, so more at a time gain nothing"),
    ],
)  # fmt: skip
def test_no_advice_contradicts_its_gauge(share: float | None, expected: str) -> None:
    metrics = job(
        [task(0, 0, 10, node=node, cpu_ns=4e9, fetch_wait_ms=6000, remote_bytes=10) for node in (1, 2)]
    )
    found = attribute(metrics, readings({}), WINDOW)
    assert found is not None
    link = [Limit(name="network", unit="B", observed=share, ceiling=1, share=share, peak=1, parts=("network",), service="the link")
            for share in [share] if share]  # fmt: skip
    (one,) = of_parts(found, found.parts, Ceilings(Used(), link))
    assert one.change == f"less to shuffle (combine before the shuffle, compress){expected}"


@pytest.mark.parametrize(
    ("share", "parts"),
    [(0.1, ["more nodes reading at once", "more slots"]), (0.9, ["input on a storage with more bandwidth", "fewer bytes"])],
)  # fmt: skip
def test_more_at_a_time_helps_below_a_ceiling_and_more_bandwidth_at_one(
    share: float, parts: list[str]
) -> None:
    limit = Limit(name="bytes read", unit="B", observed=share, ceiling=1, share=share, peak=1, parts=("data: input",), service="the storage")  # fmt: skip
    part = TimePart(name="data: input", share=0.5, seconds=10, resource=10, bound=2.0)
    found = attribute(job([task(0, 0, 10, node=node, cpu_ns=1e10) for node in (1, 2)]), readings({}), WINDOW)
    assert found is not None
    (one,) = of_parts(found, [part], Ceilings(Used(), [limit]))
    first, second = one.change.split("; ")
    assert [first, second[: len(parts[1])]] == parts


@pytest.mark.parametrize(
    ("engine", "imported", "key"),
    [
        ("spark", False, ": --set engine.executor_memory=SIZE"),
        ("hadoop", False, ": --set engine.task_memory=SIZE"),
        ("flink", False, ": --set engine.taskmanager_memory=SIZE"),
        ("spark", True, ": spark.executor.memory"),
        ("hive", False, ""),
        ("spark+flink", False, ""),
    ],
)
def test_a_larger_heap_is_asked_for_by_the_engines_own_key(engine: str, imported: bool, key: str) -> None:
    found = run(job([task(0, 0, 10, node=node, cpu_ns=4e9, gc_ms=6000) for node in (1, 2)]))
    (one,) = of_run(found, (), engine, {}, imported=imported).findings
    assert one.change == f"a larger heap, or fewer slots in one process{key}"


@pytest.mark.parametrize(
    ("engine", "part", "says"),
    [
        (
            "flink",
            tasktime.THREADS,
            "; a task of a pipeline waits for its input, which is the vertex before it",
        ),
        ("spark", tasktime.THREADS, ""),
        ("hadoop", tasktime.INPUT, ": mapreduce.job.reduce.slowstart.completedmaps=1.0"),
        ("hive", tasktime.INPUT, f": {engines.of('hive').settings.begin_late}"),
    ],
)
def test_what_an_engines_tasks_wait_for_has_its_own_words(engine: str, part: str, says: str) -> None:
    found = run(job([task(0, 0, 10, node=node, cpu_ns=4e9, gc_ms=6000) for node in (1, 2)]))
    one = Suggestion(part=part, change="this", gain=None)
    (left,) = of_run(found.model_copy(update={"findings": (one,)}), (), engine, {}, imported=False).findings
    assert left.change == f"this{says}"


def test_measurements_that_do_not_fit_suggest_nothing() -> None:
    found = run(job([task(0, 0, 10, node=node, cpu_ns=9.9e9, gc_ms=9000) for node in (1, 2)]))
    assert "counted twice" in found.sentence
    assert found.findings == ()
    assert to_try(found.model_copy(update={"decided": True})) == []


def test_a_fact_takes_the_place_of_what_its_part_suggests_in_general_with_its_gain() -> None:
    general = [
        Suggestion(part=slots.SCHEDULING, change="fewer and longer tasks", gain=0.2),
        Suggestion(part="GC", change="a larger heap", gain=0.3),
        Suggestion(part="CPU", change="observe", gain=None, shows=True),
    ]
    facts = [
        Suggestion(part=slots.SCHEDULING, change="fewer and larger files", gain=None),
        Suggestion(part="scan", change="read it once", gain=0.01),
    ]
    assert [(one.change, one.gain) for one in refined(facts, general)] == [
        ("a larger heap", 0.3),
        ("fewer and larger files", 0.2),
        ("observe", None),
    ]


def test_the_engines_timer_of_shuffle_writes_counts_where_nobody_watched_file_calls() -> None:
    metrics = job([task(0, 0, 10, node=node, cpu_ns=2e9, shuffle_write_ms=7000) for node in (1, 2)])
    found = run(metrics)
    assert {part.name: part.seconds for part in found.parts}[tasktime.SHUFFLE_WRITE] == pytest.approx(14)
    assert found.sentence.startswith("70 % of the job's slot time was tasks writing shuffle files")
    seen = readings({(f"node{node}", EXECUTOR, "threads.task.in.write"): 0.5 for node in (1, 2)})
    watched = explain(metrics, seen, [Span(name="run", begin=0, seconds=10)], NODES, 0, 2, Used())
    assert watched is not None
    assert tasktime.SHUFFLE_WRITE not in {part.name for part in watched.parts}


@settings(deadline=None, max_examples=50)
@given(st.lists(TASKS, min_size=1, max_size=12), RATES)
def test_an_answer_sums_to_the_time_whatever_the_tasks(
    tasks: list[Row], rates: dict[tuple[str, str, str], float]
) -> None:
    """Some take no time, or end before they begin; counters say too much."""
    found = explain(job(tasks), readings(rates), [Span(name="run", begin=0, seconds=10)], NODES, 0, 2, Used())
    if found is not None:
        assert sum(found.rows().values()) == pytest.approx(found.wall, rel=0.01)
        shares = [float(word) for word in re.findall(r"(\d+) %", found.sentence)]
        assert all(share <= 100 for share in shares), found.sentence
        assert "nan" not in str(blocks(found))
