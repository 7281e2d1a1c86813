"""Ratios of times that papers published, beside what is predicted for their machines."""

import math
from collections.abc import Hashable, Sequence
from statistics import median

from figures.rows import Row
from figures.shown import table

TWICE = 2.0
FLAT = 1.1
"""A ratio that changes by less does not change."""


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each published ratio, how many of them are within a factor of two, and the trends with nodes."""
    head = ["ratio", "machine", "nodes", "published", "predicted", "interval", "off by", "within 2"]
    return [*table(head, map(_line, rows)), "", _sentence(rows), "", *_trends(rows)]


def point(row: Row) -> Hashable:
    """What is repeated: nothing, each point is one prediction."""
    return row["what"], *row["cell"].values()


def ends(row: Row) -> tuple[float, float]:
    """The published ratio, as a range."""
    value = row["value"]
    return (value[0], value[1]) if isinstance(value, list) else (value, value)


def off(row: Row) -> float:
    """By what factor the middle of a prediction misses what was published; 1 within a published range."""
    low, high = ends(row)
    found = row["predicted"]
    return float(max(low / found, found / high, 1.0))


def _line(row: Row) -> list[str]:
    low, high = ends(row)
    marks = f"{' *' if row.get('used') else ''}{' +' if row.get('counted') else ''}"
    value = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    interval = f"{_short(row['low'])} to {_short(row['high'])}"
    yes = "yes" if off(row) <= TWICE else "no"
    return [
        f"{row['what']}{marks}",
        row["cell"]["machine"],
        str(row["cell"]["nodes"]),
        value,
        _short(row["predicted"]),
        interval,
        f"{off(row):.1f}",
        yes,
    ]


def _short(ratio: float) -> str:
    return f"{ratio:.2g}" if ratio < 100 else f"{ratio:.0f}"


def _sentence(rows: Sequence[Row]) -> str:
    def share(some: Sequence[Row]) -> str:
        return f"{sum(off(row) <= TWICE for row in some)} of {len(some)}"

    new = [row for row in rows if not row.get("used")]
    unseen = [row for row in new if not row.get("counted")]
    inside = sum(row["low"] <= ends(row)[1] and row["high"] >= ends(row)[0] for row in rows)
    factors = [off(row) for row in rows]
    return (
        f"Within a factor of two: {share(rows)}; of those that were not known while the model was made (without *), {share(new)}; "
        f"of those, without calls that were counted in the very runs (without +), {share(unseen)}. "
        f"Off by {min(factors):.1f} to {max(factors):.0f}, {median(factors):.1f} in the median. "
        f"The published ratio is in the interval of {inside} of {len(rows)}."
    )


def _trends(rows: Sequence[Row]) -> list[str]:
    """Pairs of points that differ in nodes only: which way the ratio goes."""
    body = []
    for name in dict.fromkeys(row["trend"] for row in rows if row.get("trend")):
        few, *_, many = sorted(
            (row for row in rows if row.get("trend") == name), key=lambda row: row["cell"]["nodes"]
        )
        published = _way(math.prod(ends(few)) ** 0.5, math.prod(ends(many)) ** 0.5)
        found = _way(few["predicted"], many["predicted"])
        body.append(
            [
                name,
                f"{few['cell']['nodes']} to {many['cell']['nodes']}",
                published,
                found,
                "yes" if found == published else "no",
            ]
        )
    return table(["with more nodes, the ratio of", "nodes", "published", "predicted", "as published"], body)


def _way(few: float, many: float) -> str:
    change = many / few
    return "stays" if 1 / FLAT < change < FLAT else "grows" if change > 1 else "falls"
