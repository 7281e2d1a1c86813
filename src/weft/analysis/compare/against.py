"""Compares a study's runs with its papers: slowdowns over the axis, the published points, and the rules. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from weft.analysis.compare import formula, statistics
from weft.analysis.compare.estimate import Estimate
from weft.analysis.compare.formula import Cell
from weft.analysis.compare.headline import Headline
from weft.analysis.compare.published import Expected, Measure, Paper, Published, Rule
from weft.analysis.read.part import Part

Outcome = Literal["agrees", "differs", "undecided", "not measured"]


class Slowdown(Part):
    """A cell's time divided by that of the base at the same position of the axis."""

    cell: str
    at: str
    runs: int
    ratio: Estimate | None = None
    cores: int | None = None
    """Cores of all nodes together, if the records contain them."""


class Evaluation(Part):
    """A rule, evaluated."""

    rule: Rule
    value: Estimate | None
    outcome: Outcome
    why: str = ""


class Against(Part):
    """Everything that a report shows about a study and its papers."""

    expected: Expected
    slowdowns: tuple[Slowdown, ...]
    figures: tuple[Published, ...]
    findings: tuple[Evaluation, ...]


def against(lines: Sequence[Headline], paper: Paper) -> Against:
    """Compare the valid runs of a study with its papers."""
    expected = paper.expected
    times = values_of(lines, expected)
    cores = _cores(lines, expected.axis)
    places = sorted({at for _, at in times}, key=expected.rank)
    slowdowns = tuple(
        Slowdown(
            cell=cell,
            at=at,
            runs=len(times.get((cell, at), ())),
            ratio=_ratio(times, (cell, at), (expected.base, at)),
            cores=cores.get(at),
        )
        for cell in expected.cells
        if cell != expected.base
        for at in places
    )
    return Against(
        expected=expected,
        slowdowns=slowdowns,
        figures=paper.figures,
        findings=tuple(finding(rule, values_of(lines, expected, rule.of)) for rule in expected.rules),
    )


def in_order(lines: Sequence[Headline], expected: Expected) -> list[Headline]:
    """Runs by their position on the axis and then in the order of the cells, the base first; others last."""
    names = [expected.cells[expected.base], *expected.cells.values()]

    def rank(line: Headline) -> tuple[tuple[float, str], int]:
        at, name = line.coordinates.get(expected.axis, ""), line.coordinates.get(expected.series, "")
        return expected.rank(at), names.index(name) if name in names else len(names)

    return sorted(lines, key=rank)


def values_of(
    lines: Sequence[Headline], expected: Expected, of: Measure = "seconds"
) -> dict[Cell, list[float]]:
    """A measure of the valid runs by the short name of their cell and their position on the axis."""
    names = {value: name for name, value in expected.cells.items()}
    found: dict[Cell, list[float]] = {}
    for line in lines:
        name = names.get(line.coordinates.get(expected.series, ""))
        at = line.coordinates.get(expected.axis)
        if name is not None and at is not None:
            taken = found.setdefault((name, at), [])
            taken += [] if line.seconds is None else measured(line, of)
    return found


_FOUND: frozenset[Measure] = frozenset(
    {"latency_median_seconds", "latency_mean_seconds", "records_per_second"}
)
_NEEDS: Mapping[Measure, str] = {
    **dict.fromkeys({"seconds", *_FOUND}, ""),
    "ingest": " whose job metrics have a stage that reads a shuffle",
}
"""What a run needs for a measure, where it is not that file operations were counted."""
_SIDES = {"map_files": "map side", "read_files": "read side"}


def measured(line: Headline, of: Measure) -> list[float]:
    """A run's value; empty if it was not counted."""
    if of in _FOUND:
        value = line.facts.get(of)
    elif of == "ingest":
        value = _ingest(line)
    elif of in _SIDES:
        value = line.explanation.files("scratch", _SIDES[of]) if line.explanation else None
    else:
        value = getattr(line.operations, of, None) if of != "seconds" else line.seconds
    return [] if value is None else [float(value)]


def _ingest(line: Headline) -> float | None:
    """Megabits of input per second and slot of the stages that read its shuffle: what one core takes in (ibm-network, section 3)."""
    slots = line.explanation.sides.get("read side") if line.explanation else None
    return line.size * 8 / 1e6 / slots if line.size and slots else None


def finding(rule: Rule, values: Mapping[Cell, Sequence[float]]) -> Evaluation:
    """Evaluate a rule: it agrees or differs only if its whole interval does; of 2 to 5 runs, all combinations of them.

    One run decides nothing: equal ones differ.
    """
    value = formula.estimate(rule.value, values)
    if value is None:
        lacking = [f"{name}[{at}]" for name, at in formula.cells(rule.value) if not values.get((name, at))]
        needed = _NEEDS.get(rule.of, " that counted file operations")
        return Evaluation(
            rule=rule,
            value=None,
            outcome="not measured",
            why=f"no valid run of {', '.join(lacking)}{needed}",
        )
    if value.ends is None:
        return Evaluation(rule=rule, value=value, outcome="undecided", why="1 run")
    sides = {rule.side(end) for end in value.ends}
    if len(sides) > 1:
        what = "interval" if value.low is not None else f"range of {value.count} runs"
        return Evaluation(rule=rule, value=value, outcome="undecided", why=f"the {what} contains a bound")
    return Evaluation(
        rule=rule,
        value=value,
        outcome="agrees" if sides == {0} else "differs",
        why="" if value.low is not None else f"in all of {value.count} runs",
    )


_MANY = {"agrees": "agree", "differs": "differ"}


def sentences(found: Against) -> list[str]:
    """How the shapes compare, as text."""
    counts = Counter(each.outcome for each in found.findings)
    words = [
        f"{counts[outcome]} {outcome if counts[outcome] == 1 else _MANY.get(outcome, outcome)}"
        for outcome in get_args(Outcome)
        if counts[outcome]
    ]
    whole = len(found.findings)
    return [f"Of {whole} rules about the shape of the papers' figures: {', '.join(words)}."] if whole else []


def _ratio(times: Mapping[Cell, Sequence[float]], cell: Cell, base: Cell) -> Estimate | None:
    above, below = times.get(cell), times.get(base)
    return statistics.ratio(above, below) if above and below and min(below) > 0 else None


def _cores(lines: Sequence[Headline], axis: str) -> dict[str, int]:
    """Cores of all nodes by position on the axis, from the specs in the records."""
    found = {}
    for line in lines:
        at, each = line.coordinates.get(axis), line.spec.get("nodes.cores", "")
        count = line.spec.get("nodes.count", "")
        if at is not None and each.isdigit() and count.isdigit():
            found[at] = int(each) * int(count)
    return found
