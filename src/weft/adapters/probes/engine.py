"""The engine's own job history of a run, which it writes to the record itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from weft.adapters.probes.base import Probe, Read, no_reading
from weft.layout.plan import Layout


class EngineProbe(Probe):
    """Spark's event log, Hadoop's job history, Flink's REST pages: no additional process is needed."""

    name: ClassVar[str] = "engine"
    metrics: ClassVar[bool] = True

    def missing(self, layout: Layout) -> str | None:
        return (
            None
            if (layout.record / "engine").is_dir()
            else "the record has no folder for the engine's job history"
        )

    @contextmanager
    def watch(self, layout: Layout) -> Iterator[Read]:  # noqa: ARG002 - the engine writes it
        yield no_reading
