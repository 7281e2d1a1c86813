"""The file operations of a run, by path class and operation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from weft.analysis.summary.summary import CounterRow
from weft.analysis.summary.totals import whole

_FAMILY = "fileops."


MEASURED = "run"
"""The phase whose operations are the engine's work."""


@dataclass
class Sums:
    """One operation on one class of paths, all nodes together; histograms are calls by the floor of their bucket."""

    count: float = 0
    errors: float = 0
    bytes: float = 0
    seconds: float = 0
    size_hist: dict[int, float] = field(default_factory=dict)
    ns_hist: dict[int, float] = field(default_factory=dict)


def table(
    counters: Iterable[CounterRow], components: Sequence[str], phase: str
) -> dict[tuple[str, str], Sums]:
    """Operations of some components in a phase (empty: all), by path class and operation."""
    found: dict[tuple[str, str], Sums] = {}
    for counter in counters:
        if counter.operation and counter.component in components and (value := whole(counter, phase)):
            key = counter.name.removeprefix(_FAMILY)
            sums = found.setdefault((counter.path_class, counter.operation), Sums())
            if counter.floor:
                histogram = getattr(sums, key)
                histogram[int(counter.floor)] = histogram.get(int(counter.floor), 0) + value
            else:
                setattr(sums, key, getattr(sums, key) + value)
    return found


def counted(counters: Iterable[CounterRow]) -> list[CounterRow]:
    """Those of file operations."""
    return [counter for counter in counters if counter.name.startswith(_FAMILY) and counter.totals]


def engine(counters: Sequence[CounterRow]) -> list[str]:
    """The components of the engine; in records without components, all processes."""
    known = {counter.component for counter in counters}
    return ["engine"] if "engine" in known else [""]
