"""bench/wide: its event log has the fields of a real one, and its rows become a table."""

import gzip
import json
import runpy
import sys
from collections.abc import Iterable
from typing import Any

import pytest
from figures.tables import wide

from weft.host import settings

LONGLOG = runpy.run_path(str(settings.SOURCE / "bench" / "longlog.py"))
REAL = settings.SOURCE / "tests" / "unit" / "logs" / "spark-3.5-plain.gz"
PUSHED = "Push Based Shuffle"
"""It is off where nobody asked for it, and all its fields are 0."""
KINDS = (
    "ApplicationStart",
    "ExecutorAdded",
    "JobStart",
    "StageSubmitted",
    "TaskEnd",
    "StageCompleted",
    "JobEnd",
    "ApplicationEnd",
)


def test_the_fields_of_the_generated_log_are_those_of_a_real_one() -> None:
    with gzip.open(REAL) as log:
        real = first_of_each_kind(log)
    made = first_of_each_kind(LONGLOG["lines"](sys.maxsize, 1, 2, 100))
    for kind in KINDS:
        assert fields(made[kind]) <= fields(real[kind]), kind
    metrics = {name for name in fields(real["TaskEnd"]) if name.startswith("Task Metrics/")}
    assert {name for name in metrics if PUSHED not in name} <= fields(made["TaskEnd"])


def first_of_each_kind(lines: Iterable[bytes]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for line in lines:
        event = json.loads(line)
        found.setdefault(event["Event"].removeprefix("SparkListener"), event)
    return found


def fields(event: object, above: str = "") -> set[str]:
    if isinstance(event, list):
        return set().union(*(fields(each, above) for each in event))
    if not isinstance(event, dict) or above.endswith(("Properties", "Executor Info")):
        return set()
    return {f"{above}{key}" for key in event} | set().union(
        *(fields(each, f"{above}{key}/") for key, each in event.items())
    )


@pytest.mark.parametrize(("executors", "tasks"), [(1, 1), (20, 1000), (2, 100)])
def test_a_generated_log_has_at_least_so_many_tasks_of_whole_stages(executors: int, tasks: int) -> None:
    events = [json.loads(line)["Event"] for line in LONGLOG["lines"](float("inf"), 1, executors, tasks)]
    of_stage = 8 * executors
    assert tasks <= events.count("SparkListenerTaskEnd") < tasks + of_stage
    assert events.count("SparkListenerExecutorAdded") == executors


def test_a_row_for_each_command_and_size() -> None:
    # known work took 0.4 s, and the command 1.2 s of CPU time
    about = {"seconds": 2.0, "cpu": 0.4, "cpu_seconds": 1.2, "memory": 300_000_000}
    rows = [
        {"cell": {"what": what, "size": size, "command": "import"}, **about}
        for what in ("records", "tasks")
        for size in (10_000, 1000)
    ]
    assert {line.split(" | ")[3] for line in wide.lines(rows)[2:]} == {"1.20"}
    assert [line.split(" | ")[0] for line in wide.lines(rows)[2:]] == [
        "| 1,000 tasks in an event log of Spark",
        "| 10,000 tasks in an event log of Spark",
        "| 1,000 records in one directory",
        "| 10,000 records in one directory",
    ]
