"""Time in data calls split by the calibrated model of a storage: t = latency + bytes / bandwidth, for a single caller.

What calls took beyond that is waiting: for other callers of the same storage, or for a processor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars

from weft.analysis.explain import spread
from weft.analysis.explain.evidence import Window
from weft.analysis.explain.spread import Counter
from weft.analysis.read.calibration import StorageRates

LATENCY, BANDWIDTH, BEYOND = "latency", "bandwidth", "beyond both"
_DIRECTIONS = {"read": "read", "write": "write"}


@dataclass(frozen=True)
class Moved:
    """Data calls of one kind on one class of paths: seconds inside, how many, and bytes of one on average."""

    operation: str
    seconds: float
    calls: float
    each: float


def split(moved: Sequence[Moved], rates: StorageRates) -> dict[str, float]:
    """Shares of the time by cause, which sum to 1; empty where nothing was measured of such calls."""
    found = {LATENCY: 0.0, BANDWIDTH: 0.0, BEYOND: 0.0}
    for calls in moved:
        for cause, seconds in _one(calls, rates).items():
            found[cause] += seconds
    whole = sum(found.values())
    known = found[LATENCY] + found[BANDWIDTH]
    return {cause: seconds / whole for cause, seconds in found.items()} if whole and known else {}


def _one(calls: Moved, rates: StorageRates) -> dict[str, float]:
    direction = _DIRECTIONS.get(calls.operation, "")
    latency = rates.latency(direction)
    bandwidth = rates.bandwidth(direction, callers=1) if direction else None
    if latency is None or not bandwidth:
        return {BEYOND: calls.seconds}
    return by_model(calls, latency, bandwidth)


def by_model(calls: Moved, latency: float, bandwidth: float) -> dict[str, float]:
    """Seconds by cause, with the latency of one call in seconds and the bytes per second of one caller."""
    waited = min(calls.seconds, calls.calls * latency)
    moving = min(calls.seconds - waited, calls.calls * calls.each / bandwidth)
    return {LATENCY: waited, BANDWIDTH: moving, BEYOND: calls.seconds - waited - moving}


def bytes_of_calls(samples: polars.DataFrame, window: Window) -> Mapping[tuple[str, str], float]:
    """By path class and operation: mean bytes of a call in the window, over the engine's processes on all nodes."""
    sums: dict[tuple[str, str, str], float] = {}
    for (_, name), counter in spread.of_nodes(samples, "fileops.").items():
        _, *rest = name.split(".")
        if len(rest) == 3 and rest[2] in {"bytes", "count"} and rest[1] in _DIRECTIONS:
            key = (rest[0], rest[1], rest[2])
            sums[key] = sums.get(key, 0.0) + _grown(counter, window)
    return {
        (path_class, operation): total / count
        for (path_class, operation, what), total in sums.items()
        if what == "bytes" and (count := sums.get((path_class, operation, "count"), 0.0))
    }


def _grown(counter: Counter, window: Window) -> float:
    begin, end = np.interp([window.begin, window.end], counter.times, counter.values)
    return float(end - begin)
