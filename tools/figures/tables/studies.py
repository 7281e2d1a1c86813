"""The tables of studies: the cells by place, their ratios to the base, and each rule with its outcome."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, get_args

from figures.rows import Row
from figures.shown import spread, table, valid
from weft.analysis.compare import published, statistics
from weft.analysis.compare.against import Outcome, finding
from weft.analysis.compare.formula import Cell
from weft.analysis.compare.published import Expected, Measure
from weft.host import settings
from weft.report.draw.interval import interval
from weft.text.numbers import NONE, amount, seconds

Lines = Callable[[Sequence[Row]], list[str]]


_OFFERED: Literal["offered_per_second"] = "offered_per_second"
Shown = Measure | Literal["offered_per_second"]
"""The rate of a stream that was sustained is a fact of its run: its throughput counts the time until the last record came, too."""
_UNITS: Mapping[Shown, str] = {
    "seconds": "s",
    _OFFERED: "sustained records/s",
    "latency_mean_seconds": "mean latency, s",
}


def grid(name: str, ratios: Sequence[tuple[str, str]] = (), of: Shown = "seconds") -> Lines:
    """A measure of each cell by place; ratios of cells, each over another, are further columns.

    Of streams there are no seconds: one takes as long as its schedule says.
    """
    return partial(_grid, expected(name), ratios, of)


def rules(name: str) -> Lines:
    """Each rule of a study with the paper's figure, the bound, the value here and the outcome."""
    return partial(_rules, expected(name))


def difference(name: str, cell: str, least: float) -> Lines:
    """By which parts of the run phase a cell is longer than the base, where that is so many seconds or more."""
    return partial(_difference, expected(name), cell, least)


def together(*parts: Lines) -> Lines:
    """One below the other; what has no rows is left out."""
    return lambda rows: [line for part in parts if (lines := part(rows)) for line in ("", *lines)][1:]


def expected(name: str) -> Expected:
    """A study's cells and rules."""
    paper = published.load(settings.SOURCE / "studies" / name)
    assert paper is not None
    return paper.expected


def values(rows: Sequence[Row], of: Expected, measure: Shown = "seconds") -> dict[Cell, list[float]]:
    """A measure of the valid runs by the short name of their cell and their place."""
    names = {value: name for name, value in of.cells.items()}
    found: dict[Cell, list[float]] = {}
    for row in valid(rows):
        cell = (names.get(str(row["cell"][of.series]), ""), str(row["cell"][of.axis]))
        known = row["facts"] if measure == _OFFERED else row["measures"]
        if cell[0] and measure in known:
            found.setdefault(cell, []).append(known[measure])
    return found


def _grid(of: Expected, ratios: Sequence[tuple[str, str]], measure: Shown, rows: Sequence[Row]) -> list[str]:
    timed = [row for row in rows if "records_per_second" not in row.get("measures", {})]
    taken = values(timed if measure == "seconds" else rows, of, measure)
    places = [at for at in of.places if any(place == at for _, place in taken)]
    names = [name for name in of.cells if any(cell == name for cell, _ in taken)]
    if not taken:
        return []
    head = [
        of.axis,
        *(f"`{name}`, {_UNITS[measure]}" for name in names),
        *(f"`{above}` over `{below}`" for above, below in ratios),
    ]
    body = [
        [
            f"`{at}`",
            *(spread(taken.get((name, at), ()), _shown) for name in names),
            *(_ratio(taken.get((above, at)), taken.get((below, at))) for above, below in ratios),
        ]
        for at in places
    ]
    return table(head, body)


def _ratio(above: Sequence[float] | None, below: Sequence[float] | None) -> str:
    return interval(statistics.ratio(above, below)) if above and below else NONE


def _rules(of: Expected, rows: Sequence[Row]) -> list[str]:
    found = [finding(rule, values(rows, of, rule.of)) for rule in of.rules]
    counts = Counter(each.outcome for each in found)
    words = ", ".join(f"{counts[outcome]} {outcome}" for outcome in get_args(Outcome) if counts[outcome])
    body = [
        [
            each.rule.name,
            each.rule.paper,
            each.rule.bound,
            interval(each.value, show=_shown),
            f"{each.outcome} ({each.why})" if each.why and each.value else each.outcome,
        ]
        for each in found
    ]
    head = ["rule", "in the paper", "bound", "here", "outcome"]
    return [f"Of {len(found)} rules: {words}.", "", *table(head, body)]


def _shown(value: float) -> str:
    """Counts and rates have large values; most are seconds or ratios."""
    return amount(value) if value >= 1000 else seconds(value)


def _difference(of: Expected, cell: str, least: float, rows: Sequence[Row]) -> list[str]:
    body: list[list[Any]] = []
    for at in of.places:
        slow, base = (
            [
                row
                for row in valid(rows)
                if (str(row["cell"][of.series]), str(row["cell"][of.axis])) == (name, at)
            ]
            for name in (of.cells[cell], of.cells[of.base])
        )
        if slow and base:
            longer = {name: parts_of(slow)[name] - parts_of(base).get(name, 0.0) for name in parts_of(slow)}
            ranked = sorted(longer.items(), key=lambda item: -item[1])
            words = "; ".join(f"{name} +{taken:.1f}" for name, taken in ranked if taken >= least)
            body.append([f"`{at}`", words or "none"])
    title = f"by what the run phase of `{cell}` is longer than that of `{of.base}`, s (means; parts from {least:g} s)"
    return table([of.axis, title], body)


def parts_of(rows: Sequence[Row]) -> Mapping[str, float]:
    """Mean seconds of the run phase by part."""
    names = dict.fromkeys(name for row in rows for name in row["parts"])
    return {name: sum(row["parts"].get(name, 0.0) for row in rows) / len(rows) for name in names}
