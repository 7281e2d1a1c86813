"""What remedies for shuffle files save, by file system and number of blocks."""

from collections.abc import Sequence

from figures.rows import Row
from figures.shown import spread, table, valid
from weft.analysis.compare import statistics
from weft.report.draw.interval import interval
from weft.text.numbers import NONE

_MEMORY, PLAIN = "memory", ""
_WAYS = (PLAIN, "loopback", "pool")
_MAPPERS = "workload.mappers"


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each number of blocks and file system: seconds as it is, with each remedy and in memory, and what the pool saves."""
    taken: dict[tuple[int, str, str], list[float]] = {}
    for each in valid(rows):
        way, below = place(str(each["cell"]["scratch"]))
        mappers = int(each["cell"][_MAPPERS])
        taken.setdefault((mappers, below, way), []).append(each["measures"]["seconds"])
    places = list(dict.fromkeys((mappers, below) for mappers, below, way in taken if way != _MEMORY))
    body = []
    for mappers, below in sorted(places, key=lambda one: one[0]):
        plain, pool = (taken.get((mappers, below, way), []) for way in (PLAIN, "pool"))
        ratio = interval(statistics.ratio(plain, pool)) if plain and pool else NONE
        times = [
            *(taken.get((mappers, below, way), []) for way in _WAYS),
            taken.get((mappers, "", _MEMORY), []),
        ]
        body.append([f"{mappers**2:,}", f"`{below}`", *map(spread, times), ratio])
    head = [
        "blocks",
        "file system",
        "as it is, s",
        "`loopback`, s",
        "`pool`, s",
        "`memory`, s",
        "as it is over pool",
    ]
    return [*table(head, body), *_without(rows)]


def _without(rows: Sequence[Row]) -> list[str]:
    """How many combinations of blocks and storage have no valid run: a dash alone does not say that one was asked for."""
    found = {(str(each["cell"][_MAPPERS]), str(each["cell"]["scratch"])) for each in valid(rows)}
    every = len({each["cell"][_MAPPERS] for each in rows}) * len({each["cell"]["scratch"] for each in rows})
    missing = every - len(found)
    return (
        ["", f"{missing} of {every} combinations of blocks and storage have no valid run."] if missing else []
    )


def place(scratch: str) -> tuple[str, str]:
    """How shuffle files are kept, and the file system below: of `loopback,size=2G+delayed:lustre`, loopback and lustre."""
    if scratch == _MEMORY:
        return _MEMORY, ""
    above, _, below = scratch.rpartition("+")
    return above.partition(",")[0] or PLAIN, below.removeprefix("delayed:")
