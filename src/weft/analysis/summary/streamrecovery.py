"""How a stream went on after a loss: until when its results were late, and how many records waited for the engine."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import Any

from weft.analysis.read.part import Part

_AS_BEFORE = 2.0
"""Times the usual 99th percentile, up to which latencies are as before."""
_STEADY = 10.0
"""Seconds for which they have to stay so."""
_DISTANCES = 2
"""Of two intervals with results, that time has at least so many: windows may be longer."""


class Moment(Part):
    """An interval of a stream, by its middle in seconds after the stream began; latencies of the records sent in it."""

    t: float
    records: int
    median: float | None = None
    p99: float | None = None
    max: float | None = None
    held_per_second: float
    """Records in results that arrived in it."""
    results: int


class Recovery(Part):
    """What a loss did to a stream; times are seconds."""

    what: str = ""
    """Was lost."""
    at: float
    """After the stream began."""
    before: float
    """The usual 99th percentile of latencies until then."""
    seconds: float | None
    """From the loss until the first result from which on latencies stayed as before; 0 if they were never longer, None if they stayed longer."""
    highest: float
    """The highest latency from the loss until then."""
    behind: int | None = None
    """Records that waited in the brokers' log at most, from the loss until some seconds after that; None if nobody counted them."""


def moments(found: Mapping[str, Any]) -> tuple[Moment, ...]:
    """The intervals of a stream, from the report of the program that reads its results."""
    return tuple(Moment(**row) for row in found["over_time"])


def waiting(found: Mapping[str, Any]) -> tuple[tuple[float, int], ...]:
    """Moments after the stream began, with the records that waited in the brokers' log; none if nobody counted them."""
    return tuple((t - found["began"], round(count)) for t, count in found.get("lag", ()))


def recovery(
    over_time: Sequence[Moment], lag: Sequence[tuple[float, int]], lost: float, what: str = ""
) -> Recovery | None:
    """What a loss did, by its moment after the stream began; None if there was no result before it or none after it.

    Latencies are as before where the 99th percentile of an interval is at most twice the median of those of the intervals whose results
    had all arrived before the loss. They have to stay so for 10 s and two results, or until the stream ends. `lag`: moments with the records
    that waited then.
    """
    known = [(each.t, each.p99, each.max or each.p99) for each in over_time if each.p99 is not None]
    before = [p99 for t, p99, most in known if t + most <= lost]
    # those that were sent before and arrived after it are among the late ones
    after = [(t, p99, most) for t, p99, most in known if t + most > lost]
    if not before or not after:
        return None
    usual = median(before)
    distance = max(later - t for (t, *_), (later, *_) in pairwise(known))
    steady = max(_STEADY, _DISTANCES * distance)
    calm = (
        index
        for index, (begin, _, _) in enumerate(after)
        if all(p99 <= _AS_BEFORE * usual for t, p99, _ in after[index:] if t <= begin + steady)
    )
    first = next(calm, None)
    # a result arrives its latency after its record was sent
    arrived = lost if not first else after[first][0] + after[first][1]
    took = None if first is None else max(0.0, arrived - lost)
    # a window may hide the loss from its results
    end = math.inf if took is None else lost + took + steady
    slow = after if first is None else after[: first + 1]
    waited = [count for t, count in lag if lost <= t <= end]
    return Recovery(
        what=what,
        at=lost,
        before=usual,
        seconds=took,
        highest=max(most for _, _, most in slow),
        behind=max(waited, default=None),
    )
