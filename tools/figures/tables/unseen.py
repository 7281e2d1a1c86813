"""Predictions of cells that were made before each cell was run: how far off, and how good their intervals are."""

import math
from collections.abc import Sequence
from statistics import fmean, median

import numpy as np

from figures.rows import Row
from figures.scores import held, interval_score
from figures.shown import table
from weft.text.numbers import seconds

LEVEL = 0.9
"""Of the intervals of predictions."""


def lines(rows: Sequence[Row]) -> list[str]:
    """Of each draw how good its cells are, next to the time of the nearest run and Ernest's model as predictions; of all draws by job, and those that were missed."""
    missed = [row for row in rows if not _inside(row)]
    head = [
        "outside of the interval",
        "predicted, s",
        "interval, s",
        "nearest run, s",
        "measured, s",
        "error",
    ]
    return [
        *_draws(rows),
        *_jobs(rows),
        "",
        *(table(head, map(_cell, missed)) if missed else ["No cell was outside of its interval."]),
    ]


def _draws(rows: Sequence[Row]) -> list[str]:
    body, refused, chances = [], [], []
    for seed in dict.fromkeys(row["seed"] for row in rows):
        mine = [row for row in rows if row["seed"] == seed]
        body += [["" if number else str(seed), *line] for number, line in enumerate(_scores(mine))]
        refused.append(str(max(row["refused"] for row in mine)))
        inside = sum(map(_inside, mine))
        low, high = held(inside, len(mine))
        chances.append(f"{low:.0%} to {high:.0%}")
    head = [
        "draw",
        "predicted by",
        "median error",
        "nine of ten are off by at most",
        "all",
        "in the interval",
        "upper over lower end",
        "score",
    ]
    note = (
        f"Drawn besides, and refused by weft: {', '.join(refused)} cells. The 90 % intervals would hold {', '.join(chances)} of further cells if cells "
        "were independent (Clopper and Pearson), which those that are predicted from one run are not. Score: of the interval on logarithms, its "
        "width and what it missed; less is better. The factors of the baselines' intervals were chosen afterwards, as the best for each."
    )
    return [*table(head, body), "", note, ""]


def _inside(row: Row) -> bool:
    point = row["predicted"]
    return bool(point["low"] <= row["seconds"] <= point["high"])


def _jobs(rows: Sequence[Row]) -> list[str]:
    """By job that cells are predicted from: how far off, and whether to one side."""
    body = []
    for name in sorted({row["cell"]["from"] for row in rows}):
        mine = [row for row in rows if row["cell"]["from"] == name]
        real, points = [row["seconds"] for row in mine], [row["predicted"]["seconds"] for row in mine]
        ratio = median(time / point for time, point in zip(real, points, strict=True))
        held = f"{sum(map(_inside, mine))} of {len(mine)}"
        body.append([name, _error(points, real), held, f"{ratio:.2f}"])
    return table(["job", "median error", "in the interval", "measured over predicted, median"], body)


def _cell(row: Row) -> list[str]:
    point, real = row["predicted"], row["seconds"]
    name = ", ".join(
        str(value) if key == "from" else f"{key} `{value}`" for key, value in row["cell"].items()
    )
    return [
        name,
        seconds(point["seconds"]),
        f"{seconds(point['low'])} to {seconds(point['high'])}",
        seconds(row["nearest"]["seconds"]),
        seconds(real),
        f"{100 * (point['seconds'] / real - 1):+.0f} %",
    ]


def _scores(rows: Sequence[Row]) -> list[list[str]]:
    """A line for the model, and one for each baseline."""
    real = [row["seconds"] for row in rows]
    points = [row["predicted"] for row in rows]
    inside = sum(map(_inside, rows))
    width = math.exp(fmean(math.log(point["high"] / point["low"]) for point in points))
    score = fmean(
        interval_score(p["low"], p["high"], time, LEVEL) for p, time in zip(points, real, strict=True)
    )
    body = [
        [
            "`weft predict`",
            *_errors([point["seconds"] for point in points], real),
            f"{inside} of {len(rows)}",
            f"{width:.2f}",
            f"{score:.2f}",
        ],
        _baseline("the time of the nearest run", [row["nearest"]["seconds"] for row in rows], real),
    ]
    # rows of before it was among the baselines have none
    if all("ernest" in row for row in rows):
        name = "Ernest's four terms, fitted to the same runs; it does not know the storage"
        body.append(_baseline(name, [row["ernest"]["seconds"] for row in rows], real))
    return body


def _baseline(name: str, points: Sequence[float], real: Sequence[float]) -> list[str]:
    """With the one factor that would have been right: the best that a constant interval can do."""
    pairs = list(zip(points, real, strict=True))
    factor = math.exp(float(np.quantile([abs(math.log(time / point)) for point, time in pairs], LEVEL)))
    score = fmean(interval_score(point / factor, point * factor, time, LEVEL) for point, time in pairs)
    return [name, *_errors(points, real), f"{LEVEL:.0%} by choice", f"{factor**2:.2f}", f"{score:.2f}"]


def _errors(points: Sequence[float], real: Sequence[float]) -> list[str]:
    """The median error; the factor, to either side, that holds nine of ten, and the one that holds all."""
    factors = [math.exp(abs(math.log(time / point))) for point, time in zip(points, real, strict=True)]
    nine = float(np.quantile(factors, LEVEL))
    return [_error(points, real), f"{nine:.2f}", f"{max(factors):.2f}"]


def _error(points: Sequence[float], real: Sequence[float]) -> str:
    return f"{median(abs(point / time - 1) for point, time in zip(points, real, strict=True)):.0%}"
