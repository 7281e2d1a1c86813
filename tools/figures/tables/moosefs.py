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
    """For each calibrated profile, a line for each number of blocks, and one for what each thousand more of them take."""
    found = valid(rows)
    sizes = sorted({int(each["cell"][_MAPPERS]) for each in found})
    # without a run of an emulation there is a table of MooseFS alone
    profiles = sorted({_profile(each) for each in found} - {_REAL}) or [_EMULATED]
    several = len(profiles) > 1
    head = [*(["profile"] if several else []), "blocks", "MooseFS, s", "emulated, s", "emulated over MooseFS"]
    head += [f"{name}, s: MooseFS, emulated" for name in _PARTS]
    body = []
    for profile in profiles:
        own = [_line(f"{size**2:,}", [_of(found, way, size) for way in (_REAL, profile)]) for size in sizes]
        if len(sizes) > 1:
            own.append(_slope(found, sizes, profile))
        name = profile.removeprefix(f"{_EMULATED}:").removesuffix(".toml")
        body += [[name, *each] for each in own] if several else own
    return table(head, body)


def _profile(row: Row) -> str:
    """Its storage: each calibration has a name of its own, but older rows have that of their file alone."""
    return str(row["cell"]["scratch"])


def _of(rows: Sequence[Row], way: str, size: int) -> list[Row]:
    return [each for each in rows if _profile(each) == way and int(each["cell"][_MAPPERS]) == size]


def _line(name: str, both: Sequence[Sequence[Row]]) -> list[str]:
    real, emulated = ([each["measures"]["seconds"] for each in rows] for rows in both)
    ratio = interval(statistics.ratio(emulated, real)) if real and emulated else NONE
    parts = [
        ", ".join(spread([_part(each, part) for each in rows]) for rows in both) for part in _PARTS.values()
    ]
    return [name, spread(real), spread(emulated), ratio, *parts]


def _slope(rows: Sequence[Row], sizes: Sequence[int], profile: str) -> list[str]:
    """Of the largest size over the smallest: what neither the start nor the number of tasks decides."""
    few, many = sizes[0], sizes[-1]
    thousands = (many**2 - few**2) / 1000

    def each(way: str, part: str) -> float | None:
        middles = [_middle(_of(rows, way, size), part) for size in (few, many)]
        low, high = middles
        return None if low is None or high is None else (high - low) / thousands

    real, emulated = each(_REAL, ""), each(profile, "")
    ratio = f"{emulated / real:.2f}" if real and emulated else NONE
    parts = [", ".join(spread([each(way, part)]) for way in (_REAL, profile)) for part in _PARTS.values()]
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
