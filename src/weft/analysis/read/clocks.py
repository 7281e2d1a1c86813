"""One time for readings of several hosts: what each host's clock was ahead is taken off its readings.

Offsets are measured before and after a run, and lie between them meanwhile. One that is no larger than its error is none.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import polars

from weft.analysis.read.nodes import NodeInfo
from weft.facts.jobmetrics import JobMetrics
from weft.facts.loglines import DAMAGED

Frame = TypeVar("Frame", polars.DataFrame, polars.LazyFrame)
EVENT = "clocks"
_TIMES = ("begin", "end", "added", "removed", "ready")


@dataclass(frozen=True)
class ClockOffset:
    """Of one node, in seconds ahead of the machine that wrote the record."""

    since: float
    ahead: float
    drift: float = 0.0
    """More seconds ahead each second."""

    def at(self, moment: float) -> float:
        """At a moment."""
        return self.ahead + self.drift * (moment - self.since)


def aligned(
    events: Sequence[Mapping[str, Any]],
    samples: polars.DataFrame,
    metrics: JobMetrics,
    nodes: Sequence[NodeInfo],
) -> tuple[polars.DataFrame, JobMetrics]:
    """Samples and job metrics in the time of the machine that wrote the record; those by the clock of the head node."""
    known = offsets(events)
    head = known.get(nodes[0].name) if nodes else None
    return of_samples(samples, known), of_metrics(metrics, head)


def offsets(events: Sequence[Mapping[str, Any]]) -> dict[str, ClockOffset]:
    """By node, of those whose clock is known to differ; a damaged event says nothing."""
    found: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for event in events:
        if event.get("event") == EVENT:
            with suppress(*DAMAGED):
                for node, (ahead, within) in event["offsets"].items():
                    found[str(node)].append((float(event["t"]), float(ahead), float(within)))
    return {
        node: _between(rows)
        for node, rows in found.items()
        if any(abs(ahead) > within for _, ahead, within in rows)
    }


def _between(rows: Sequence[tuple[float, float, float]]) -> ClockOffset:
    (first, ahead, _), (last, later, _) = rows[0], rows[-1]
    return ClockOffset(first, ahead, (later - ahead) / (last - first) if last > first else 0.0)


def of_samples(samples: polars.DataFrame, known: Mapping[str, ClockOffset]) -> polars.DataFrame:
    """Samples in the time of the machine that wrote the record, in their order."""
    if not known:
        return samples
    rows = [(node, each.since, each.ahead, each.drift) for node, each in known.items()]
    schema = {"node": polars.String, **dict.fromkeys(("since", "ahead", "drift"), polars.Float64)}
    both = samples.join(
        polars.DataFrame(rows, schema, orient="row"), on="node", how="left", maintain_order="left"
    )
    ahead = polars.col("ahead") + polars.col("drift") * (polars.col("t") - polars.col("since"))
    return both.with_columns(polars.col("t") - ahead.fill_null(0.0)).select(samples.columns)


def of_metrics(metrics: JobMetrics, driver: ClockOffset | None) -> JobMetrics:
    """Job metrics in that time; their times are by the clock of the engine's head node."""
    if driver is None:
        return metrics
    tables: dict[str, Any] = {
        name: _shifted(getattr(metrics, name), driver)
        for name in ("applications", "executors", "jobs", "stages", "tasks", "queries")
    }
    files = [file.changed(partial(_shifted, clock=driver)) for file in metrics.files]
    return replace(metrics, **tables, files=files)


def _shifted(table: Frame, clock: ClockOffset) -> Frame:
    known = table.collect_schema()
    columns = [polars.col(name) for name in _TIMES if name in known]
    return table.with_columns(
        column - (clock.ahead + clock.drift * (column - clock.since)) for column in columns
    )
