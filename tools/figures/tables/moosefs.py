"""How near an emulated file system is to the real one whose rates its profile has."""

import re
from collections.abc import Sequence

from figures.rows import Row
from figures.shown import spread, table, valid
from weft.analysis.compare import statistics
from weft.report.draw.interval import interval
from weft.text.numbers import NONE

_REAL, _EMULATED = "moosefs", "delayed"
_MAPPERS = "workload.mappers"
_PARTS = {
    "opens": r"metadata: scratch, .*: open",
    "closes": r"metadata: scratch, .*: close",
    "other metadata": r"metadata: scratch, .*: (?!open|close).*",
    "data": r"data: scratch.*",
}
"""Of the slot time: what is shown, by the names of the parts."""


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each number of blocks, and one for what each thousand more of them take."""
    found = valid(rows)
    sizes = sorted({int(each["cell"][_MAPPERS]) for each in found})
    head = ["blocks", "MooseFS, s", "emulated, s", "emulated over MooseFS"]
    head += [f"{name}, s: MooseFS, emulated" for name in _PARTS]
    body = [_line(f"{size**2:,}", [_of(found, way, size) for way in (_REAL, _EMULATED)]) for size in sizes]
    if len(sizes) > 1:
        body.append(_slope(found, sizes))
    return table(head, body)


def _of(rows: Sequence[Row], way: str, size: int) -> list[Row]:
    return [
        each
        for each in rows
        if str(each["cell"]["scratch"]).startswith(way) and int(each["cell"][_MAPPERS]) == size
    ]


def _line(name: str, both: Sequence[Sequence[Row]]) -> list[str]:
    real, emulated = ([each["measures"]["seconds"] for each in rows] for rows in both)
    ratio = interval(statistics.ratio(emulated, real)) if real and emulated else NONE
    parts = [
        ", ".join(spread([_part(each, part) for each in rows]) for rows in both) for part in _PARTS.values()
    ]
    return [name, spread(real), spread(emulated), ratio, *parts]


def _slope(rows: Sequence[Row], sizes: Sequence[int]) -> list[str]:
    """Of the largest size over the smallest: what neither the start nor the number of tasks decides."""
    few, many = sizes[0], sizes[-1]
    thousands = (many**2 - few**2) / 1000

    def each(way: str, part: str) -> float | None:
        middles = [_middle(_of(rows, way, size), part) for size in (few, many)]
        low, high = middles
        return None if low is None or high is None else (high - low) / thousands

    real, emulated = each(_REAL, ""), each(_EMULATED, "")
    ratio = f"{emulated / real:.2f}" if real and emulated else NONE
    parts = [", ".join(spread([each(way, part)]) for way in (_REAL, _EMULATED)) for part in _PARTS.values()]
    return [f"1,000 more, from {few**2:,} to {many**2:,}", spread([real]), spread([emulated]), ratio, *parts]


def _middle(rows: Sequence[Row], part: str) -> float | None:
    """The median of the whole run, or of a part of its slot time; None without a run."""
    if not rows:
        return None
    values = [_part(row, part) if part else row["measures"]["seconds"] for row in rows]
    return statistics.median(values).median


def _part(row: Row, names: str) -> float:
    """Seconds of slot time of all parts whose whole name matches."""
    return float(sum(taken for name, taken in row["parts"].items() if re.fullmatch(names, name)))
