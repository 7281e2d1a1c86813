"""A study beside its papers, as sections: two panels of slowdowns, the published rows, and the rules."""

from collections.abc import Sequence
from typing import Any, get_args

from weft.analysis.compare.against import Against, Evaluation, Outcome, Slowdown, sentences
from weft.analysis.compare.published import Expected
from weft.report.draw import charts
from weft.report.draw.blocks import Block, Chart, Listing, Number, Section, Table, Words
from weft.report.draw.interval import NOTE, interval
from weft.text.numbers import NONE, seconds

_COLOURS = tuple(f"c{number}" for number in range(1, 9))
_HEIGHT = 220
_TICKS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500]
_CHART = "Time over that of the base; left measured here, right published"


def slowdowns(against: Against, emulated: Sequence[str]) -> Section:
    """Slowdown over nodes for each cell, and the published points on other machines beside them."""
    blocks: list[Block] = [Words(" ".join(emulated), "warn")] if emulated else []
    measured, published = _measured(against), _published(against)
    if measured or published:
        legend = {name: colour for name, colour in _colours(against).items() if name != against.expected.base}
        # the axis of the published points is the study's own if they have a position on it
        over = against.expected.axis if any(row["at"] for row in published) else "their cores"
        note = (
            f"Left: this study, over {against.expected.axis}; the line is the 95 % interval, of fewer than 6 runs their range. Right: the papers' "
            f"machines, over {over}. Both vertical axes are the same and logarithmic; the scales of the "
            "machines differ."
        )
        lines = _lines(against)
        blocks.append(Chart(_CHART, lambda: draw(measured, published, against.expected), lines, note, legend))
    else:
        blocks.append(Words("No cell has a valid run and a valid run of its base.", "quiet"))
    blocks.append(_slowdown_table(against))
    return Section("slowdown", f"Time over that of {against.expected.base}", blocks)


def rules(against: Against) -> Section:
    """Where the shapes agree and differ, by the rules of the study."""
    columns = ["rule", "outcome", Number("measured"), "bound", "in the paper", "source", "formula", "of"]
    rows = [_finding(each) for each in against.findings]
    note = (
        f"A formula divides medians: name[{against.expected.axis}]. A rule agrees or differs if the whole interval is within or "
        "outside its bounds, and where there are 2 to 5 runs, if all of them are; otherwise it is undecided."
    )
    names = [f"{name} is {value}" for name, value in against.expected.cells.items() if name != value]
    here = f" Here {', '.join(names)}." if names else ""
    blocks: list[Block] = [Words(sentence) for sentence in sentences(against)]
    blocks.append(Listing(_by_outcome(against.findings)))
    few = sorted({each.value.caveat for each in against.findings if each.value} - {""})
    blocks += [Words(f"{caveat}.", "quiet") for caveat in few]
    return Section("rules", "Where the shapes agree", [*blocks, Table(columns, rows, note + here)])


def figures(against: Against) -> Section:
    """The published rows as in published.csv."""
    several = len({figure.paper for figure in against.figures}) > 1
    shown = [
        *(["paper"] if several else []),
        "experiment",
        "engine",
        "storage",
        "scale",
        "metric",
        "value",
        "unit",
    ]
    columns = [*(Number(key) if key == "value" else key for key in shown), "location"]
    rows = [[*(getattr(figure, key) for key in shown), figure.note] for figure in against.figures]
    table = Table(columns, rows, "Other machines, at other scales.")
    return Section("published", "Published figures", [table])


def _slowdown_table(against: Against) -> Table:
    titles = (against.expected.axis, "cores", "time over base", "valid runs")
    rows = [
        (each.cell, each.at, str(each.cores or NONE), interval(each.ratio, " x"), str(each.runs),
         _known(against, each))
        for each in against.slowdowns
    ]  # fmt: skip
    return Table(
        ["cell", *map(Number, titles), "published"],
        rows,
        NOTE,
    )


def _known(against: Against, slowdown: Slowdown) -> str:
    known = [
        f
        for f in against.figures
        if f.cell == slowdown.cell and f.metric == "slowdown" and f.at in {"", slowdown.at}
    ]
    return "; ".join(f"{f.value} ({f.storage}, {f.scale})" for f in known) or NONE


def _finding(evaluation: Evaluation) -> tuple[str, ...]:
    rule = evaluation.rule
    why = evaluation.why
    return (
        rule.name,
        f"{evaluation.outcome} ({why})" if why else evaluation.outcome,
        interval(evaluation.value),
        rule.bound,
        rule.paper,
        rule.source,
        rule.value,
        rule.of,
    )


def _by_outcome(findings: Sequence[Evaluation]) -> list[str]:
    """The rules that agree, differ and are undecided."""
    found = {
        outcome: [each.rule.name for each in findings if each.outcome == outcome]
        for outcome in get_args(Outcome)
    }
    return [f"{outcome.capitalize()}: {'; '.join(names)}." for outcome, names in found.items() if names]


def _colours(against: Against) -> dict[str, str]:
    names = [name for name in against.expected.cells if name != against.expected.base]
    return {name: _COLOURS[index % len(_COLOURS)] for index, name in enumerate(names)}


def _measured(against: Against) -> list[dict[str, Any]]:
    colours = _colours(against)
    return [
        {"cell": each.cell, "at": each.at, "ratio": each.ratio.median, **dict(zip(("low", "high"), each.ratio.ends or (None, None), strict=True)),
         "colour": f"var(--{colours[each.cell]})"}
        for each in against.slowdowns
        if each.ratio is not None
    ]  # fmt: skip


def _published(against: Against) -> list[dict[str, Any]]:
    """Published slowdowns at a known position on the axis, or for known cores; those of one storage and machine are connected."""
    colours = _colours(against)
    return [
        {"cell": f.cell, "cores": f.cores, "at": f.at, "ratio": f.number, "line": f.storage, "name": f"{f.storage}, {f.scale}",
         "colour": f"var(--{colours[f.cell]})"}
        for f in against.figures
        if f.metric == "slowdown" and f.cell in colours and (f.cores or f.at) and f.number
    ]  # fmt: skip


def _lines(against: Against) -> list[str]:
    axis = against.expected.axis
    here = [f"{each.cell}, {axis}={each.at}: {interval(each.ratio, ' x')}" for each in against.slowdowns]
    there = [
        f"published, {row['name']} ({row['at'] or '{} cores'.format(row['cores'])}): {seconds(row['ratio'])} x"
        for row in _published(against)
    ]
    return [*here, *there]


def draw(measured: Sequence[dict[str, Any]], published: Sequence[dict[str, Any]], expected: Expected) -> str:
    """The two panels as SVG."""
    alt = charts.load_altair()
    values = [row[key] for row in (*measured, *published) for key in ("ratio", "low", "high") if row.get(key)]
    scale = alt.Scale(type="log", domain=[min(0.8, *values), max(values) * 1.3], nice=False)
    placed = [row for row in published if row["at"]]
    panels = [_by_cell(alt, measured, "measured here", scale, expected)] if measured else []
    if placed:
        panels.append(_by_cell(alt, placed, "published, other machines", scale, expected, shape="diamond"))
    elif published:
        panels.append(_there(alt, published, scale))
    # the panels have different widths, and therefore different distances between cells
    return charts.svg(alt.hconcat(*panels, spacing=30).resolve_scale(xOffset="independent"))


def _by_cell(
    alt: Any, rows: Sequence[dict[str, Any]], whose: str, scale: Any, expected: Expected, **mark: str
) -> Any:
    """A panel on the axis of the study: a point for each cell, with its interval if it has one."""
    what = "nodes" if expected.axis == "nodes.count" else expected.axis
    axis = alt.Axis(labelAngle=-30 if expected.places else 0)
    sort = list(expected.places) or "ascending"
    shared = {
        "x": alt.X("at:O", title=f"{whose}: {what}", sort=sort, axis=axis),
        "xOffset": alt.XOffset("cell:N", sort=None),
        "color": alt.Color("colour:N", scale=None),
    }
    base = alt.Chart(alt.Data(values=list(rows)))
    layers = [_one(alt, scale)]
    if "low" in rows[0]:
        bars = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=3, opacity=0.5)
        layers.append(bars.encode(y=alt.Y("low:Q", title=None, scale=scale), y2="high:Q", **shared))
    points = base.mark_point(filled=True, size=90, opacity=1, **mark)
    layers.append(points.encode(y=_upright(alt, scale), **shared))
    return alt.layer(*layers).properties(width=charts.WIDTH // 3, height=_HEIGHT)


def _there(alt: Any, published: Sequence[dict[str, Any]], scale: Any) -> Any:
    base = alt.Chart(alt.Data(values=list(published)))
    cores = alt.Scale(type="log", domain=[10, max(100_000, *(row["cores"] for row in published))], nice=False)
    axis = alt.Axis(format="~s", values=[10, 100, 1000, 10_000, 100_000])
    at = {
        "x": alt.X("cores:Q", title="published, other machines: cores", scale=cores, axis=axis),
        "y": _upright(alt, scale),
    }
    colour = alt.Color("colour:N", scale=None)
    line = base.mark_line(strokeDash=[4, 3], strokeWidth=1.4).encode(color=colour, detail="line:N", **at)
    points = base.mark_point(shape="diamond", size=90, opacity=1).encode(color=colour, **at)
    text = base.mark_text(align="left", dx=8, dy=-8, fontSize=11, color="currentColor")
    layers = (_one(alt, scale), line, points, text.encode(text="name:N", **at))
    return alt.layer(*layers).properties(width=charts.WIDTH // 2, height=_HEIGHT)


def _upright(alt: Any, scale: Any) -> Any:
    return alt.Y("ratio:Q", title=None, scale=scale, axis=alt.Axis(values=_TICKS, format="~g"))


def _one(alt: Any, scale: Any) -> Any:
    """The base itself."""
    rule = alt.Chart(alt.Data(values=[{"ratio": 1.0}])).mark_rule(strokeDash=[2, 2], color="var(--quiet)")
    return rule.encode(y=_upright(alt, scale))
