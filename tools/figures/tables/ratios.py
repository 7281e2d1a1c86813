"""A study with two values or more on one axis: each beside a base, by the other axes and by phase, within each round."""

from collections.abc import Callable, Sequence
from functools import partial

from figures.rows import Row
from figures.shown import estimate, spread, table, valid
from weft.report.draw.interval import interval

_PHASES = {"start": "until the cluster is ready", "run": "the whole job", "result": "the measured part"}


def over(
    axis: str, base: str, phases: Sequence[str] = tuple(_PHASES)
) -> Callable[[Sequence[Row]], list[str]]:
    """The table for an axis whose value `base` the others are divided by."""
    return partial(_lines, axis, base, phases)


def _lines(axis: str, base: str, phases: Sequence[str], rows: Sequence[Row]) -> list[str]:
    right = valid(rows)
    places = list(dict.fromkeys(_place(row, axis) for row in right))
    values = [value for value in dict.fromkeys(str(row["cell"][axis]) for row in rows) if value != base]
    body = [
        [
            ", ".join(filter(None, (place, _PHASES[phase]))),
            f"`{value}`",
            *_cells(right, place, axis, (base, value), phase),
        ]
        for place in places
        for phase in phases
        for value in values
    ]
    return table(["seconds of", axis, f"`{base}`", "with it", "over it, within each round"], body)


def _place(row: Row, axis: str) -> str:
    return ", ".join(str(value) for key, value in row["cell"].items() if key != axis)


def _cells(rows: Sequence[Row], place: str, axis: str, values: tuple[str, str], phase: str) -> list[str]:
    base, compared = (
        {
            row["repeat"]: row["measures"]["seconds"] if phase == "result" else row["phases"][phase]
            for row in rows
            if _place(row, axis) == place and str(row["cell"][axis]) == value
        }
        for value in values
    )
    ratios = [compared[number] / base[number] for number in sorted(compared.keys() & base.keys())]
    return [spread(base.values()), spread(compared.values()), interval(estimate(ratios))]
