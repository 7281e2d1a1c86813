"""A median with its interval, as a table shows it."""

from collections.abc import Callable

from weft.analysis.compare.estimate import Estimate
from weft.text.numbers import NONE, seconds

NOTE = "Medians with 95 % intervals in brackets, of fewer than 6 runs from the smallest to the largest; only VALID runs count."


def interval(estimate: Estimate | None, unit: str = "", show: Callable[[float], str] = seconds) -> str:
    """12.3 [11.9, 12.8]; of few values their range, 12.3 (11.9 to 12.8); of one the value alone."""
    if estimate is None:
        return NONE
    middle = f"{show(estimate.median)}{unit}"
    if estimate.low is not None and estimate.high is not None:
        return f"{middle} [{show(estimate.low)}, {show(estimate.high)}]"
    return f"{middle} ({show(estimate.ends[0])} to {show(estimate.ends[1])})" if estimate.ends else middle
