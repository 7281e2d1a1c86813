"""What a prediction is of: tasks, as many as the workload asks for itself; data, if its size is known; storages that it can use."""

import json
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest

from tests.unit.prediction_jobs import LUSTRE, MEMORY, groupby
from tests.unit.report_fakes import make_record
from weft.adapters.workloads import KINDS
from weft.adapters.workloads.base import Prepared
from weft.analysis.predict import candidates, holdout, prediction, projection
from weft.analysis.predict.machine import Machine
from weft.analysis.predict.prediction import Scenario
from weft.analysis.predict.projection import Recorded
from weft.analysis.predict.target import AskedTasks, Growth
from weft.api import growing
from weft.api.flags import Flags
from weft.api.request import study_of
from weft.errors import UsageError
from weft.host import settings
from weft.run import preview
from weft.spec.model import Spec

HERE = Machine("here", cores=2, storages={"memory": MEMORY, "lustre": LUSTRE})
NODES, CORES = 2, 2
"""Of the runs that are predicted from."""
SMALL, LARGE = NODES * CORES, 16
"""Slots."""
SCHEDULED = {"trace", "nexmark", "stream-statistics"}
PLANNED = [kind for kind in KINDS.listed if kind not in SCHEDULED]
TIMES = {"nodes": (1, 3, 8), "data": (1, 3, 12)}
OTHERS = {"--executors"}
"""Numbers that grow with nodes and are none of tasks."""


def spec_of(kind: str, nodes: int, **keys: object) -> Spec:
    given = tuple(f"workload.{key}={value}" for key, value in keys.items())
    ((_, found),) = study_of(kind, Flags(nodes=f"virtual:{nodes},cores={CORES}", set=given)).cells()
    return found


def planned(spec: Spec) -> tuple[dict[str, int], int]:
    """The numbers among the options of a run's job, and the files of its input, from the layout of `weft plan`."""
    layout = preview.sketch(spec)
    workload = spec.workload.measured
    assert workload is not None
    prepared = [command.argv for command in workload.prepare(layout)]
    job = workload.job(Prepared(layout, [{"checksum": "0", "hash": "0", "rows": 0}]))
    files = next((dict(pairwise(words))["--parts"] for words in prepared if "--parts" in words), 0)
    return {
        name: int(value)
        for name, value in pairwise(job.arguments)
        if name.startswith("--") and str(value).isdigit()
    }, int(files)


def table_of(spec: Spec) -> dict[str, Any]:
    """The workload as a record has it."""
    found: dict[str, Any] = json.loads(spec.model_dump_json())["workload"]
    return found


def growth_of(kind: str, engine: str = "spark", **keys: object) -> Growth:
    return growing.of({"kind": kind, **keys}, engine)


@pytest.mark.parametrize("kind", PLANNED)
def test_a_job_asks_for_as_many_tasks_elsewhere_as_a_run_there_would_be_planned_with(kind: str) -> None:
    here = spec_of(kind, NODES)
    growth = growing.of(table_of(here), here.engine.kind)
    (key, amount), *_ = [*here.workload.amount.items(), ("", 0)]
    was, files = planned(here)
    assert growth.asked(SMALL, amount).tasks == tuple(was[name] for name in growing.TASKS if name in was)
    for nodes, more in product(TIMES["nodes"], TIMES["data"] if key else (1,)):
        there = spec_of(kind, nodes, **({key: more * amount} if more > 1 else {}))
        numbers, files = planned(there)
        found = growth.asked(nodes * CORES, more * amount)
        assert found.tasks == tuple(numbers[name] for name in growing.TASKS if name in numbers)
        assert found.files in {files, 0}, "0: its engine does not read them in splits of its own"
        grown = {name for name in numbers if more == 1 and numbers[name] != was[name]}
        assert grown <= {*growing.TASKS, *OTHERS}, (
            "a number that grows with slots and that predictions do not know"
        )


def test_most_workloads_have_tasks_for_each_slot() -> None:
    growing_ones = {
        kind for kind in PLANNED if growth_of(kind).asked(SMALL, 0) != growth_of(kind).asked(LARGE, 0)
    }
    assert {
        "terasort",
        "sort-by-key",
        "kmeans",
        "pagerank",
        "pagerank-graphx",
        "groupby",
        "pi",
    } <= growing_ones


@pytest.mark.parametrize("kind", PLANNED)
def test_a_stage_with_as_many_tasks_as_its_job_asked_for_has_as_many_as_it_asks_for_elsewhere(
    kind: str,
) -> None:
    growth = growth_of(kind)
    few, many = (growth.asked(slots, 0).tasks for slots in (SMALL, LARGE))
    for before, after in zip(few[:1], many[:1], strict=True):
        work = replace(groupby(tasks=before, slots=SMALL), size=0.0)
        stage = next(one for one in work.stages if one.writes_shuffle == growth.each)
        assert growth.tasks(stage, work, LARGE, 0, None) == after


@pytest.mark.parametrize("kind", sorted({*KINDS} - {*PLANNED} - {"own-job", "own-sql", "persistent", "null"}))
def test_what_takes_as_long_as_its_schedule_says_is_refused_by_name(kind: str, tmp_path: Path) -> None:
    (tmp_path / "trace").write_text("job0\t1\t0\t1\t1\t1\n")
    needs = {"trace": {"file": str(tmp_path / "trace")}}
    with pytest.raises(
        UsageError, match=f"{kind} is not predicted: .* when its schedule says|as long as its schedule says"
    ):
        growth_of(kind, **needs.get(kind, {}))


def test_a_workload_whose_data_no_key_says_is_named_by_the_guide() -> None:
    def sized(kind: str) -> bool:
        workload = KINDS.read(kind).measured
        return workload is not None and bool(workload.amount or workload.own_data)

    without = {kind for kind in PLANNED if not sized(kind)} - {"file-open"}
    assert without == {"block-matrix-mult", "chi-sq-mat", "scheduling-throughput"}
    guide = (settings.SOURCE / "docs/guide/predict.md").read_text()
    assert all(f"`{kind}`" in guide for kind in without)


@pytest.mark.parametrize("kind", PLANNED)
def test_the_key_of_its_tasks_changes_their_number(kind: str) -> None:
    """Where a number of tasks is asked for: small runs are made with it."""
    growth = growth_of(kind)
    if growth.asked(SMALL, 0).tasks:
        assert 7 in growth_of(kind, **{growth.key: 7}).asked(SMALL, 0).tasks


def test_workloads_count_cores_of_nodes_and_not_slots_of_the_engine() -> None:
    assert growing.of({"kind": "terasort"}, "hadoop", cores=2.0).asked(SMALL, 0).tasks == (2 * 2 * SMALL,)


def test_a_program_of_one_s_own_says_nothing_of_its_tasks(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text("")
    found = growth_of("own-job", program=str(tmp_path / "job.py"), arguments=["--partitions", "9"])
    assert found.asked(SMALL, 0) == found.asked(LARGE, 1e9) == AskedTasks()
    assert growth_of("no such workload").asked(SMALL, 0) == AskedTasks()


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
        growth = growth_of(kind)
        assert tuple(growth.tasks(stage, work, SMALL, 0, 6) for stage in (maps, reduces)) == wanted


def test_on_a_pipelined_engine_a_stage_has_a_task_for_each_slot_or_what_its_workload_asks_for() -> None:
    work = groupby(tasks=SMALL, slots=SMALL)
    for kind in ("terasort", "pi", "sql-join"):
        growth = growth_of(kind, "flink")
        assert [growth.tasks(stage, work, LARGE, 0, None) for stage in work.stages] == [LARGE, LARGE]
    twice = groupby(tasks=2 * SMALL, slots=SMALL).stages[1]
    little = replace(work, size=1e8)
    assert growth_of("terasort", "flink").tasks(twice, little, LARGE, 1e8, None) == 2 * LARGE


def test_a_prediction_says_whether_more_nodes_are_more_data(tmp_path: Path) -> None:
    recorded = projection.read(make_record(tmp_path / "run"))

    def job(one: Recorded, **asked: float) -> str:
        return prediction.predict(one, HERE, Scenario(HERE, [2], **asked)).job  # type: ignore[arg-type]

    assert job(recorded).startswith("Predicted: the same data (400 MB) on any number of nodes, and as many")
    assert job(recorded, size=8e8).startswith("Predicted: other data (800 MB)")
    assert job(recorded, partitions=7).endswith("and 7 tasks where their number can be chosen.")
    each = replace(recorded, growth=growth_of("groupby"), work=groupby(tasks=16, slots=SMALL))
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
