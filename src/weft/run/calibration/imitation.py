"""A profile of latencyfs from a calibration: a storage that was measured is emulated where there is none.

A call that was measured has all requests that a client sends for it, and the way through the kernel to a FUSE daemon, which
`delayed` goes as well: what `delayed:zero` takes is therefore left out.
"""

import datetime
from pathlib import Path

from weft.analysis.read.calibration import FileOperation, StorageRates
from weft.errors import UsageError
from weft.facts.io500 import profile
from weft.facts.io500.kinds import Figure

INSTRUMENT = "delayed:zero"
"""The storage that says what latencyfs itself takes."""
_DIRTY = 64 << 20
"""Bytes that a client holds back, where writes are faster than a request: no measurement says how many."""
_LEAST_TRIP = 1e-6
"""Seconds: less is no request."""
_BLOCK = 4096


def write(path: Path, found: StorageRates, instrument: StorageRates) -> None:
    """Write the profile; it is named like its file."""
    path.write_text(text(path.stem, found, instrument), encoding="utf-8")


def text(name: str, found: StorageRates, instrument: StorageRates) -> str:
    """As a file for `--scratch delayed:FILE`. Raises UsageError for a storage of which file operations were not measured."""
    when = datetime.datetime.fromtimestamp(found.created, datetime.UTC)
    summary = f"{found.storage}, calibrated on {when:%Y-%m-%d} by {found.nodes} node(s)"
    return profile.text(name, summary, values(found, instrument))


def values(found: StorageRates, instrument: StorageRates) -> profile.Values:
    """By key of a profile: its value, with what it was measured by."""
    measured = _Beyond(found, instrument)
    return {
        "metadata.servers": Figure(1, "assumption: one queue; the measured rate is of all servers together"),
        "metadata.rate": Figure(round(measured.rate), measured.source("create", "the most per second")),
        "metadata.round_trip_us": Figure(round(measured.trip * 1e6, 1), measured.source("lookup", "alone")),
        **measured.operations(),
        **measured.data(),
        "client.intents": Figure(True, "the measured calls have the lookup before them"),
    }


class _Beyond:
    """What a calibration says of one storage, less what the instrument takes."""

    def __init__(self, found: StorageRates, instrument: StorageRates) -> None:
        self.found, self.instrument = found, instrument
        rate = found.per_second("create")
        if not rate or not found.rates("lookup"):
            raise UsageError(
                f"the calibration of {found.storage} has no file operations",
                hint="measure it again: weft calibrate --scratch STORAGE --profile FILE",
            )
        self.rate = rate
        self.trip = max(self.alone("lookup"), _LEAST_TRIP)

    def alone(self, operation: FileOperation) -> float:
        """Seconds of one call without others.

        With more callers no call is shorter, so that the least mean at any number of them is the one that fewest disturbances reached.
        """
        whole, own = (
            min((row.latency for row in each.rates(operation)), default=0.0)
            for each in (self.found, self.instrument)
        )
        return max(whole - own, 0.0)

    def source(self, operation: str, how: str) -> str:
        return f"calibration of {self.found.storage}: {operation}, {how}, less what {INSTRUMENT} takes"

    def cost(self, operation: FileOperation, assumed: str = "") -> Figure:
        """Round trips and work of a call: its work is that of its highest rate, the rest of one call alone is the way."""
        peak = self.found.per_second(operation)
        work = min(self.rate / peak, self.alone(operation) * self.rate) if peak else 0.0
        trips = max(self.alone(operation) - work / self.rate, 0.0) / self.trip
        source = assumed or self.source(operation, "alone and the most per second")
        return Figure([_digits(trips), _digits(work)], source)

    def operations(self) -> dict[str, Figure]:
        created = self.cost("create", "assumption: an entry of a directory costs a create with its close")
        opened = self.cost("open", "assumption: as an open")
        removed = self.cost("unlink", "assumption: as an unlink")
        return {
            "op.create": self.cost("create"),
            "op.open": self.cost("open"),
            "op.close": Figure([0, 0], "the measured opens and creates have their close"),
            "op.lookup": self.cost("lookup"),
            "op.getattr": self.cost("stat"),
            "op.unlink": self.cost("unlink"),
            "op.rmdir": removed,
            **dict.fromkeys(("op.mkdir", "op.mknod", "op.symlink", "op.link", "op.rename"), created),
            **dict.fromkeys(("op.readdir", "op.truncate", "op.default"), opened),
            "op.fallocate": Figure([0, 0], "assumption: no metadata server is asked"),
        }

    def data(self) -> dict[str, Figure]:
        alone = self.found.bandwidth("read", callers=1) or 0.0
        bytes_alone = _BLOCK / alone if alone else 0.0
        trip = max(self.alone("read") - bytes_alone, 0.0)
        least = [self.found.bandwidth(way) or 0.0 for way in ("read", "write")]
        behind = self.alone("write") < self.alone("read") / 2
        return {
            "data.round_trip_us": Figure(
                round(trip * 1e6, 1), self.source("read of 4 KiB", "alone, less the time of its bytes")
            ),
            "data.shared_bandwidth": Figure(round(min(least)), self.source("large files", "all callers")),
            "data.client_bandwidth": Figure(
                round(alone), self.source("reading of a large file", "one caller")
            ),
            "client.dirty_bytes": Figure(
                _DIRTY if behind else 0,
                "assumption: writes are held back, for they take less than half of a read"
                if behind
                else "writes wait for an answer: they take more than half of a read",
            ),
        }


def _digits(value: float) -> float:
    return float(f"{value:.4g}")
