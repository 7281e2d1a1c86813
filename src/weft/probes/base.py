"""An observer of a run: says why it cannot see, and must not change the result."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from weft.layout.plan import Layout
from weft.record.record import write_json

Read = Callable[[], None]
"""Takes a reading at once: at the end of each phase, so that sums of a phase are its own."""


def no_reading() -> None:
    """For probes that have nothing to read while the run goes."""


@dataclass(frozen=True)
class Source:
    """Where a counter comes from, in what unit, and what it could not see."""

    unit: str
    source: str
    blind: str = ""
    since: Literal["", "run"] = ""
    """run: it was 0 before the run's first process; otherwise it counts from the first reading."""


class Probe(ABC):
    """One kind of observation. Whatever it sees it writes into the record as it goes."""

    name: ClassVar[str]
    native: ClassVar[bool] = False
    """Whether it needs one of weft's native programs."""
    metrics: ClassVar[bool] = False
    """Whether the engine is to write its own job metrics for it."""

    def environment(self, layout: Layout) -> Mapping[str, Mapping[str, str]]:
        """By node name: variables that every engine process must start with to be observed."""
        del layout
        return {}

    @abstractmethod
    def missing(self, layout: Layout) -> str | None:
        """Why it cannot observe here, or None."""

    @abstractmethod
    def watch(self, layout: Layout) -> AbstractContextManager[Read]:
        """Observe for the length of a `with`; gives what takes a reading at once."""


def add_sources(record: Path, sources: Mapping[str, Source]) -> None:
    """Write down where counters come from; the one file of a record is completed, not replaced."""
    path = record / "sources.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    write_json(path, {**known, **{name: vars(source) for name, source in sources.items()}})
