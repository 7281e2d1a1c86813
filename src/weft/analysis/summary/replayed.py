"""The jobs of a replayed trace, from the driver's report in the record and the engine's job metrics."""

from collections.abc import Sequence
from typing import Any

from weft.analysis.read.part import Part
from weft.facts import executorslots
from weft.facts.jobmetrics import JobMetrics
from weft.record.record import Stored

_POINTS = 200
"""Intervals of a replay over which counts are averaged."""

Line = tuple[tuple[float, float], ...]


class ReplayedJob(Part):
    """A job; times in seconds after the replay began. `started` is None if the engine did not report it."""

    number: int
    job: str
    scheduled: float
    submitted: float
    started: float | None
    ended: float
    failure: str
    alone: float | None = None
    """Its seconds when it ran alone; None if it did not."""

    @property
    def lag(self) -> float:
        return self.submitted - self.scheduled

    @property
    def slowdown(self) -> float | None:
        """Its seconds from submission to end, over those of running alone."""
        return (self.ended - self.submitted) / self.alone if self.alone and not self.failure else None


class Replay(Part):
    """All jobs, and how many of them and of their tasks there were over time."""

    jobs: tuple[ReplayedJob, ...]
    slots: int | None
    submitted: Line
    """Jobs submitted that have not ended, by second of the replay."""
    running: Line
    """Tasks that run; empty if the engine's metrics were not collected."""


def of_record(stored: Stored, metrics: JobMetrics) -> Replay | None:
    """None if the run replayed no trace or reported nothing."""
    found = stored.json("outcomes/run.json")
    if "began" not in found or not found.get("jobs"):
        return None
    jobs = tuple(_job(row) for row in found["jobs"])
    end = max(job.ended for job in jobs)
    began = float(found["began"])
    tasks = metrics.every.select("begin", "end").drop_nulls().collect()
    spans = [(a - began, b - began) for a, b in tasks.iter_rows()]
    # an executor that replaced another one adds no slot
    slots = max((count for _, count in executorslots.steps(metrics)), default=0) or None
    return Replay(
        jobs=jobs,
        slots=slots,
        submitted=averages([(job.submitted, job.ended) for job in jobs], end),
        running=averages(spans, end) if spans else (),
    )


def averages(spans: Sequence[tuple[float, float]], end: float) -> Line:
    """How many spans there were on average in each of the equal intervals from 0 to `end`, by their middles."""
    width = end / _POINTS
    if width <= 0:
        return ()
    sums = [0.0] * _POINTS
    for begin, until in spans:
        low, high = max(0.0, begin), min(end, until)
        for at in range(int(low / width), min(_POINTS - 1, int(high / width)) + 1):
            sums[at] += max(0.0, min(high, (at + 1) * width) - max(low, at * width))
    return tuple((round((at + 0.5) * width, 3), round(value / width, 3)) for at, value in enumerate(sums))


def _job(row: dict[str, Any]) -> ReplayedJob:
    alone = None if row.get("alone_failure") else row.get("alone")
    named = {key: row[key] for key in ReplayedJob.model_fields if key != "alone"}
    return ReplayedJob(**named, alone=alone)
