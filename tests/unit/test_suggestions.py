"""Changes that weft explain suggests are possible."""

import pytest

from tests.unit.test_model_attribution import WINDOW, job, readings, task
from weft.analysis.explain.attribution import attribute
from weft.analysis.explain.findings import of_parts
from weft.analysis.explain.fitting import Used
from weft.analysis.explain.limits import Ceilings
from weft.analysis.explain.slots import SCHEDULING


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
