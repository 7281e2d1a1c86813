"""Samples of cumulative counters: what one is, and how it is appended to the record during the run."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from weft.text.entry import Entry

LABELS = ("thread", "path_class", "operation", "floor")

_PLAIN = str.maketrans({",": ";", '"': "'", "\n": " ", "\r": " "})
"""A process names itself as it likes: Ray's workers name themselves after a call with its arguments."""


class Measure(NamedTuple):
    """What is counted: a counter, and what of it."""

    counter: str
    thread: str = ""
    path_class: str = ""
    operation: str = ""
    floor: str = ""

    def at(self, t: float, node: str, process: str, value: float, component: str = "") -> "Sample":
        """A reading of it."""
        return Sample(t, node, process, self.counter, value, component, *self[1:])


class Sample(NamedTuple):
    """One reading."""

    t: float
    node: str
    process: str
    counter: str
    value: float
    component: str = ""
    thread: str = ""
    path_class: str = ""
    operation: str = ""
    floor: str = ""


def append(record: Path, samples: Iterable[Sample]) -> None:
    """Append readings to samples.csv, in one write, so that lines of two probes never mix."""
    (Entry(record) / "samples.csv").append(lines(samples).encode())


def lines(samples: Iterable[Sample]) -> str:
    """Readings as they are written."""
    return "".join(
        f"{s.t:.3f},{s.node},{s.process.translate(_PLAIN)},{s.counter},{s.value:.12g},{','.join(s[5:])}\n"
        for s in samples
    )


def remote_log(record: Path, node: str) -> Path:
    """The readings of a node on another host, received as a stream."""
    return record / f"samples.{node}.csv"
