"""The collector's pauses of a run by node, from the logs in its record."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import polars

from weft.model import pauses
from weft.model.jobmetrics import JobMetrics
from weft.report.part import Part


class PausedNode(Part):
    """A node's pauses in the processes in which tasks ran, in seconds."""

    node: str
    processes: int
    count: int
    seconds: float
    longest: float
    of_tasks: float
    """Seconds of tasks that lie in pauses."""


def of_record(
    directory: Path, samples: polars.DataFrame, metrics: JobMetrics, nodes: Mapping[str, str]
) -> tuple[PausedNode, ...]:
    """A row for each node; none without logs. `nodes`: node by the address or name that the engine calls it by."""
    logs = pauses.read(directory / "pauses")
    return tuple(PausedNode(**asdict(each)) for each in pauses.of_nodes(logs, samples, metrics, nodes))
