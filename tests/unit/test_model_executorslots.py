"""How many tasks run in an executor at one time, by the event log: cores, other resources, masters that limit them."""

from pathlib import Path

import pytest

from tests.unit.report_fakes import event, executor, ms, task, write_log
from tests.unit.test_model_eventlog import profile, settings
from weft.analysis.summary import engine
from weft.facts import executorslots
from weft.facts.engines.spark import eventlog
from weft.text.entry import Entry


def test_a_profile_that_asks_for_no_cores_has_tasks_of_as_many_as_usual(tmp_path: Path) -> None:
    """As one that asks for executors of other memory alone."""
    bare = event("ResourceProfileAdded", **{"Resource Profile Id": 1, "Task Resource Requests": {}})
    (added,) = executor(0)
    added["Executor Info"] |= {"Total Cores": 4, "Resource Profile Id": 1}
    write_log(tmp_path, [profile(0, 2.0), bare, added])
    metrics = eventlog.read(Entry(tmp_path))
    assert metrics.executors.select("cores", "slots").rows() == [(4, 2)]
    assert metrics.gaps == []


def test_the_slots_that_were_used_are_those_of_tasks_of_several_cores(tmp_path: Path) -> None:
    executors = [*executor(0, removed=8), *executor(1)]
    for added in executors[::2]:
        added["Executor Info"]["Total Cores"] = 4
    executors[2]["Timestamp"] = ms(8)
    write_log(tmp_path, [profile(0, 2.0), *executors, task(0, run_ms=8970)])
    use = engine.usage(eventlog.read(Entry(tmp_path)))
    assert use is not None
    assert (use.slots, use.slot_seconds) == (2, pytest.approx(2 * (5 + 5)))


@pytest.mark.parametrize(("master", "most"), [("spark://a:7077", 1), ("yarn", None), ("k8s://a", None)])
def test_only_masters_that_know_the_limit_of_cores_keep_to_it(
    tmp_path: Path, master: str, most: int | None
) -> None:
    write_log(tmp_path, [settings(cores_max="1", master=master), *executor(0), *executor(1)])
    metrics = eventlog.read(Entry(tmp_path))
    assert metrics.applications["most_cores"].to_list() == [most]
    assert executorslots.configured(metrics, 2) == (most or 2)


def test_a_limit_that_is_no_multiple_leaves_the_last_cores_without_an_executor(tmp_path: Path) -> None:
    (added,) = executor(0)
    added["Executor Info"]["Total Cores"] = 2
    write_log(tmp_path, [settings(cores_max="3", master="spark://a:7077"), added])
    assert executorslots.configured(eventlog.read(Entry(tmp_path)), 4) == 2


@pytest.mark.parametrize(("amount", "slots"), [(1.0, 2), (2.0, 1), (0.1, 8), (0.34, 4), (0.0, 8)])
def test_tasks_that_need_a_gpu_are_at_one_time_as_many_as_there_are_for(
    tmp_path: Path, amount: float, slots: int
) -> None:
    asked = profile(0, 1.0)
    asked["Task Resource Requests"]["gpu"] = {"Resource Name": "gpu", "Amount": amount}
    (added,) = executor(0)
    gpus = {"gpu": {"name": "gpu", "addresses": ["0", "1"]}}
    added["Executor Info"] |= {"Total Cores": 8, "Resources": gpus, "Resource Profile Id": 0}
    write_log(tmp_path, [asked, added])
    assert eventlog.read(Entry(tmp_path)).executors["slots"].to_list() == [slots]
