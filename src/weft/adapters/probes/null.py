"""A probe that measures nothing, to measure the overhead of probes."""

from typing import ClassVar

from weft.adapters.probes.base import Probe
from weft.layout.plan import Layout


class NullProbe(Probe):
    """Measures nothing."""

    name: ClassVar[str] = "null"

    def missing(self, layout: Layout) -> str | None:  # noqa: ARG002 - it is always available
        return None
