"""A median with its interval, as a table shows it."""

from weft.analysis.compare.estimate import Estimate
from weft.text.numbers import NONE, seconds


def interval(estimate: Estimate | None, unit: str = "") -> str:
    """12.3 [11.9, 12.8]; only the median without an interval."""
    if estimate is None:
        return NONE
    if estimate.low is None:
        return f"{seconds(estimate.median)}{unit}"
    return f"{seconds(estimate.median)}{unit} [{seconds(estimate.low)}, {seconds(estimate.high)}]"
