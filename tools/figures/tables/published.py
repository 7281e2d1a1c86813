"""Ratios of times that papers published, beside what is predicted for their machines."""

import math
from collections.abc import Sequence
from statistics import median

from figures.rows import Row
from figures.shown import table


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each published ratio, and by how much all of them are missed."""
    body = [
        [
            *(row["cell"][key] for key in ("machine", "nodes", "slow", "fast")),
            f"{row['published']:g}",
            f"{row['predicted']:.2g}" if row["predicted"] < 100 else f"{row['predicted']:.0f}",
            f"{row['factor']:,}",
        ]
        for row in rows
    ]
    off = [abs(math.log(row["predicted"] / row["published"])) for row in rows]
    same = sum((row["predicted"] > 1) == (row["published"] > 1) for row in rows)
    factors = sorted(math.exp(each) for each in off)
    sentence = (
        f"Predicted ratios are off by factors of {factors[0]:.1f} to {factors[-1]:.0f}, {math.exp(median(off)):.1f} in the median; "
        f"which of the two is slower is right in {same} of {len(rows)}."
    )
    return [
        *table(["machine", "nodes", "time of", "over", "published", "predicted", "extrapolated by"], body),
        "",
        sentence,
    ]
