"""The sentence of a run: what it says where an executor was not observed."""

import polars
import pytest

from tests.unit.test_model_attribution import EXECUTOR, job, readings, task
from weft.analysis.explain import evidence, slots, tasktime
from weft.analysis.explain.explanation import PHRASES, advice, explain
from weft.analysis.explain.fitting import Used
from weft.analysis.explain.stacks import Profiled
from weft.analysis.read.nodes import NodeInfo
from weft.analysis.read.spans import Span
from weft.facts import jobmetrics, peers
from weft.report.sections.explain import blocks

NODES = [NodeInfo(name=f"node{n}", address=f"10.0.0.{n}", cores=1) for n in (1, 2)]


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
    assert parts - {tasktime.UNCLASSIFIED} == PHRASES.keys()
    assert parts <= {part for part, _ in advice()}


def test_each_peer_has_a_part() -> None:
    assert set(peers.roles()) == evidence.PEERS.keys() - {""}


def test_an_executor_whose_threads_were_not_read_is_the_reason_why_there_is_no_verdict() -> None:
    unread = sentence(1)
    assert unread.startswith("No verdict: 30 % of slot time has no name")
    assert unread.endswith(
        "Threads of 1 of 2 executors were read: what tasks of the others waited for has no name."
    )


def test_a_failed_run_has_no_speed_up() -> None:
    metrics = job([task(0, 0, 10, node=node, cpu_ns=9e9) for node in (1, 2)])
    run = [Span(name="run", begin=0, seconds=10)]
    ended, failed = (
        explain(metrics, readings({}), run, NODES, 0, 2, Used(), failed=failed) for failed in (False, True)
    )
    assert ended is not None
    assert failed is not None
    assert "Without that: at most" in ended.sentence
    assert "The run failed: where its time went is not why." in failed.sentence
    assert (failed.next, ended.next != ()) == ((), True)
    assert "faster" in str(blocks(ended))
    assert "faster" not in str(blocks(failed))


def test_where_all_were_read_their_waits_have_a_name() -> None:
    assert sentence(1, 2).startswith("60 % of slot time was tasks ready to run while others used the CPU")


@pytest.mark.parametrize(
    ("category", "advice"),
    [("partitioning", "Spark compares each record with every bound"), ("sort", "tasks compute")],
)
def test_what_to_do_about_cpu_time_depends_on_its_largest_category(category: str, advice: str) -> None:
    metrics = job([task(0, 0, 10, node=node, cpu_ns=9.5e9) for node in (1, 2)])
    profile = Profiled(processes=2, columns={"map": {category: 12.0, "kernel": 7.0}})
    found = explain(
        metrics, readings({}), [Span(name="run", begin=0, seconds=10)], NODES, 0, 2, Used(), profile
    )
    assert found is not None
    assert found.headline == "CPU"
    assert found.next[0].startswith(advice)


def test_sides_have_all_stages_and_the_table_those_that_took_most() -> None:
    metrics = job([task(number, number, number + 1, node=1) for number in range(8)])
    found = explain(metrics, readings({}), [Span(name="run", begin=0, seconds=10)], NODES, 0, 2, Used())
    assert found is not None
    assert len(found.stages) < 8
    assert sum(found.sides.values()) > sum(stage.seconds for stage in found.stages)
    assert sum(found.sides.values()) >= 8
