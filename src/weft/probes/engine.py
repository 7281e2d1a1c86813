"""The engine's own account of a run, which it writes into the record itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from weft.layout.plan import Layout
from weft.probes.base import Probe, Read, no_reading


class EngineProbe(Probe):
    """Spark's event log, Hadoop's job history, Flink's REST pages: nothing has to run beside the engine for it."""

    name: ClassVar[str] = "engine"
    metrics: ClassVar[bool] = True

    def missing(self, layout: Layout) -> str | None:
        return (
            None
            if (layout.record / "engine").is_dir()
            else "the record has no folder for the engine's account"
        )

    @contextmanager
    def watch(self, layout: Layout) -> Iterator[Read]:  # noqa: ARG002 - the engine writes by itself
        yield no_reading
