"""The load of this machine when the run began and ended."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from weft.adapters.probes.base import Probe, Read, Source, add_sources
from weft.layout.plan import Layout
from weft.record import samples
from weft.record.record import write_json
from weft.record.samples import Sample


class LoadProbe(Probe):
    """Asks the kernel."""

    name: ClassVar[str] = "load"

    def missing(self, layout: Layout) -> str | None:
        return "the nodes are on other hosts" if any(node.host for node in layout.all_nodes) else None

    @contextmanager
    def watch(self, layout: Layout) -> Iterator[Read]:
        add_sources(layout.record, {"load": Source("", "getloadavg", "who caused it")})
        samples.append(layout.record, [Sample(time.time(), "host", "", "load", os.getloadavg()[0])])
        yield lambda: None
        minutes = dict(zip(("1", "5", "15"), os.getloadavg(), strict=True))
        write_json(layout.record / "load" / "host.json", {"minutes": minutes})
