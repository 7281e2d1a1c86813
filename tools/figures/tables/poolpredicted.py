"""What a pool would gain on file systems that nobody here has, as predicted."""

from collections.abc import Hashable, Sequence

from figures.rows import Row
from figures.shown import table


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each amount of data and number of nodes; for each file system, its time over that of a pool on it."""
    systems = list(dict.fromkeys(row["cell"]["system"] for row in rows))
    head = ["kB of a map task", "nodes", "blocks", *(f"`{system}`" for system in systems)]
    places = list(dict.fromkeys((row["cell"]["pairs"], row["nodes"]) for row in rows))
    body = []
    for pairs, nodes in places:
        mine = {
            row["cell"]["system"]: row
            for row in rows
            if (row["cell"]["pairs"], row["nodes"]) == (pairs, nodes)
        }
        tasks = 4 * next(iter(mine.values()))["cores"]
        body.append([f"{pairs:,}", nodes, f"{tasks**2:,}", *(_ratio(mine[system]) for system in systems)])
    return table(head, body)


def point(row: Row) -> Hashable:
    """What is repeated: nothing, each is one prediction."""
    return row["cell"]["system"], row["cell"]["pairs"], row["nodes"]


def _ratio(row: Row) -> str:
    """As it is over pool, and its ends by what a call alone may take."""
    pool = row["pool"]["seconds"]
    low, middle, high = (_short(row["plain"][end] / pool) for end in ("low", "seconds", "high"))
    return middle if low == high else f"{middle} ({low} to {high})"


def _short(ratio: float) -> str:
    return f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}"
