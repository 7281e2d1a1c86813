"""The figures of the documentation that are drawn from rows of evidence: `docs/figures/NAME.svg`, written and compared by `tools/evidence`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from figures import rows
from figures.rows import Row
from figures.tables import boundary
from weft.analysis.compare import statistics
from weft.host import settings
from weft.report.draw.charts import load_altair
from weft.text.units import parse_size

FOLDER = settings.SOURCE / "docs" / "figures"
_COLOURS = ("#c2410c", "#1d4ed8", "#15803d")
_WIDTH, _HEIGHT = 300, 240
"""Pixels of one panel."""
_ABOVE = 2.0
"""Where a failure is: so many times above the longest time."""


def path_of(name: str) -> Path:
    """Where a drawing is."""
    return FOLDER / f"{name}.svg"


def drawn(name: str) -> str:
    """The drawing of a table's rows, as SVG."""
    return DRAWINGS[name](rows.read(name))


def of_boundary(found: Sequence[Row]) -> str:
    """Seconds over the memory limit, a panel for each scale and a line for each engine; a cross where it failed."""
    import vl_convert  # noqa: PLC0415 - only drawings need it

    alt = load_altair()
    points = list(_points(found))
    top = _ABOVE * max((point["seconds"] for point in points if point["seconds"]), default=1.0)
    values = [{**point, "at": point["seconds"] or top} for point in points]
    limits = sorted({point["limit"] for point in points}, key=parse_size)
    names = list(boundary.ENGINES.values())
    x = alt.X("limit:O", sort=limits, title="memory limit of the engine", axis=alt.Axis(labelAngle=0))
    y = alt.Y("at:Q", title="seconds (a cross: failed)", scale=alt.Scale(type="log"))
    colours = alt.Scale(domain=names, range=list(_COLOURS))
    colour = alt.Color("engine:N", title=None, scale=colours, legend=alt.Legend(orient="top"))
    offset = alt.XOffset("engine:N", sort=names)
    base = alt.Chart().encode(x=x, y=y, color=colour, xOffset=offset)
    right = base.transform_filter("isValid(datum.seconds)").mark_point(filled=True, size=90, opacity=1)
    failed = base.transform_filter("!isValid(datum.seconds)").mark_point(shape="cross", angle=45, size=130)
    panels = (
        alt.layer(right, failed, data=alt.Data(values=values))
        .properties(width=_WIDTH, height=_HEIGHT)
        .facet(column=alt.Column("panel:N", title=None, sort=list(dict.fromkeys(p["panel"] for p in points))))
        .configure(background="white", font="sans-serif")
    )
    return str(vl_convert.vegalite_to_svg(panels.to_dict(validate=False))) + "\n"


def _points(found: Sequence[Row]) -> Any:
    """A cell each: its median, or None if no run of it is valid."""
    for (scale, limit), by in boundary.placed(found).items():
        for engine, its in by.items():
            seconds = boundary.taken(its)
            yield {
                "panel": f"TPC-DS, scale {scale:g}",
                "limit": limit,
                "engine": boundary.ENGINES[engine],
                "seconds": statistics.median(seconds).median if seconds else None,
            }


DRAWINGS: Mapping[str, Callable[[Sequence[Row]], str]] = {"boundary": of_boundary}
