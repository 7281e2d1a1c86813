"""Nanoseconds that counting adds to a file call."""

from collections.abc import Sequence

from figures.rows import Row
from figures.shown import spread, table

_NAMES = {"access": "by path (`access`)", "lseek": "by descriptor (`lseek`)"}


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each kind of call; what is added is of calls within one round."""
    body = []
    for call, name in _NAMES.items():
        pairs = [row["calls"][call] for row in rows if call in row["calls"]]
        plain, counted = ([pair[side] for pair in pairs] for side in (0, 1))
        added = [pair[1] - pair[0] for pair in pairs]
        body.append([name, *(spread(values, _whole) for values in (plain, counted, added))])
    return table(["call", "ns", "ns, counted", "ns, added"], body)


def _whole(value: float) -> str:
    return f"{value:.0f}"
