"""What a run used of what its machine can do, as bars."""

from weft.analysis.explain.timeparts import Explanation, Limit
from weft.report.draw.blocks import Gauges
from weft.text.numbers import percent
from weft.text.units import show_size


def block(found: Explanation) -> list[Gauges]:
    """The gauges, if there are any."""
    rows = [(limit.name, limit.share, text(limit)) for limit in found.gauges]
    return [Gauges(rows)] if rows else []


def text(limit: Limit) -> str:
    """31,000 of 45,000 operations a second (69 %), peak 44,000."""
    observed, ceiling, peak = (
        _amount(value, limit.unit) for value in (limit.observed, limit.ceiling, limit.peak)
    )
    unit = {"B": "", "cores": " cores"}.get(limit.unit, f" {limit.unit}")
    second = "" if limit.unit == "cores" else " a second"
    return f"{observed} of {ceiling}{unit}{second} ({percent(limit.share)}), peak {peak}"


def _amount(value: float, unit: str) -> str:
    if unit == "B":
        return show_size(value)
    return f"{value:.2f}" if unit == "cores" else f"{value:,.0f}"
