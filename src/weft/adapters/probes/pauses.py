"""The garbage collector's pauses, from the log that each of the engine's JVMs writes itself (-Xlog:gc)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from weft.adapters.probes.base import Probe, Read, Source, add_sources, no_reading
from weft.layout.plan import COMPONENT, COMPONENTS, Layout


class PausesProbe(Probe):
    """An option for every JVM of the engine; needs no privilege. Java writes a line of text for it to each one's standard error."""

    name: ClassVar[str] = "pauses"

    def missing(self, layout: Layout) -> str | None:
        return "its record is not in a path that Java accepts here" if ":" in str(layout.record) else None

    def environment(self, layout: Layout) -> Mapping[str, Mapping[str, str]]:
        return {
            node.name: {"JAVA_TOOL_OPTIONS": f"-Xlog:gc:file={_logs(layout, node.name, COMPONENT)}/%p.log:tm"}
            for node in layout.all_nodes
        }

    def directories(self, layout: Layout) -> Mapping[str, Sequence[Path]]:
        return {
            node.name: [_logs(layout, node.name, part) for part in COMPONENTS] for node in layout.all_nodes
        }

    @contextmanager
    def watch(self, layout: Layout) -> Iterator[Read]:
        source = Source("s", "-Xlog:gc of each JVM", "work of the collector beside the program", since="run")
        add_sources(layout.record, {"pauses": source})
        yield no_reading


def _logs(layout: Layout, node: str, component: str) -> Path:
    return layout.record / "pauses" / node / component
