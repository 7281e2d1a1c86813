"""How an engine's own log of its jobs is recognised and read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from weft.facts.jobmetrics import JobMetrics
from weft.text.entry import Entry


@dataclass(frozen=True)
class JobLog:
    """One kind of log."""

    found: Callable[[Entry], bool]
    """Whether a record's engine folder contains one."""
    read: Callable[[Entry], JobMetrics]
    """All that a record's engine folder contains, as tables."""
    name: str = ""
    """What `weft import` reads, for messages: event logs of Spark; empty: it reads none."""
    begins: Callable[[bytes], bool] = lambda data: False  # noqa: ARG005
    """Whether a file that begins so is such a log."""
    adopt: Callable[[Path, Path], list[str]] = lambda plain, source: []  # noqa: ARG005
    """Gives a decompressed file in the record the form that `read` expects, from the file it was; returns what could not be read."""
    settings: Callable[[Entry], Mapping[str, str]] = lambda folder: {}  # noqa: ARG005
    """The settings in it that the user may have chosen, from the record's engine folder."""
    slots_are: str = ""
    """Where its number of slots is from; empty: it says nothing of them, as `slots_unknown` explains."""
    slots_unknown: str = ""
