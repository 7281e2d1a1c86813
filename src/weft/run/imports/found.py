"""What a log says of the cluster and of the job's time; and what had to be assumed because it does not say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars

from weft.facts import ending, engines, executorslots
from weft.facts.jobmetrics import JobMetrics
from weft.run.imports.recognize import ApplicationLog
from weft.text.entry import Entry

_NAME = 60


@dataclass(frozen=True)
class Found:
    """Times are seconds since the epoch."""

    app: str
    name: str
    version: str
    begin: float
    end: float
    nodes: Mapping[str, int]
    """Cores, or slots, by host."""
    slots: int
    slots_are: str
    """How many slots there were, as text that says how that is known."""
    metrics: JobMetrics
    settings: Mapping[str, str]
    failure: str
    """Why the work was not done; empty if it was, as far as the log says."""
    assumed: Sequence[str]

    @property
    def stream(self) -> bool:
        """Whether it lasted until somebody stopped it, or may have."""
        return self.metrics.streams and not self.metrics.input_ended


def found_in(folder: Entry, log: ApplicationLog) -> Found:
    """Everything that the record needs, from the logs in its folder."""
    metrics = log.kind.read(folder)
    settings = log.kind.settings(folder)
    assumed: list[str] = []
    first = metrics.applications.row(0, named=True) if metrics.applications.height else {}
    begin, end = _stretch(metrics, assumed)
    slots, slots_are = _slots(metrics, log, assumed)
    app = str(first.get("app") or "")
    name = "".join(letter for letter in str(first.get("name") or app) if letter.isprintable())[:_NAME]
    return Found(
        app, name, str(first.get("version") or ""), begin, end, _nodes(metrics), slots, slots_are, metrics,
        settings, ending.failure(metrics), assumed,
    )  # fmt: skip


def _stretch(metrics: JobMetrics, assumed: list[str]) -> tuple[float, float]:
    """From the application's begin to its end; else from the first to the last event that the log has of it."""
    signs: list[Any] = [
        value
        for table in (metrics.applications, metrics.jobs, metrics.stages, metrics.every)
        for column in ("begin", "end")
        for value in _ends(table, column)
        if value is not None
    ]
    begins, ends = (metrics.applications[column].drop_nulls().to_list() for column in ("begin", "end"))
    if not begins:
        assumed.append(
            "the log has no begin of the application: its time begins with its first job, stage or task"
        )
    if len(ends) < max(1, metrics.applications.height):
        assumed.append(
            "the log has no end of the application: its time ends with its last task, stage or job"
        )
        ends = signs
    return min(begins or signs, default=0.0), max(ends, default=0.0)


def _ends(table: polars.DataFrame | polars.LazyFrame, column: str) -> tuple[Any, ...]:
    """The least and the greatest value."""
    value = polars.col(column)
    return table.lazy().select(value.min().alias("least"), value.max().alias("greatest")).collect().row(0)


def _distinct(metrics: JobMetrics, column: str) -> list[str]:
    found = metrics.every.select(column).drop_nulls().unique().collect().to_series()
    return sorted(map(str, found))


def _slots(metrics: JobMetrics, log: ApplicationLog, assumed: list[str]) -> tuple[int, str]:
    """Slots that there were at most at one time."""
    together = most_at_once(metrics.every.select("begin", "end").drop_nulls().collect())
    if not log.kind.slots_are:
        assumed.append(log.kind.slots_unknown)
        return max(1, together), "the most tasks at one time"
    slots = max((count for _, count in executorslots.steps(metrics)), default=0)
    if slots and engines.of(log.engine).pipelined:
        return slots, log.kind.slots_are
    if not slots or not set(_distinct(metrics, "executor")) <= set(metrics.executors["executor"]):
        assumed.append("the log does not have all executors: the slots are the most tasks at one time")
        return max(1, together, slots), "the most tasks at one time"
    if not executorslots.dynamic(metrics) and _changed(metrics):
        assumed.append(
            "executors were added and removed: slots that did not exist yet, or any more, are counted as empty"
        )
    return slots, log.kind.slots_are


def _changed(metrics: JobMetrics) -> bool:
    """Whether executors were removed while tasks still began."""
    _, last = _ends(metrics.every, "begin")
    first: Any = metrics.executors["removed"].min()
    return last is not None and first is not None and first < last


def most_at_once(tasks: polars.DataFrame) -> int:
    """The same with a count of 1, for millions: in the order of the begins, how many have begun less those that have ended."""
    if tasks.is_empty():
        return 0
    ended = tasks["end"].sort().search_sorted(begins := tasks["begin"].sort(), side="right")
    running: Any = (polars.int_range(1, len(begins) + 1, eager=True) - ended).max()
    return max(0, int(running))


def _nodes(metrics: JobMetrics) -> dict[str, int]:
    """The most at one time: executors come and go, and others take their places."""
    found = dict.fromkeys(_distinct(metrics, "host"), 0)
    named = metrics.executors.filter(polars.col("host") != "").with_columns(slots="cores")
    for (host,), own in named.group_by(["host"]):
        steps = executorslots.steps(replace(metrics, executors=own))
        found[str(host)] = max((count for _, count in steps), default=0)
    return dict(sorted(found.items()))
