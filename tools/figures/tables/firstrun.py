"""Seconds from an empty cache to the first verdict, and what they consist of."""

from collections.abc import Sequence

from figures.rows import Row
from figures.shown import in_turn, others, spread, table, valid
from weft.text.numbers import NONE

_FROM = {
    "clone": "a clone: `./weft run terasort`",
    "wheel": "a wheel: `pip install --no-compile`, `weft run terasort`",
}
_PARTS = {
    "packages": "Python packages; of a clone also engine and jars",
    "set-up": "what is left of engine, Java, jars, class archives",
    "cluster": "cluster and input",
    "job": "the job",
    "end": "check, report, end",
}


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each start; those of another checkout only in the ratio, which is of runs that followed each other."""
    right = valid(rows)
    body, compared_with = [], others(right)
    for start, words in _FROM.items():
        this, compared = in_turn(right, {"from": start})
        if this:
            body.append(
                [
                    words,
                    spread(row["seconds"] for row in this),
                    *(spread(row["parts"][part] for row in this) for part in _PARTS),
                    *(compared if compared_with else []),
                ]
            )
    head = ["from", "verdict after, s", *_PARTS.values()]
    head += [f"{', '.join(compared_with)}, s", "over it"] if compared_with else []
    return table(head, body) if body else [NONE]
