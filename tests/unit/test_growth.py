"""What a prediction is of: tasks, as many as the workload asks for itself; data, if its size is known; storages that it can use."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from tests.fakes import fake_layout, fake_nodes
from tests.unit.prediction_jobs import LUSTRE, MEMORY, groupby
from tests.unit.report_fakes import make_record
from weft.adapters.workloads import KINDS
from weft.adapters.workloads.base import Prepared, Workload
from weft.analysis.predict import candidates, holdout, prediction, projection, target
from weft.analysis.predict.machine import Machine
from weft.analysis.predict.prediction import Scenario
from weft.analysis.predict.projection import Recorded
from weft.analysis.predict.target import Growth, of_workload
from weft.errors import UsageError

KEYS = ("--partitions", "--tasks", "--mappers")
SMALL, LARGE = 4, 16
"""Slots."""
HERE = Machine("here", cores=2, storages={"memory": MEMORY, "lustre": LUSTRE})


def asked(kind: str, slots: int) -> tuple[int | None, float]:
    """The tasks that a workload with its own settings asks for on two nodes, and its size; None if it asks for none."""
    try:
        workload = KINDS.read(kind)
        assert isinstance(workload, Workload)
        job = workload.job(Prepared(fake_layout(fake_nodes(2, cores=slots // 2)), [{"checksum": "1"}]))
    except (AssertionError, ValueError, UsageError, LookupError):
        return None, 0
    options = dict(pairwise(job.arguments))
    found = next((options[key] for key in KEYS if options.get(key, "").isdigit()), None)
    return found and int(found), float(getattr(workload, "size", 0))


GROWING = [kind for kind in KINDS if asked(kind, SMALL)[0] != asked(kind, LARGE)[0]]


def test_most_workloads_have_tasks_for_each_slot() -> None:
    assert {"terasort", "sort-by-key", "kmeans", "pagerank", "pagerank-graphx", "groupby", "pi"} <= {*GROWING}


@pytest.mark.parametrize("kind", GROWING)
def test_a_workload_whose_tasks_grow_with_slots_does_so_in_predictions(kind: str) -> None:
    (few, size), (many, _) = asked(kind, SMALL), asked(kind, LARGE)
    assert few
    work = groupby(tasks=few, slots=SMALL)
    stage = next(one for one in work.stages if one.reads_shuffle)
    if of_workload({"kind": kind}).each:
        stage = next(one for one in work.stages if one.writes_shuffle)
    assert of_workload({"kind": kind}).tasks(stage, work, LARGE, size, None) == many


def test_every_rule_is_of_a_workload() -> None:
    assert {*target._SLOTS} <= {*KINDS}


def test_a_size_that_would_change_nothing_is_refused_by_name(tmp_path: Path) -> None:
    recorded = projection.read(make_record(tmp_path / "run"))
    (half,) = prediction.predict(recorded, HERE, Scenario(HERE, [2], size=2e8)).curves[0].points
    assert half.seconds < recorded.work.measured
    with pytest.raises(UsageError, match="--size 0: a workload has at least one byte"):
        prediction.predict(recorded, HERE, Scenario(HERE, [2], size=0))
    without = replace(
        recorded,
        work=replace(recorded.work, size=0.0),
        spec={**recorded.spec, "workload": {"kind": "pagerank"}},
    )
    blocks = replace(recorded, growth=Growth(each=True), spec={"workload": {"kind": "groupby"}})
    for one, words, hint in (
        (without, "no number says how much data pagerank has", "leave out --size"),
        (blocks, "groupby has the same data in each task", "--partitions"),
    ):
        with pytest.raises(UsageError, match=words) as caught:
            prediction.predict(one, HERE, Scenario(HERE, [2], size=2e8))
        assert hint in caught.value.hint


SIZED = {
    "terasort": "size",
    "wordcount": "size",
    "pagerank": "vertices",
    "sql-join": "visits",
    "tpcds": "scale",
    "pi": "points",
}
SIZED |= {"kmeans": "rows", "naive-bayes": "rows", "aggregate-by-key": "records", "sort-by-key": "records"}


@pytest.mark.parametrize("kind", SIZED)
def test_the_amount_of_data_is_a_key_of_the_workload_with_its_value(kind: str) -> None:
    ((key, value),) = KINDS.read(kind).amount.items()
    assert key == SIZED[kind]
    assert KINDS.read({"kind": kind, key: 2 * value}).amount == {key: 2 * value}


@pytest.mark.parametrize("kind", ["groupby", "scheduling-throughput", "block-matrix-mult", "chi-sq-mat"])
def test_a_workload_whose_work_no_key_doubles_has_no_amount(kind: str) -> None:
    assert KINDS.read(kind).amount == {}


def test_a_prediction_takes_the_amount_that_the_record_names_in_its_own_unit(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "run")
    path = tmp_path / "run" / "resolved.json"
    table = json.loads(path.read_text())
    table["spec"]["workload"] = {"kind": "kmeans", "rows": None}
    path.write_text(json.dumps({**table, "amount": {"rows": 200_000}}))
    recorded = projection.read(stored)
    assert (recorded.work.size_key, recorded.work.size) == ("rows", 200_000)
    (half,) = prediction.predict(recorded, HERE, Scenario(HERE, [2], size=1e5)).curves[0].points
    assert half.seconds < recorded.work.measured
    flags = [one.flags for one in candidates.possible_experiments(recorded.situation(HERE), ())]
    assert ("--set", "rows=100000") in flags


def test_runs_that_differ_in_what_their_amount_is_are_of_the_same_work(tmp_path: Path) -> None:
    def of(kind: str, **keys: object) -> Recorded:
        found = projection.read(make_record(tmp_path / str(keys)))
        work = replace(found.work, size_key="rows")
        return replace(found, work=work, spec={"workload": {"kind": kind, **keys}})

    assert holdout.same_work(of("kmeans", rows=1), of("kmeans", rows=2, partitions=3))
    assert not holdout.same_work(of("kmeans", rows=1, columns=20), of("kmeans", rows=2, columns=30))


def test_a_number_of_tasks_is_that_of_all_stages_where_it_is_that_of_the_data() -> None:
    work = groupby(tasks=16, slots=SMALL)
    maps, reduces = work.stages
    for kind, wanted in (("kmeans", (6, 6)), ("wordcount", (16, 6))):
        growth = of_workload({"kind": kind})
        assert tuple(growth.tasks(stage, work, SMALL, 0, 6) for stage in (maps, reduces)) == wanted


def test_on_a_pipelined_engine_a_stage_has_a_task_for_each_slot_or_what_its_workload_asks_for() -> None:
    work = groupby(tasks=SMALL, slots=SMALL)
    for kind in ("terasort", "pi", "sql-join"):
        growth = of_workload({"kind": kind}, pipelined=True)
        assert [growth.tasks(stage, work, LARGE, 0, None) for stage in work.stages] == [LARGE, LARGE]
    twice = groupby(tasks=2 * SMALL, slots=SMALL).stages[1]
    assert of_workload({"kind": "terasort"}, pipelined=True).tasks(twice, work, LARGE, 0, None) == 2 * LARGE


def test_a_prediction_says_whether_more_nodes_are_more_data(tmp_path: Path) -> None:
    recorded = projection.read(make_record(tmp_path / "run"))

    def job(one: Recorded, **asked: float) -> str:
        return prediction.predict(one, HERE, Scenario(HERE, [2], **asked)).job  # type: ignore[arg-type]

    assert job(recorded).startswith("Predicted: the same data (400 MB) on any number of nodes, and as many")
    assert job(recorded, size=8e8).startswith("Predicted: other data (800 MB)")
    assert job(recorded, partitions=7).endswith("and 7 tasks where their number can be chosen.")
    each = replace(recorded, growth=of_workload({"kind": "groupby"}))
    assert "twice the nodes are twice the data" in job(each)
    assert "twice" not in job(each, partitions=7)
    own = replace(recorded, growth=Growth(), work=replace(recorded.work, size=0.0))
    assert job(own) == "Predicted: the same data on any number of nodes, and as many tasks as it had."


def test_where_each_task_is_a_container_no_pool_is_predicted_or_advised(tmp_path: Path) -> None:
    recorded = projection.read(make_record(tmp_path / "run"))
    alone = replace(recorded, work=replace(recorded.work, jvm_a_task=True, storages={"scratch": "lustre"}))
    with pytest.raises(UsageError, match="starts containers without the library"):
        prediction.predict(alone, HERE, Scenario(HERE, [2], ["memory", "pool+lustre"]))
    offered = {one.change for one in candidates.candidates(alone.situation(HERE))}
    assert any(change.startswith("scratch on loopback") for change in offered)
    assert not any("pool" in change for change in offered)


def test_a_prediction_at_the_measured_nodes_is_the_measurement(tmp_path: Path) -> None:
    recorded = projection.read(make_record(tmp_path / "run"))
    (point,) = prediction.predict(recorded, HERE, Scenario(HERE, [2])).curves[0].points
    assert point.seconds == pytest.approx(recorded.work.measured)
    assert point.factor == 1.0
