"""A median with its interval, as a table shows it."""

from collections.abc import Callable

from weft.analysis.compare.estimate import Estimate
from weft.text.numbers import NONE, seconds


def interval(estimate: Estimate | None, unit: str = "", show: Callable[[float], str] = seconds) -> str:
    """12.3 [11.9, 12.8]; only the median without an interval."""
    if estimate is None:
        return NONE
    if estimate.low is None or estimate.high is None:
        return f"{show(estimate.median)}{unit}"
    return f"{show(estimate.median)}{unit} [{show(estimate.low)}, {show(estimate.high)}]"
