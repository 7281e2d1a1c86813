"""How a workload grows in a prediction: tasks, as many as it asks for itself; and data, if its size is known."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from tests.fakes import fake_layout, fake_nodes
from tests.unit.prediction_jobs import LUSTRE, MEMORY, groupby
from tests.unit.report_fakes import make_record
from weft.adapters.workloads import KINDS
from weft.adapters.workloads.base import Prepared, Workload
from weft.analysis.predict import prediction, projection, target
from weft.analysis.predict.machine import Machine
from weft.analysis.predict.prediction import Scenario
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
        (without, "no size of pagerank is known", "leave out --size"),
        (blocks, "groupby has the same data in each task", "--partitions"),
    ):
        with pytest.raises(UsageError, match=words) as caught:
            prediction.predict(one, HERE, Scenario(HERE, [2], size=2e8))
        assert hint in caught.value.hint
