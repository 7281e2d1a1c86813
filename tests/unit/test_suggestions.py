"""Changes that weft explain suggests are possible."""

from typing import Any

import pytest

from tests.unit.test_model_attribution import WINDOW, job, readings, task
from weft.analysis.explain.attribution import attribute
from weft.analysis.explain.findings import of_parts, of_run
from weft.analysis.explain.fitting import Used
from weft.analysis.explain.limits import Ceilings
from weft.analysis.explain.slots import SCHEDULING
from weft.analysis.explain.timeparts import Explanation, StageTime, Suggestion


@pytest.mark.parametrize(("tasks", "fewer"), [(1, False), (4, True)])
def test_fewer_tasks_are_possible_only_where_a_stage_has_more_than_slots(tasks: int, fewer: bool) -> None:
    took = 10 / tasks
    launched = [
        task(0, number * took, (number + 1) * took, node=node, cpu_ns=7e8 * took, scheduler_ms=300 * took)
        for number in range(tasks)
        for node in (1, 2)
    ]
    found = attribute(job(launched), readings({}), WINDOW)
    assert found is not None
    (scheduling,) = [part for part in found.parts if part.name == SCHEDULING]
    assert scheduling.share == pytest.approx(0.3)
    advised = {one.part for one in of_parts(found, found.parts, Ceilings(Used(), []))}
    assert (SCHEDULING in advised) == fewer


SORTED = StageTime.model_construct(stage="1", name="arrive -> SortPartition -> write", share=0.5)
READ = StageTime.model_construct(stage="0", name="Source: splits -> read", share=0.4)
KEY = "taskmanager.memory.segment-size"


def paying(*stages: StageTime, imported: bool = False, **more: Any) -> list[Suggestion]:
    found = Explanation.model_construct(
        stages=stages, **{"findings": (), "verdict": "it computes", "no_gain": "", **more}
    )
    conf = {KEY: "64kb"} if more.get("own") else {}
    return list(of_run(found, (), "flink", conf, imported=imported).findings)


def test_a_setting_that_paid_is_named_where_a_stage_does_the_same() -> None:
    (one,) = paying(READ, SORTED)
    assert (one.flags, one.gain, one.fact) == (("--set", f"engine.conf.{KEY}=128kb"), None, True)
    assert one.change.endswith(f"(bench/run tuned): --set engine.conf.{KEY}=128kb")


def test_it_is_not_named_without_such_a_stage_nor_where_the_run_has_a_value_nor_without_a_verdict() -> None:
    assert paying(READ) == []
    assert paying(SORTED.model_copy(update={"share": 0.04})) == []
    assert paying(SORTED, own=True) == []
    assert paying(SORTED, imported=True) == []  # a log does not say which it had
    assert paying(SORTED, verdict="") == []
    assert paying(SORTED, no_gain="it is a stream") == []
