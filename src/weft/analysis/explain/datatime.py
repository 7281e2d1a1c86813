"""Time in data calls split by the calibrated model of a storage: t = latency + bytes / bandwidth, for a single caller.

What calls took beyond that is waiting: for other callers of the same storage, or for a processor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars

from weft.analysis.explain import spread
from weft.analysis.explain.evidence import Window
from weft.analysis.read.calibration import StorageRates
from weft.analysis.read.sums import sums

LATENCY, BANDWIDTH, BEYOND = "latency", "bandwidth", "beyond both"
_DIRECTIONS = ("read", "write")


@dataclass(frozen=True)
class Moved:
    """Data calls of one kind on one class of paths: seconds inside, how many, and bytes of one on average."""

    operation: str
    seconds: float
    calls: float
    each: float


def split(moved: Sequence[Moved], rates: StorageRates) -> dict[str, float]:
    """Shares of the time by cause, which sum to 1; empty where nothing was measured of such calls."""
    nothing = {LATENCY: 0.0, BANDWIDTH: 0.0, BEYOND: 0.0}
    found = sums(
        item for each in (nothing, *(_one(calls, rates) for calls in moved)) for item in each.items()
    )
    whole = sum(found.values())
    known = found[LATENCY] + found[BANDWIDTH]
    return {cause: seconds / whole for cause, seconds in found.items()} if whole and known else {}


def _one(calls: Moved, rates: StorageRates) -> dict[str, float]:
    latency = rates.latency(calls.operation)
    bandwidth = rates.bandwidth(calls.operation, callers=1)
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
    grown = sums(
        (measure, counter.grown(window.begin, window.end))
        for (_, measure), counter in spread.of_nodes(samples, "fileops.").items()
    )
    return {
        (measure.path_class, measure.operation): size / count
        for measure, size in grown.items()
        if measure.counter == "fileops.bytes"
        and measure.operation in _DIRECTIONS
        and (count := grown.get(measure._replace(counter="fileops.count"), 0.0))
    }
