"""How long tasks waited for blocks, and for the tasks that make them.

Spark times each wait, and so does Flink, whose tasks of a stream wait for those before them. MapReduce and Tez say when a task had its
last block: until then it waited for tasks before it, started its JVM, and fetched. What of that its thread was on a CPU or in the run queue
is no wait, and what its fetching threads did is known by samples.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars

from weft.analysis.explain import spread
from weft.analysis.explain.filetime import part
from weft.analysis.explain.places import TaskPlaces
from weft.analysis.explain.spread import Counters, Numbers
from weft.analysis.explain.tasktime import CPU, NETWORK
from weft.analysis.read.sums import sums
from weft.facts.threadkinds import FETCH
from weft.record.samples import Measure


@dataclass(frozen=True)
class FetchTime:
    """Seconds of each task; None where nobody measured it."""

    waited: Numbers | None
    """For blocks."""
    inputs: Numbers | None = None
    """For the tasks that make them."""
    by: Mapping[str, Numbers] = field(default_factory=dict)
    """By part: what its own threads that fetch were seen in."""
    started: bool = False
    """Whether JVMs started meanwhile, and nobody knows for how long."""


def of_tasks(
    tasks: polars.DataFrame,
    weight: Numbers,
    threads: Counters,
    ran: TaskPlaces,
    begins: Numbers,
    ends: Numbers,
) -> FetchTime:
    """`threads`: what threads did, by place; `weight`: what of each task's time counts."""
    waited = _seconds(tasks, "fetch_wait_ms", weight)
    inputs = _seconds(tasks, "input_wait_ms", weight)
    one_after_another = tasks["fetch_wait_ms"].is_not_null() & tasks["input_wait_ms"].is_not_null()
    if waited is None or inputs is None or not one_after_another.any():
        return FetchTime(waited, inputs)
    if not _read(threads):
        # a task that began before its input existed had its JVM by then
        sure = np.where(inputs > 0, waited, 0.0)
        return FetchTime(sure, inputs, started=bool((waited > sure).any()))
    ready = np.minimum(begins + inputs, ends)
    last = np.minimum(ready + waited, ends)
    busy = [_running(threads, ran, *span) for span in ((begins, ready), (ready, last))]
    return FetchTime(
        np.maximum(0.0, waited - busy[1]),
        np.maximum(0.0, inputs - busy[0]),
        _fetching(threads, ran, ready, last),
    )


def _seconds(tasks: polars.DataFrame, column: str, weight: Numbers) -> Numbers | None:
    values = tasks[column]
    if not values.count():
        return None
    return np.asarray(values.fill_null(0).to_numpy().astype(float) * 1e-3 * weight)


def _read(threads: Counters) -> bool:
    return any(measure[:2] == ("threads.wait", "task") for _, measure in threads)


def _running(threads: Counters, ran: TaskPlaces, begins: Numbers, ends: Numbers) -> Numbers:
    """Seconds of each task's thread on a CPU and in the run queue in a stretch of its time."""
    found: Numbers = np.zeros(len(begins))
    for name in ("cpu", "wait"):
        counted = spread.to_tasks(threads, Measure(f"threads.{name}", "task"), ran.processes, begins, ends)
        found = found if counted is None else found + counted
    return np.minimum(found, ends - begins)


def _fetching(threads: Counters, ran: TaskPlaces, begins: Numbers, ends: Numbers) -> dict[str, Numbers]:
    """By part: what threads that fetch were seen in."""
    operations = {measure.operation for _, measure in threads if measure[:2] == ("threads.in", FETCH)}
    found: list[tuple[str, Numbers]] = [(NETWORK, np.zeros(len(begins)))]
    for operation in sorted(operations):
        measure = Measure("threads.in", FETCH, operation=operation)
        seconds = spread.to_tasks(threads, measure, ran.processes, begins, ends)
        if seconds is not None:
            found.append((_part(operation), seconds))
    return sums(found)


def _part(operation: str) -> str:
    if operation in {"network", "other"}:
        return NETWORK
    return CPU if operation == "running" else str(part("scratch", operation))
