"""Predictions of cells that were made before each cell was run: how far off, and how good their intervals are."""

import math
from collections.abc import Hashable, Sequence
from statistics import fmean, median

import numpy as np

from figures.rows import Row
from figures.scores import held, interval_score
from figures.shown import table
from weft.text.numbers import NONE, seconds

LEVEL = 0.9
"""Of the intervals of predictions."""
FAILED = "failed"
"""Kind of the rows of cells whose run failed, which are counted and not shown."""


def drawn(row: Row) -> Hashable:
    """What is measured once: a cell of a draw, since each draw has a model of its own."""
    return row["seed"], row["key"]


def lines(found: Sequence[Row]) -> list[str]:
    """Of each draw how good its cells are, next to the time of the nearest run and Ernest's model as predictions; by job, and those that were missed."""
    rows = [row for row in found if row["kind"] != FAILED]
    missed = [row for row in rows if not _inside(row)]
    head = [
        "outside of the interval",
        "draw",
        "predicted, s",
        "interval, s",
        "nearest run, s",
        "measured, s",
        "error",
    ]
    return [
        *_draws(rows, [row for row in found if row["kind"] == FAILED]),
        *_jobs(rows),
        "",
        *(table(head, map(_cell, missed)) if missed else ["No cell was outside of its interval."]),
    ]


def _seeds(rows: Sequence[Row]) -> list[int]:
    """Of the draws, oldest first."""
    return list(dict.fromkeys(row["seed"] for row in rows))


def _draws(rows: Sequence[Row], failures: Sequence[Row]) -> list[str]:
    body, refused, failed, chances = [], [], [], []
    for seed in _seeds(rows):
        mine = [row for row in rows if row["seed"] == seed]
        body += [["" if number else str(seed), *line] for number, line in enumerate(_scores(mine))]
        refused.append(str(max(row["refused"] for row in mine)))
        failed.append(str(sum(row["seed"] == seed for row in failures)))
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
        f"Drawn besides, and refused by weft: {', '.join(refused)} cells. Cells whose run failed: {', '.join(failed)}. {_known(rows)}"
        f"The 90 % intervals would hold {', '.join(chances)} of further cells (95 %, by Clopper and Pearson) if cells "
        "were independent, which those that are predicted from one run are not. Score: of the interval on logarithms, its "
        "width and what it missed; less is better. The factors of the baselines' intervals were chosen afterwards, as the best for each."
    )
    return [*table(head, body), "", note, ""]


def _known(rows: Sequence[Row]) -> str:
    """How many cells of each draw after the first one were in an earlier draw, so that the model may have been changed after them."""
    seen: set[str] = set()
    again, others = [], []
    for seed in _seeds(rows):
        mine = [row for row in rows if row["seed"] == seed]
        new = [row for row in mine if row["key"] not in seen]
        if seen:
            again.append(f"{len(mine) - len(new)} of {len(mine)}")
            others.append(f"{sum(map(_inside, new))} of {len(new)}")
        seen |= {row["key"] for row in mine}
    if not again:
        return ""
    return (
        f"In a draw before it, too: {', '.join(again)} cells of each draw after the first; "
        f"of the others {', '.join(others)} are in the interval. "
    )


def _inside(row: Row) -> bool:
    point = row["predicted"]
    return bool(point["low"] <= row["seconds"] <= point["high"])


def _jobs(rows: Sequence[Row]) -> list[str]:
    """By job that cells are predicted from, and by draw, each of another model: how far off, and whether to one side."""
    seeds = _seeds(rows)
    body = []
    for name in sorted({row["cell"]["from"] for row in rows}):
        of_job = [row for row in rows if row["cell"]["from"] == name]
        body.append([name, *(_job([row for row in of_job if row["seed"] == seed]) for seed in seeds)])
    sentence = "Of the cells of each job: the median error, how many are in the interval, and the median of measured over predicted."
    return [sentence, "", *table(["job", *(f"draw {seed}" for seed in seeds)], body)]


def _job(rows: Sequence[Row]) -> str:
    """The cells of a job in one draw."""
    if not rows:
        return NONE
    real, points = [row["seconds"] for row in rows], [row["predicted"]["seconds"] for row in rows]
    ratio = median(time / point for time, point in zip(real, points, strict=True))
    return f"{_error(points, real)}, {sum(map(_inside, rows))} of {len(rows)}, {ratio:.2f}"


def _cell(row: Row) -> list[str]:
    point, real = row["predicted"], row["seconds"]
    name = ", ".join(
        str(value) if key == "from" else f"{key} `{value}`" for key, value in row["cell"].items()
    )
    return [
        name,
        str(row["seed"]),
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
