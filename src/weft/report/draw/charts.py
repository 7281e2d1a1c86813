"""Vega-Lite charts as SVG without a browser or a network. Colours are the page's, so that its themes apply."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from weft.analysis.read.sums import sums
from weft.report.draw import families as families_of

if TYPE_CHECKING:
    import altair

    from weft.analysis.summary.summary import Series, Summary

WIDTH = 880
"""Pixels of the drawing; the page scales it."""
_MARGIN = 56
"""Pixels left of every drawing, so that all panels share one axis."""
_ROW = 16
_LABEL = 420
"""Pixels of a stage's name, which ends in dots if it is longer; the table of stages has all of it."""
_BOX = 20
"""Pixels of a row of boxes."""
_BARS = 60
"""Characters of a line for a terminal."""
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not have (section 2.2)."""
LEVELS = " ▁▂▃▄▅▆▇█"


def spans(summary: Summary) -> str:
    """Phases and stages as bars, one row each."""
    alt = load_altair()
    rows = [
        {"row": f"p{i}", "begin": s.begin, "end": s.begin + s.seconds, "name": s.name,
         "colour": "var(--run)" if s.name == "run" else "var(--phase)"}
        for i, s in enumerate(summary.phases)
    ]  # fmt: skip
    rows += [
        {"row": f"s{i}", "begin": s.begin, "end": s.begin + s.seconds if s.seconds is not None else summary.end,
         "name": f"{s.label}  {s.name}", "colour": "var(--failed)" if s.failure else "var(--stage)"}
        for i, s in enumerate(summary.stages) if s.begin is not None
    ]  # fmt: skip
    late = summary.end * 0.6
    for row in rows:
        # a label stands right of its bar, or left of one that begins late
        row["right"] = float(row["end"]) < late or float(row["begin"]) < summary.end * 0.3
        row["label_at"] = row["end"] if row["right"] else row["begin"]
        if row["right"] and float(row["end"]) > late:
            row["label_at"], row["inside"] = row["begin"], True
    data = alt.NamedData(name="bars")
    # an axis without marks keeps the margin that the panels below have
    y = alt.Y("row:N", sort=None, title=None, axis=alt.Axis(labels=False, ticks=False, domain=False))
    bars = alt.Chart(data).mark_bar(height=_ROW - 4, cornerRadius=2).encode(
        x=_time(alt, summary, "begin:Q"), x2="end:Q", y=y, color=alt.Color("colour:N", scale=None)
    )  # fmt: skip
    texts = [_labels(alt, data, y, summary, kind) for kind in ("right", "left", "inside")]
    return svg(
        alt.layer(*_losses(alt, summary), bars, *texts).properties(
            width=WIDTH, height=max(1, len(rows)) * _ROW
        ),
        {"bars": rows},
    )


def _losses(alt: Any, summary: Summary) -> list[Any]:
    """A red line at each loss."""
    if not summary.marks:
        return []
    data = alt.Data(values=[{"at": mark.at} for mark in summary.marks])
    rule = alt.Chart(data).mark_rule(color="var(--failed)", strokeWidth=1.5)
    return [rule.encode(x=_time(alt, summary, "at:Q"))]


def _labels(alt: Any, data: Any, y: Any, summary: Summary, kind: str) -> Any:
    tests = {
        "right": "datum.right && !datum.inside",
        "left": "!datum.right",
        "inside": "datum.inside",
    }
    colour = "var(--on)" if kind == "inside" else "currentColor"
    align = "right" if kind == "left" else "left"
    text = alt.Chart(data).transform_filter(tests[kind]).mark_text(
        align=align, baseline="middle", dx=-5 if kind == "left" else 5, fontSize=11, color=colour, limit=_LABEL
    )  # fmt: skip
    return text.encode(
        x=alt.X("label_at:Q", scale=alt.Scale(domain=[0, summary.end], nice=False)), y=y, text="name:N"
    )


def panel(
    summary: Summary,
    unit: str,
    names: Mapping[str, str],
    lines: Sequence[Series],
    *,
    families: Sequence[str],
    stacked: bool,
    limits: Sequence[float] = (),
) -> str:
    """Lines over time, or one strip of stacked areas per node. `families`: what the colour of each counter means; of several
    nodes, each has a shade of it. `limits`: red lines, which no line can exceed."""
    alt = load_altair()
    order = list(dict.fromkeys(line.node for line in lines))
    if stacked:
        of_node = {node: [line for line in lines if line.node == node] for node in order}
        strips = [_strip(alt, summary, unit, of_node[node]) for node in order]
        return svg(
            alt.vconcat(*strips, spacing=6), {node: _areas(names, families, of_node[node]) for node in order}
        )
    single = len(order) == 1 and len(names) > 2
    counters, shades = list(names), families_of.shades(len(order))
    second = dict(zip(counters, families_of.lighter(families), strict=True))
    rows = [
        {
            "t": t,
            "v": value,
            "line": f"{line.node} {line.counter}",
            "colour": f"var(--{families[counters.index(line.counter)]})",
            "shade": shades[order.index(line.node)] / 10,
            "dash": second[line.counter],
        }
        for line in lines
        for t, value in line.points
    ]
    dashed = [4, 3] if not single else [6, 3]
    chart = alt.Chart(alt.NamedData(name="lines")).mark_line(strokeWidth=1.6, interpolate="linear").encode(
        x=_time(alt, summary),
        y=alt.Y("v:Q", title=None, axis=_axis(alt, unit), scale=alt.Scale(zero=True)),
        color=alt.Color("colour:N", scale=None),
        opacity=alt.Opacity("shade:Q", scale=None),
        strokeDash=alt.condition("datum.dash", alt.value(dashed), alt.value([1, 0])),
        detail="line:N",
    )  # fmt: skip
    chart = alt.layer(_marks(alt, summary), *_limits(alt, unit, limits), chart)
    return svg(chart.properties(width=WIDTH, height=110), {"lines": rows})


def _limits(alt: Any, unit: str, limits: Sequence[float]) -> list[Any]:
    if not limits:
        return []
    rule = alt.Chart(alt.Data(values=[{"v": limit} for limit in limits])).mark_rule(color="var(--failed)")
    return [rule.encode(y=alt.Y("v:Q", title=None, axis=_axis(alt, unit)))]


def _areas(
    names: Mapping[str, str], families: Sequence[str], lines: Sequence[Series]
) -> list[dict[str, object]]:
    counters, second = list(names), families_of.lighter(families)
    rows: list[dict[str, object]] = []
    for line in lines:
        index = counters.index(line.counter)
        style = {"colour": f"var(--{families[index]})", "shade": 0.55 if second[index] else 1}
        rows += [{"t": t, "v": value, "order": index, **style} for t, value in line.points]
    return rows


def _strip(alt: Any, summary: Summary, unit: str, lines: Sequence[Series]) -> Any:
    node = lines[0].node
    known = {info.name: info.cores for info in summary.nodes if info.cores}
    # a strip of many nodes has the scale of the largest: else the lowest one looks as busy as the highest
    cores = known.get(node, max(known.values(), default=0))
    highest = max(sums(point for line in lines for point in line.points).values(), default=0.0)
    top = max(float(cores), highest) or 1.0
    chart = alt.Chart(alt.NamedData(name=node)).mark_area(interpolate="linear").encode(
        x=_time(alt, summary),
        y=alt.Y("v:Q", title=None, stack=True, axis=_axis(alt, unit, count=3), scale=alt.Scale(domain=[0, top])),
        color=alt.Color("colour:N", scale=None),
        opacity=alt.Opacity("shade:Q", scale=None),
        order="order:Q",
    )  # fmt: skip
    label = alt.Chart(alt.Data(values=[{}])).mark_text(
        align="left", baseline="top", fontSize=11, fontWeight="bold", x=6, y=3, color="currentColor", text=node
    )  # fmt: skip
    return alt.layer(_marks(alt, summary), chart, label).properties(width=WIDTH, height=64)


def _marks(alt: Any, summary: Summary) -> Any:
    """Begin and end of the measured phase."""
    run = [span for span in summary.phases if span.name == "run"]
    edges = [{"t": at} for span in run for at in (span.begin, span.begin + span.seconds)]
    rule = alt.Chart(alt.Data(values=edges)).mark_rule(strokeDash=[2, 2], color="var(--quiet)")
    return rule.encode(x=alt.X("t:Q", scale=alt.Scale(domain=[0, summary.end], nice=False)))


def _time(alt: Any, summary: Summary, field: str = "t:Q") -> Any:
    return alt.X(
        field,
        title=None,
        scale=alt.Scale(domain=[0, max(summary.end, 0.001)], nice=False),
        axis=alt.Axis(labelExpr="datum.label + ' s'", tickCount=10),
    )


def _axis(alt: Any, unit: str, count: int = 4) -> Any:
    # Vega's letters of powers of 1000, with the unit of what they count
    if unit.startswith("B"):
        return alt.Axis(
            labelExpr=f"datum.value ? format(datum.value, '~s') + '{unit}' : '0'", tickCount=count
        )
    return alt.Axis(format="~s" if unit.startswith("per ") else "~g", tickCount=count)


def dots(rows: Sequence[Mapping[str, Any]], title: str) -> str:
    """Medians as dots with their intervals as lines, and every run as a small ring, one row per cell."""
    alt = load_altair()
    data = alt.Data(values=list(rows))
    # a browser's letters are wider than those for which the drawing was computed
    margin = min(320, 8 * max(len(str(row["cell"])) for row in rows) + 12)
    axis = alt.Axis(labelLimit=margin, minExtent=margin, maxExtent=margin)
    y = alt.Y("cell:N", sort=None, title=None, axis=axis)
    x = alt.X("median:Q", title=title, scale=alt.Scale(zero=True))
    bars = (
        alt.Chart(data).transform_filter("isValid(datum.low)").mark_rule(strokeWidth=3, color="var(--phase)")
    )
    points = alt.Chart(data).mark_point(filled=True, size=90, color="var(--run)", opacity=1)
    runs = (
        alt.Chart(data).transform_flatten(["values"]).mark_point(size=22, color="var(--quiet)", strokeWidth=1)
    )
    chart = alt.layer(
        bars.encode(x=alt.X("low:Q", title=title), x2="high:Q", y=y),
        runs.encode(x="values:Q", y=y),
        points.encode(x=x, y=y),
    )
    return svg(chart.properties(width=WIDTH + _MARGIN - margin, height=max(1, len(rows)) * 30))


def scaling(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str:
    """Seconds over cores with their bands, one line a name, both axes logarithmic; the measured run as a dot."""
    alt = load_altair()
    chart = alt.Chart(alt.Data(values=list(rows)))
    x = alt.X("cores:Q", title="cores", scale=alt.Scale(type="log"), axis=alt.Axis(format=",d", tickCount=6))
    y = {"scale": alt.Scale(type="log"), "title": "seconds"}
    domain = alt.Scale(domain=list(names), range=[f"var(--c{1 + index % 8})" for index in range(len(names))])
    colour = alt.Color("scratch:N", scale=domain, legend=alt.Legend(title=None, orient="top"))
    curve = chart.transform_filter("!isValid(datum.measured)")
    chart = alt.layer(
        curve.mark_area(opacity=0.15).encode(x=x, y=alt.Y("low:Q", **y), y2="high:Q", color=colour),
        curve.mark_line(point=True).encode(x=x, y=alt.Y("seconds:Q", **y), color=colour),
        chart.transform_filter("isValid(datum.measured)")
        .mark_point(filled=True, size=90, color="var(--quiet)", opacity=1)
        .encode(x=x, y=alt.Y("measured:Q", **y)),
    )
    return svg(chart.properties(width=WIDTH, height=260))


def boxes(rows: Sequence[Mapping[str, Any]], title: str) -> str:
    """One row each: a line from `low` to `high`, a box from `p25` to `p75`, a mark at `median`, a tick at `p95`."""
    alt = load_altair()
    data = alt.Data(values=list(rows))
    margin = min(320, 7 * max(len(str(row["name"])) for row in rows) + 12)
    axis = alt.Axis(labelLimit=margin, minExtent=margin, maxExtent=margin)
    y = alt.Y("name:N", sort=None, title=None, axis=axis)
    x = alt.X("low:Q", title=title, scale=alt.Scale(zero=True))
    chart = alt.Chart(data)
    tick = {"thickness": 2, "size": _BOX - 8}
    layers = [
        chart.mark_rule(color="var(--stage)").encode(x=x, x2="high:Q", y=y),
        chart.mark_bar(height=_BOX - 8, color="var(--stage)").encode(x="p25:Q", x2="p75:Q", y=y),
        chart.mark_tick(color="currentColor", **tick).encode(x="median:Q", y=y),
        chart.mark_tick(color="var(--stage)", **tick).encode(x="p95:Q", y=y),
        chart.mark_point(filled=True, size=26, color="var(--stage)", opacity=1).encode(x="high:Q", y=y),
    ]
    return svg(alt.layer(*layers).properties(width=WIDTH + _MARGIN - margin, height=len(rows) * _BOX))


def cumulative(points: Iterable[tuple[float, float]], title: str, height: int) -> str:
    """Shares over values, which are on a logarithmic axis."""
    alt = load_altair()
    rows = [{"share": share, "value": value} for share, value in points]
    chart = alt.Chart(alt.Data(values=rows)).mark_line(interpolate="step-after", color="var(--run)").encode(
        x=alt.X("value:Q", title=title, scale=alt.Scale(type="log", nice=False)),
        y=alt.Y("share:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")),
    )  # fmt: skip
    return svg(chart.properties(width=WIDTH, height=height))


def area(points: Iterable[tuple[float, float]], x: Any, colour: str, height: int, **axis: Any) -> str:
    """One line over time, filled."""
    alt = load_altair()
    rows = [{"t": t, "value": value} for t, value in points]
    chart = alt.Chart(alt.Data(values=rows)).mark_area(color=f"var(--{colour})", opacity=0.6)
    y = alt.Y("value:Q", title=None, axis=alt.Axis(tickCount=4, **axis))
    return svg(chart.encode(x=x, y=y).properties(width=WIDTH, height=height))


def spark(values: Sequence[float]) -> str:
    """A line for a terminal."""
    most = max(values, default=0.0)
    each = max(1, len(values) // _BARS)
    heights = [max(values[i : i + each]) for i in range(0, len(values), each)]
    return "".join(LEVELS[round(height / most * 8) if most else 0] for height in heights)


def load_altair() -> Any:
    # takes half a second to import, which only pages with charts need
    import altair  # noqa: PLC0415

    return altair


def _drawable(value: Any) -> Any:
    """Data whose texts XML can have. Names are somebody else's, and vl-convert ends the process at a character that it cannot draw."""
    if isinstance(value, str):
        return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, Mapping):
        return {_drawable(key): _drawable(each) for key, each in value.items()}
    return [_drawable(each) for each in value] if isinstance(value, (list, tuple)) else value


def svg(chart: altair.TopLevelMixin, rows: Mapping[str, Sequence[Mapping[str, object]]] | None = None) -> str:
    """Draw a chart. `rows`: its NamedData; Altair would copy and examine each value that it is given itself."""
    import vl_convert  # noqa: PLC0415

    quiet = {"labelColor": "currentColor", "titleColor": "currentColor", "tickColor": "var(--line)"}
    styled = chart.configure(background="transparent", font="sans-serif", aria=False).configure_axis(
        gridColor="var(--line)",
        domainColor="var(--line)",
        labelFontSize=11,
        titleFontWeight="normal",
        **quiet,
    )
    styled = styled.configure_axisX(grid=False).configure_axisY(minExtent=_MARGIN, maxExtent=_MARGIN)
    spec = styled.configure_view(stroke=None).to_dict(validate=False)
    spec["datasets"] = {**spec.get("datasets", {}), **(rows or {})}
    text = vl_convert.vegalite_to_svg(_drawable(spec))
    sized = re.sub(r'<svg ([^>]*?)width="[\d.]+" height="[\d.]+"', r"<svg \1", text, count=1)
    sized = sized.replace(' font-family="sans-serif"', "")
    return sized.replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "", 1)
