"""A run against what its machine can do: gauges, the split of data calls, and which calibration both are of."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars

from weft.model import datatime, gauges
from weft.model.attribution import Part
from weft.model.calibration import LimitedLink
from weft.model.datatime import Moved
from weft.model.evidence import Window
from weft.model.filetime import NAMES
from weft.model.fitting import Used
from weft.model.tasktime import NETWORK
from weft.report.blocks import Gauges
from weft.report.phrases import percent
from weft.report.timeparts import Explanation, Limit
from weft.text.units import show_size

FULL = 0.8
"""Share of a ceiling from which on it, and not the latency of each call, is what is waited for."""
_ROLES = {name: role for role, name in NAMES.items()}


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

    def split(self, part: Part) -> dict[str, float]:
        """Slot-seconds of a data part and of the network by cause; empty for other parts and without a calibration."""
        if part.name == NETWORK:
            return self.wire(part.seconds)
        kind, _, files = part.name.partition(": ")
        role = _ROLES.get(files, files)
        rates = self.used.storage(role)
        if kind != "data" or rates is None:
            return {}
        moved = [
            Moved(each.name, each.seconds, each.calls, (self.sizes or {}).get((role, each.name), 0.0))
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
            return f"No ceilings: {refused}." if refused else ""
        date = time.strftime("%Y-%m-%d %H:%M", time.localtime(found.created))
        about = f"Ceilings by the calibration of {found.machine}, {date}"
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
    found = [
        Limit(name=one.name, unit=one.unit, observed=one.observed, ceiling=one.ceiling, share=one.share,
              peak=one.peak, parts=tuple(one.parts), service=one.service, note=one.note)
        for one in gauges.gauges(samples, window, cores, used, tasks["begin"].drop_nulls().to_numpy())
    ]  # fmt: skip
    return Ceilings(used, found, datatime.bytes_of_calls(samples, window), _fetched(tasks))


def _fetched(tasks: polars.DataFrame) -> tuple[float, float] | None:
    blocks, size = (tasks[name] for name in ("remote_blocks", "remote_bytes"))
    return (float(blocks.sum()), float(size.sum())) if blocks.count() and size.count() else None


def at(limit: Limit | None) -> str:
    """For a sentence about a part: `, the server at 69 % of its rate`."""
    return f", {limit.service} at {percent(limit.share)} of its rate" if limit and limit.service else ""


def advice(limit: Limit | None) -> tuple[str, ...]:
    """What its gauge means for a part that is waited for."""
    if limit is None or not limit.service:
        return ()
    if limit.share >= FULL:
        return (
            f"fewer calls or a faster service: {limit.service} is near its limit, so more at a time gain nothing",
        )
    room = f"{limit.service} is at {percent(limit.share)} of its rate"
    return (f"more slots, or fewer calls: {room}, so the latency of each call is waited for",)


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
