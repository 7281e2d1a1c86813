"""A probe of a run: reports why it cannot measure, and must not change the result."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from weft.host import signals
from weft.host.ticking import every
from weft.layout.plan import COMPONENT, COMPONENTS, Layout
from weft.record import samples
from weft.record.record import write_json
from weft.record.samples import Sample

Read = Callable[[], None]
"""Takes a reading at once: at the end of each phase, so that sums of a phase are exact."""


@dataclass(frozen=True)
class Source:
    """Where a counter comes from, its unit, and what the source misses."""

    unit: str
    source: str
    blind: str = ""
    since: Literal["", "run"] = ""
    """run: it was 0 before the run's first process; otherwise it counts from the first reading."""


class Probe(ABC):
    """One kind of measurement. It writes its readings to the record during the run."""

    name: ClassVar[str]
    native: ClassVar[bool] = False
    """Whether it needs one of weft's native programs."""
    sources: ClassVar[Mapping[str, Source]] = {}
    """By counter, if they are the same in every run."""
    joins: ClassVar[bool] = False
    """Whether it measures one job of a persistent cluster alone: it distinguishes the job's processes from others, and needs nothing at their start."""
    by_node: ClassVar[Sequence[str]] = ()
    """The variables that tell it one job of a persistent cluster from others. What reads them replaces ANY_NODE by the node's name."""
    metrics: ClassVar[bool] = False
    """Whether the engine must write its own job metrics for it."""

    def environment(self, layout: Layout) -> Mapping[str, Mapping[str, str]]:
        """By node name: variables with which every engine process must start to be measured."""
        del layout
        return {}

    def directories(self, layout: Layout) -> Mapping[str, Sequence[Path]]:
        """By node name: directories that must exist before a process starts with these variables."""
        del layout
        return {}

    @abstractmethod
    def missing(self, layout: Layout) -> str | None:
        """Why it cannot measure here, or None."""

    def watch(self, layout: Layout) -> AbstractContextManager[Read]:
        """Measure for the length of a `with` block; yields a function that takes a reading at once."""
        add_sources(layout.record, self.sources)
        return nullcontext(lambda: None)

    @contextmanager
    def polled(
        self, layout: Layout, read: Callable[[], Sequence[Sample]], settle: float = 0.0, interval: float = 1.0
    ) -> Iterator[Read]:
        """Readings at the beginning, each so many seconds, and at the end, `settle` seconds later; yields what takes one at once."""

        def observe() -> None:
            if found := read():
                samples.append(layout.record, found)

        add_sources(layout.record, self.sources)
        observe()
        try:
            with every(interval, observe) as now:
                yield now
        finally:
            if settle:
                signals.sleep(settle)
            observe()


class JvmProbe(Probe):
    """An option for every JVM, which then writes to a folder of the record itself; needs no privilege."""

    @abstractmethod
    def option(self, folder: Path) -> str:
        """The option."""

    def environment(self, layout: Layout) -> Mapping[str, Mapping[str, str]]:
        folder = layout.record / self.name
        return {
            node.name: {"JAVA_TOOL_OPTIONS": self.option(folder / node.name / COMPONENT)}
            for node in layout.all_nodes
        }

    def directories(self, layout: Layout) -> Mapping[str, Sequence[Path]]:
        folder = layout.record / self.name
        return {node.name: [folder / node.name / part for part in COMPONENTS] for node in layout.all_nodes}


def add_sources(record: Path, sources: Mapping[str, Source]) -> None:
    """Write the sources of counters to the record's file, in addition to those that it contains."""
    path = record / "sources.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    write_json(path, {**known, **{name: vars(source) for name, source in sources.items()}})
