"""Runs that Optuna needs until one is as fast as what weft advised after one run."""

import math
from collections.abc import Sequence
from statistics import median

from figures.rows import Row
from figures.shown import table
from weft.analysis.predict.constants import VALUE
from weft.text.numbers import seconds

SAME = math.exp(math.sqrt(2) * VALUE["usual_deviation"])
"""Times the seconds of what was advised: as fast, because two equal runs differ by so much (standard deviation)."""


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each job."""
    head = ["defect", "combinations", "as fast as advised", "as it is, s", "advised, s", "best, s"]
    return table(
        [*head, "runs until one is as fast: median", "in nine of ten searches at most"], map(_line, rows)
    )


def _line(row: Row) -> list[object]:
    grid = row["grid"]
    known = [each["seconds"] for each in grid if each["seconds"] is not None]
    advised = next(each["seconds"] for each in grid if each["choice"] == row["advised"])
    fast = {place for place, each in enumerate(grid) if each["seconds"] and each["seconds"] <= SAME * advised}
    needed = sorted(runs(order, fast) for order in row["orders"])
    shown = [*map(seconds, (grid[0]["seconds"], advised, min(known)))]
    return [
        row["cell"],
        len(grid),
        len(fast),
        *shown,
        f"{median(needed):.0f}",
        needed[int(0.9 * len(needed))],
    ]


def runs(order: Sequence[int], fast: set[int]) -> int:
    """Runs of a search after the first one, which is the job as it is, until one is fast; its whole length if none is."""
    return next((number for number, place in enumerate(order) if place in fast), len(order))
