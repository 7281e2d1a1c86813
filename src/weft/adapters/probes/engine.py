"""The engine's own job history of a run, which it writes to the record itself."""

from typing import ClassVar

from weft.adapters.probes.base import Probe
from weft.layout.plan import Layout


class EngineProbe(Probe):
    """Spark's event log, Hadoop's job history, Flink's REST pages: no additional process is needed."""

    name: ClassVar[str] = "engine"
    joins: ClassVar[bool] = True
    metrics: ClassVar[bool] = True

    def missing(self, layout: Layout) -> str | None:
        there = (layout.record / "engine").is_dir()
        return None if there else "the record has no folder for the engine's job history"
