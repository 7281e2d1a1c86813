"""An observer that sees nothing, to measure what observing costs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from weft.layout.plan import Layout
from weft.probes.base import Probe, Read, no_reading


class NullProbe(Probe):
    """Sees nothing."""

    name: ClassVar[str] = "null"

    def missing(self, layout: Layout) -> str | None:  # noqa: ARG002 - it is always there
        return None

    @contextmanager
    def watch(self, layout: Layout) -> Iterator[Read]:  # noqa: ARG002 - it looks at nothing
        yield no_reading
