"""GC pauses, from the log that each of the engine's JVMs writes itself (-Xlog:gc)."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from weft.adapters.probes.base import JvmProbe, Source
from weft.layout.plan import Layout


class PausesProbe(JvmProbe):
    """Java writes a line of text for it to each JVM's standard error."""

    name: ClassVar[str] = "pauses"
    sources: ClassVar[Mapping[str, Source]] = {
        "pauses": Source("s", "-Xlog:gc of each JVM", "concurrent work of the GC", "run")
    }

    def missing(self, layout: Layout) -> str | None:
        return "its record is not in a path that Java accepts here" if ":" in str(layout.record) else None

    def option(self, folder: Path) -> str:
        return f"-Xlog:gc:file={folder}/%p.log:tm"
