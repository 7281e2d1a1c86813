"""A run against what its machine can do: gauges, the split of data calls, and which calibration both are of."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars

from weft.analysis.explain import datatime, gauges
from weft.analysis.explain.datatime import Moved
from weft.analysis.explain.evidence import Window
from weft.analysis.explain.fitting import Used
from weft.analysis.explain.tasktime import NETWORK
from weft.analysis.explain.timeparts import Limit, TimePart
from weft.analysis.read.calibration import LimitedLink
from weft.text.numbers import percent

FULL = 0.8
"""Share of a ceiling from which on it, and not the latency of each call, is what is waited for."""


@dataclass(frozen=True)
class Ceilings:
    """What a run is compared with, and how it compares."""

    used: Used
    gauges: Sequence[Limit] = ()
    sizes: Mapping[tuple[str, str], float] | None = None
    """By path class and operation: mean bytes of a call."""
    fetched: tuple[float, float] | None = None
    """Blocks and bytes that tasks fetched from other executors; None where the engine does not report it."""

    def of_part(self, part: str) -> Limit | None:
        """The gauge of a part of the slot time that is nearest to its ceiling."""
        return max((one for one in self.gauges if part in one.parts), key=lambda one: one.share, default=None)

    def split(self, part: TimePart) -> dict[str, float]:
        """Slot-seconds of a data part and of the network by cause; empty for other parts and without a calibration."""
        if part.name == NETWORK:
            return self.wire(part.seconds)
        on = part.on
        rates = self.used.storage(on.files) if on else None
        if on is None or on.kind != "data" or rates is None:
            return {}
        moved = [
            Moved(each.name, each.seconds, each.calls, (self.sizes or {}).get((on.files, each.name), 0.0))
            for each in part.operations
        ]
        return {cause: share * part.seconds for cause, share in datatime.split(moved, rates).items()}

    def wire(self, seconds: float) -> dict[str, float]:
        """What the network alone must take for the blocks that were fetched; the rest was their servers and queues."""
        links = self.used.calibration.links if self.used.calibration else ()
        if not links or self.fetched is None:
            return {}
        blocks, size = self.fetched
        moved = Moved("fetch", seconds, blocks, size / blocks if blocks else 0.0)
        return datatime.by_model(
            moved, max(one.round_trip.value for one in links), min(one.bandwidth.value for one in links)
        )

    @property
    def sentence(self) -> str:
        """Which calibration it is, and what has no ceiling."""
        refused = "; ".join(self.used.refused.values())
        found = self.used.calibration
        if found is None:
            return f"No measured peaks: {refused}." if refused else ""
        date = time.strftime("%Y-%m-%d %H:%M", time.localtime(found.created))
        about = f"Measured peaks by the calibration of {found.machine}, {date}"
        links = f" Links of {found.rates[0].rate}: {_arrived(found.rates)}." if found.rates else ""
        return about + (f"; {refused}." if refused else ".") + links


def _arrived(rows: Sequence[LimitedLink]) -> str:
    """What the calibration found of the run's own rate, so that a reader sees that it was held."""
    each = (
        f"{row.share:.1%} with {row.connections} connection{'s' if row.connections > 1 else ''}"
        for row in rows
    )
    return f"measured were {' and '.join(each)}"


def ceilings(
    samples: polars.DataFrame, tasks: polars.DataFrame, window: Window, cores: Mapping[str, int], used: Used
) -> Ceilings:
    """A run's gauges."""
    launches = tasks["begin"].drop_nulls().to_numpy()
    found = gauges.gauges(samples, window, cores, used, launches)
    return Ceilings(used, found, datatime.bytes_of_calls(samples, window), _fetched(tasks))


def _fetched(tasks: polars.DataFrame) -> tuple[float, float] | None:
    blocks, size = (tasks[name] for name in ("remote_blocks", "remote_bytes"))
    return (float(blocks.sum()), float(size.sum())) if blocks.count() and size.count() else None


def at(limit: Limit | None) -> str:
    """For a sentence about a part: `, the server at 69 % of its rate`."""
    return f", {limit.service} at {percent(limit.share)} of its rate" if limit and limit.service else ""


def full(limit: Limit | None) -> bool | None:
    """Whether a service is near its ceiling; None where that is not known."""
    return limit.share >= FULL if limit and limit.service else None


_DONE = {gauges.BYTES: "bytes", gauges.TASKS: "tasks"}


def advice(limit: Limit | None) -> tuple[str, ...]:
    """What its gauge means for a part that is waited for."""
    if limit is None or not limit.service:
        return ()
    if full(limit):
        fewer = f"fewer {_DONE.get(limit.unit, 'calls')} or a faster service"
        return (f"{fewer}: {limit.service} is near its limit, so more at a time gain nothing",)
    room = f"{limit.service} is at {percent(limit.share)} of its rate"
    if limit.unit == gauges.TASKS:
        return (f"{room}, so the start of each task is waited for",)
    return (f"more slots, or fewer calls: {room}, so the latency of each call is waited for",)
