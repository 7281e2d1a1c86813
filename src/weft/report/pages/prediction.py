"""A prediction as a terminal, a page and JSON show it: curves with bands, knees, and how far to trust them."""

import math

from weft import __version__
from weft.analysis.predict.constants import VALUE
from weft.analysis.predict.prediction import Curve, Prediction
from weft.report.draw import charts
from weft.report.draw.blocks import Block, Chart, Listing, Number, Section, Table, Words
from weft.report.draw.html import HtmlPage, render
from weft.text.numbers import percent, seconds
from weft.text.units import show_seconds

_BAR = 40
"""Characters of the longest bar."""


def section(prediction: Prediction) -> Section:
    """Everything, for a page and for a terminal."""
    blocks: list[Block] = [
        Words(prediction.job),
        Words(trust(prediction), "plain" if abs(prediction.replay - 1) <= 0.05 else "warn"),
    ]
    if prediction.elsewhere:
        blocks.append(Words(experimental(prediction), "warn"))
    for one in prediction.curves:
        nearer = f" Predicted from {one.start}, which is nearer." if one.start != prediction.run else ""
        blocks.append(Words(f"Scratch {one.scratch}: {one.sentence}.{nearer}"))
        if any(point.far for point in one.points):
            far = max(point.factor for point in one.points)
            words = f"Extrapolated up to {far:,.0f} times beyond what was measured: the rows marked ! are guesses by rule."
            blocks.append(Words(words, "bad"))
        blocks.append(_table(one))
        blocks += [Words(words, "warn") for words in one.memory]
    blocks.append(
        Chart(
            "seconds over cores",
            lambda: charts.scaling(_rows(prediction), [each.scratch for each in prediction.curves]),
            _bars(prediction),
            "Lines: seconds of the result; areas: their prediction interval. The dot is the measured run.",
        )
    )
    if prediction.notes:
        blocks.append(Listing([f"{note}." for note in prediction.notes], "quiet"))
    return Section("prediction", f"{prediction.run} on {prediction.machine}", blocks)


def _bars(prediction: Prediction) -> list[str]:
    """The curves for a terminal, one bar a point on a logarithmic scale."""
    every = [point.seconds for one in prediction.curves for point in one.points]
    low, high = math.log(min(every) / 1.5), math.log(max(every))
    lines = []
    for one in prediction.curves:
        lines.append(one.scratch)
        for point in one.points:
            share = (math.log(point.seconds) - low) / max(high - low, 1e-9)
            lines.append(f"{point.cores:>8,} {'█' * max(1, round(_BAR * share))} {seconds(point.seconds)} s")
    return lines


def trust(prediction: Prediction) -> str:
    """How well the model repeats what it started from."""
    others = " No other run of it is there as a test."
    if prediction.left_out and prediction.elsewhere:
        others = f" {prediction.left_out} other runs of it on the measured machine correct the curves; they test nothing elsewhere."
    elif prediction.left_out:
        others = (
            f" Other runs of it that are predicted as a test: {prediction.left_out}, with a median error of"
            f" {percent(prediction.left_out_error)}, by which the curves are corrected."
            " The share of warm-up may be fitted to the same runs, so that others may be further off."
        )
    added = prediction.replay <= 1
    changed = (
        "what is missing is added to every prediction"
        if added
        else "every prediction is shortened in that proportion"
    )
    return (
        f"Measured {show_seconds(prediction.measured)} on {_counted(prediction.nodes, 'node')} x {_counted(prediction.cores, 'core')}. The model's time"
        f" for this run is {percent(prediction.replay)} of that; {changed}, and the difference widens the interval.{others}"
    )


def _counted(count: int, what: str) -> str:
    """1 node, 2 nodes."""
    return f"{count} {what}{'s' if count > 1 else ''}"


def experimental(prediction: Prediction) -> str:
    """What is known of predictions for other machines."""
    factor = math.exp(VALUE["error_per_machine"])
    return (
        f"Experimental: {prediction.machine} is another machine than the measured one. How accurate this is there was not measured;"
        f" ratios that papers published, of jobs whose calls nobody had counted, were off by a factor of {factor:.1f} (root of the mean square),"
        " which the interval includes."
    )


def _table(curve: Curve) -> Table:
    titles = ("nodes", "cores", "seconds", "90 % interval", "node-hours", "waiting", "beyond measured")
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
        for point in curve.points
    ]
    return Table([*map(Number, titles)], rows, "waiting: share of slot time paid for queues and empty slots.")


def _rows(prediction: Prediction) -> list[dict[str, float | str | None]]:
    own = {"cores": prediction.nodes * prediction.cores, "measured": prediction.measured}
    return [
        *({"scratch": one.scratch, **each.model_dump(), "measured": None} for one in prediction.curves for each in one.points),
        {"scratch": prediction.curves[0].scratch, **own},
    ]  # fmt: skip


def _scored(prediction: Prediction) -> str:
    return (
        "only bench/published compares with other machines" if prediction.elsewhere else "bench/unseen scores"
    )


def page(prediction: Prediction) -> str:
    """One self-contained page."""
    return render(
        HtmlPage(
            title=prediction.run,
            badge="PREDICTED",
            tone="plain",
            sentences=[f"Scratch {one.scratch}: {one.sentence}." for one in prediction.curves],
            footer=[f"weft {__version__}; intervals are assumptions that {_scored(prediction)}."],
            data=prediction.model_dump_json(),
            sections=[section(prediction)],
        )
    )
