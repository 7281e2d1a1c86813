"""The slots that predictions start from: those that the run had, and not those that were planned for it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.unit.report_fakes import EVENTS, event, make_record, write_log
from tests.unit.test_prediction_report import HERE
from weft.analysis.predict import prediction, projection
from weft.analysis.predict.prediction import Scenario
from weft.analysis.predict.projection import Recorded
from weft.errors import UsageError
from weft.record.record import read, write_json


def with_cores(found: Mapping[str, Any], cores: int) -> Mapping[str, Any]:
    """An event of an executor with more cores."""
    info = found.get("Executor Info")
    return {**found, "Executor Info": {**info, "Total Cores": cores}} if info else found


def run(tmp_path: Path, cores: int = 2, **settings: str) -> Recorded:
    """A run on two nodes of two cores, as its engine's log has it."""
    stored = make_record(tmp_path / "run")
    known = {f"spark.{name.replace('_', '.')}": value for name, value in settings.items()}
    environment = event(
        "EnvironmentUpdate", **{"Spark Properties": {"spark.master": "spark://node1:7077", **known}}
    )
    events = [EVENTS[0], environment, *(with_cores(each, cores) for each in EVENTS[1:])]
    write_log(stored.directory / "engine", events)
    return projection.read(stored)


def test_a_task_of_several_cores_leaves_fewer_slots(tmp_path: Path) -> None:
    found = run(tmp_path, task_cpus="2")
    assert (found.work.slots, found.cores, found.on(HERE).slots) == (2, 1, 2)


def test_of_executors_that_come_and_go_the_most_are_predicted_and_the_output_says_so(tmp_path: Path) -> None:
    found = run(tmp_path, cores=1, dynamicAllocation_enabled="true")
    assert (found.work.slots, found.cores) == (2, 1)
    notes = prediction.predict(found, HERE, Scenario(HERE, [2], ["memory"])).notes
    assert notes[0].startswith("executors came and went (spark.dynamicAllocation): as many slots are assumed")


def test_what_is_not_in_a_prediction_from_executors_that_were_there_before_the_run(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "run")
    write_json(
        stored.directory / "record.json",
        {**stored.json("record.json"), "cluster": "c", "application": "ready"},
    )
    notes = prediction.predict(
        projection.read(read(stored.directory)), HERE, Scenario(HERE, [2], ["memory"])
    ).notes
    assert notes[0].startswith("its executors were there before it")


def test_a_run_that_had_no_slot_on_some_of_its_nodes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="run had 1 slot on 2 nodes"):
        run(tmp_path, cores_max="1")


def test_the_slots_of_unequal_nodes_are_named(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "run")
    nodes = [
        {"name": f"node{i}", "address": f"10.0.0.{i}", "cores": 4 // i, "memory": (3 - i) << 30}
        for i in (1, 2)
    ]
    write_json(
        stored.directory / "resolved.json", {**stored.json("resolved.json"), "nodes": nodes, "derived": {}}
    )
    found = projection.read(stored)
    assert (found.work.slots, found.cores, found.memory) == (6, 3, 1 << 30)
    notes = prediction.predict(found, HERE, Scenario(HERE, [2], ["memory"])).notes
    assert notes[0] == "its nodes had 2 to 4 cores: 3 slots are assumed on each"
