"""A prediction as a terminal, a page and JSON show it: curves with bands, knees, and how far to trust them."""

import math

from weft import __version__
from weft.analysis.predict.prediction import Curve, Prediction
from weft.report.draw import charts
from weft.report.draw.blocks import Block, Chart, Listing, Number, Section, Table, Words
from weft.report.draw.html import HtmlPage, render
from weft.text.numbers import percent, seconds
from weft.text.units import show_seconds

_BAR = 40
"""Characters of the longest bar."""


def section(found: Prediction) -> Section:
    """Everything, for a page and for a terminal."""
    blocks: list[Block] = [Words(trust(found), "plain" if abs(found.replay - 1) <= 0.05 else "warn")]
    for one in found.curves:
        nearer = f" Predicted from {one.start}, which is nearer." if one.start != found.run else ""
        blocks.append(Words(f"Scratch {one.scratch}: {one.sentence}.{nearer}"))
        if any(point.far for point in one.points):
            far = max(point.factor for point in one.points)
            words = f"Extrapolated up to {far:,.0f} times beyond what was measured: the rows marked ! are guesses by rule."
            blocks.append(Words(words, "bad"))
        blocks.append(_table(one))
    blocks.append(
        Chart(
            "seconds over cores",
            lambda: charts.scaling(_rows(found), [each.scratch for each in found.curves]),
            _bars(found),
            "Lines: seconds of the result; areas: their band. The dot is the measured run.",
        )
    )
    if found.notes:
        blocks.append(Listing([f"{note}." for note in found.notes], "quiet"))
    return Section("prediction", f"{found.run} on {found.machine}", blocks)


def _bars(found: Prediction) -> list[str]:
    """The curves for a terminal, one bar a point on a logarithmic scale."""
    every = [point.seconds for one in found.curves for point in one.points]
    low, high = math.log(min(every) / 1.5), math.log(max(every))
    lines = []
    for one in found.curves:
        lines.append(one.scratch)
        for point in one.points:
            share = (math.log(point.seconds) - low) / max(high - low, 1e-9)
            lines.append(f"{point.cores:>8,} {'█' * max(1, round(_BAR * share))} {seconds(point.seconds)} s")
    return lines


def trust(found: Prediction) -> str:
    """How well the model repeats what it started from."""
    others = (
        f" Other runs of it that are predicted as a test: {found.left_out}, with a median error of"
        f" {percent(found.left_out_error)}, by which the curves are corrected."
        if found.left_out
        else " No other run of it is there as a test."
    )
    return (
        f"Measured {show_seconds(found.measured)} on {found.nodes} nodes x {found.cores} cores. The model schedules"
        f" the run itself in {percent(found.replay)} of that; the rest is carried along, and widens the band.{others}"
    )


def _table(one: Curve) -> Table:
    titles = ("nodes", "cores", "seconds", "band", "node-hours", "waiting", "beyond measured")
    rows = [
        (
            f"{point.nodes}",
            f"{point.cores:,}",
            seconds(point.seconds),
            f"{seconds(point.low)} to {seconds(point.high)}",
            f"{point.node_hours:.3g}",
            percent(point.waiting),
            f"{point.factor:,.3g} x{' !' if point.far else ''}",
        )
        for point in one.points
    ]
    return Table([*map(Number, titles)], rows, "waiting: share of slot time paid for queues and empty slots.")


def _rows(found: Prediction) -> list[dict[str, float | str | None]]:
    own = {"cores": found.nodes * found.cores, "measured": found.measured}
    return [
        *({"scratch": one.scratch, **each.model_dump(), "measured": None} for one in found.curves for each in one.points),
        {"scratch": found.curves[0].scratch, **own},
    ]  # fmt: skip


def page(found: Prediction) -> str:
    """One self-contained page."""
    return render(
        HtmlPage(
            title=found.run,
            badge="PREDICTED",
            tone="plain",
            sentences=[f"Scratch {one.scratch}: {one.sentence}." for one in found.curves],
            footer=[f"weft {__version__}; bands are assumptions that bench/unseen scores."],
            data=found.model_dump_json(),
            sections=[section(found)],
        )
    )
