"""What each engine sorts per core, as a share of what the node can do at most, by size of the records."""

from collections.abc import Sequence
from math import inf
from statistics import median

from figures.rows import Row
from figures.shown import spread, table, valid
from weft.analysis.compare import statistics
from weft.report.draw.interval import interval
from weft.text.numbers import NONE
from weft.text.units import show_size

FILES = "limit, files to files"


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each row of the study, the fastest first; of each size the rate of the engine's own call, and the shares with and without the job's start."""
    right = valid(rows)
    sizes = sorted({row["size"] for row in right})
    names = sorted(
        {row["cell"]["row"] for row in rows}, key=lambda name: (name != FILES, _seconds(right, name))
    )
    titles = ("{}: MB/s and core", "of the limit", "with the job's start")
    head = ["row", *(title.format(show_size(size)) for size in sizes for title in titles)]
    return table(
        head, [[name, *(cell for size in sizes for cell in _cells(right, name, size))] for name in names]
    )


def _seconds(rows: Sequence[Row], name: str) -> float:
    """Of the smallest size that a row was measured at, for the order of lines: the fastest first."""
    taken = sorted((row["size"], row["measures"]["seconds"]) for row in rows if row["cell"]["row"] == name)
    return median(seconds for size, seconds in taken if size == taken[0][0]) if taken else inf


def _cells(rows: Sequence[Row], name: str, size: int) -> list[str]:
    limit, here = (
        [row for row in rows if (row["cell"]["row"], row["size"]) == (each, size)] for each in (FILES, name)
    )
    if not here:
        return ["", "", ""]
    taken = [row["measures"]["seconds"] for row in here]
    whole = [row["phases"]["run"] for row in here]
    best = [row["measures"]["seconds"] for row in limit]
    rates = [row["size"] / row["cores"] / row["measures"]["seconds"] / 1e6 for row in here]
    shares = [
        interval(statistics.ratio(best, times), show=_share) if best else NONE for times in (taken, whole)
    ]
    return [spread(rates, lambda value: f"{value:.0f}"), *shares]


def _share(value: float) -> str:
    return f"{value:.2g}"
