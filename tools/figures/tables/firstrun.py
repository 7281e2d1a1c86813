"""Seconds from an empty cache to the first verdict, and what they consist of."""

from collections.abc import Sequence

from figures.rows import Row
from figures.shown import estimate, spread, table, valid
from weft.report.draw.interval import interval
from weft.text.numbers import NONE

_FROM = {"clone": "a clone: `./weft run terasort`", "wheel": "a wheel: `pip install`, `weft run terasort`"}
_PARTS = {
    "packages": "Python packages",
    "set-up": "engine, Java, jars, class archives",
    "cluster": "cluster and input",
    "job": "the job",
    "end": "check, report, end",
}


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each start; those of another checkout only in the ratio, which is of runs that followed each other."""
    right = valid(rows)
    body, others = [], list(dict.fromkeys(row["of"] for row in right if row["cell"]["weft"] == "other"))
    for start, words in _FROM.items():
        this, other = (
            {row["repeat"]: row for row in right if row["cell"] == {"from": start, "weft": which}}
            for which in ("this", "other")
        )
        if not this:
            continue
        ratios = [this[n]["seconds"] / other[n]["seconds"] for n in sorted(this.keys() & other.keys())]
        compared = [spread(row["seconds"] for row in other.values()), interval(estimate(ratios))]
        body.append(
            [
                words,
                spread(row["seconds"] for row in this.values()),
                *(spread(row["parts"][part] for row in this.values()) for part in _PARTS),
                *(compared if others else []),
            ]
        )
    head = [
        "from",
        "verdict after, s",
        *_PARTS.values(),
        *([f"{', '.join(others)}, s", "over it"] if others else []),
    ]
    return table(head, body) if body else [NONE]
