"""The operators of a stream: how long each was busy, and which one limits its rate."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import polars

from weft.analysis.explain import operators
from weft.analysis.read.part import Part
from weft.analysis.summary.vertices import STATES, spent
from weft.facts.engines.flink import jobs as flinkjobs
from weft.facts.jobmetrics import JobMetrics
from weft.text.entry import Entry
from weft.text.numbers import percent

DRIVER = "the driver between tasks, which plans each micro-batch and logs its offsets"
_BUSY = 0.5
"""Share of the time from which on an operator can be what limits a rate that was not sustained."""
_WAITS = 0.1
"""Share of the time from which on an operator that waits for others behind it is named."""
_SKEWED = 2.0
"""Times the average of the others, from which on the busiest task is named as one that has more to do than they."""
_LONGEST = 120
"""Characters of a name that are shown: Flink's are lists of all operators that run as one."""


class StreamOperator(Part):
    """Operators that run as one; shares are of the time that the stream ran."""

    name: str
    tasks: int
    busy: float
    """Of its busiest task; where rows are handed on in micro-batches, of the time in which any of them ran."""
    average: float | None
    """Of all its tasks; None where the engine does not say it."""
    waits: float = 0.0
    """For operators behind it, which do not take its rows: back-pressure. 0 where rows are handed on in micro-batches."""

    @property
    def skewed(self) -> bool:
        """Whether one of its tasks has much more to do than the others."""
        if self.tasks < 2 or self.average is None:
            return False
        others = (self.tasks * self.average - self.busy) / (self.tasks - 1)
        return self.busy > 0 and self.busy >= _SKEWED * others

    @property
    def sentence(self) -> str:
        """What it did, with its name."""
        one = ", by its busiest task" if self.tasks > 1 and self.average is not None else ""
        skew = (
            f" Its {self.tasks} tasks were so on average {percent(self.average)}: one has much more to do than others."
            if self.skewed
            else ""
        )
        return f"{self.name} was busy {percent(self.busy)} of the time{one}.{skew}"


def of_stream(engine: Entry, metrics: JobMetrics) -> tuple[StreamOperator, ...]:
    """The operators, the one that limits the rate first. Empty if the engine left no job metrics."""
    found = of_flink(flinkjobs.load(engine)) if flinkjobs.found(engine) else of_batches(metrics)
    return tuple(sorted(found, key=lambda one: -one.busy))


def limiting(found: Sequence[StreamOperator], *, missed: bool) -> str:
    """Which operator limits the rate, or would limit a higher one. `missed`: whether the engine did not sustain a rate. Empty without operators."""
    if not found:
        return ""
    first, *others = found
    if first.name == DRIVER and not missed:
        # nothing says which of both it did, and who waits could take more
        return (
            f"No task ran {percent(first.busy)} of the time: the driver planned micro-batches and logged offsets, or waited for data or its"
            f" trigger. {limiting(others, missed=False)}".strip()
        )
    if first.busy < _BUSY and (held := [one for one in found if one.waits >= _BUSY]):
        names = " and ".join(f"{one.name} waited {percent(one.waits)}" for one in held)
        return (
            f"No operator was busy most of the time: the busiest, {first.name}, {percent(first.busy)}. But {names} of it for others to take"
            " its rows. What limits the rate is between them, such as the network."
        )
    begin = "Of the operators, the first to limit a higher rate"
    if missed:
        begin = (
            "The operator that limits the rate"
            if first.busy >= _BUSY
            else "No operator was busy most of the time. The busiest"
        )
    waits = [one for one in others if one.waits >= _WAITS]
    behind = (
        f" Others waited for it to take their rows: {', '.join(f'{one.name} {percent(one.waits)} of the time' for one in waits)}."
        if waits
        else ""
    )
    return f"{begin}: {first.sentence}{behind}"


def of_flink(found: Mapping[str, Any]) -> list[StreamOperator]:
    """By Flink's own clocks: a task that waits for rows is idle, and one whose rows are not taken is back-pressured.

    None where it has no such clocks, as in old versions.
    """
    vertices = [vertex for job in found["jobs"] for vertex in job["vertices"] if vertex["subtasks"]]
    tasks = [task for vertex in vertices for task in vertex["subtasks"]]
    if not any(spent(task["metrics"], state) for task in tasks for state in STATES):
        return []
    return [_vertex(vertex) for vertex in vertices]


def _vertex(vertex: Mapping[str, Any]) -> StreamOperator:
    tasks = [_times(task) for task in vertex["subtasks"]]
    busy = [_share(task, "busy") for task in tasks]
    return StreamOperator(
        name=_short(vertex["name"]),
        tasks=len(tasks),
        busy=max(busy),
        average=sum(busy) / len(busy),
        waits=max(_share(task, "backpressured") for task in tasks),
    )


def _times(task: Mapping[str, Any]) -> dict[str, float]:
    """Milliseconds by state; of a source of the old kind Flink does not say how long it was busy."""
    times = {state: spent(task["metrics"], state) for state in STATES}
    left = float(task.get("duration") or 0) - sum(times.values())
    return times if times["busy"] else {**times, "not known": max(0.0, left)}


def _share(times: Mapping[str, float], state: str) -> float:
    whole = sum(times.values())
    return times[state] / whole if whole else 0.0


def of_batches(metrics: JobMetrics) -> list[StreamOperator]:
    """By the stages of micro-batches, which follow one another: those with the same operators of the plan are one."""
    stages = metrics.stages.filter(polars.col("end").is_not_null() & polars.col("begin").is_not_null())
    if stages.is_empty():
        return []
    titles = {key: operators.title(rows) for key, rows in operators.by_stage(operators.rows(metrics)).items()}
    ran = [(row["begin"], row["end"]) for row in stages.iter_rows(named=True)]
    whole = max(end for _, end in ran) - min(begin for begin, _ in ran) or 1.0
    spans: dict[str, list[tuple[float, float]]] = defaultdict(list)
    tasks: dict[str, int] = defaultdict(int)
    for row in stages.iter_rows(named=True):
        name = _short(titles.get((row["app"], row["stage"])) or row["name"])
        spans[name].append((row["begin"], row["end"]))
        tasks[name] = max(tasks[name], row["tasks"])
    busy = {name: _covered(each) / whole for name, each in spans.items()}
    alone = 1 - _covered(ran) / whole
    found = [
        StreamOperator(name=name, tasks=tasks[name], busy=share, average=None) for name, share in busy.items()
    ]
    return [*found, StreamOperator(name=DRIVER, tasks=1, busy=alone, average=None)]


def _covered(spans: list[tuple[float, float]]) -> float:
    """Seconds in one or more of them."""
    total, until = 0.0, float("-inf")
    for begin, end in sorted(spans):
        total += max(0.0, end - max(begin, until))
        until = max(until, end)
    return total


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}..."
