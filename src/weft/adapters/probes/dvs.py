"""Counters of Cray's Data Virtualization Service (DVS), which forwards file systems to compute nodes: of this machine, every second.

DVS counts requests and failures by operation and mount, and the longest one. It has no sum of their times and no bytes,
so that no mean can be derived. Lines as in DVS 2.7: `RQ_OPEN: ok errors served-ok served-errors last-s longest-s` for
requests to servers, `open: ok errors last-s longest-s` for calls of programs, `NAME: value ...` for others.
"""

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from weft.adapters.probes.base import Probe, Read, Source
from weft.layout.plan import Layout
from weft.record.record import write_json
from weft.record.samples import Measure, Sample

ROOTS = (Path("/proc/fs/dvs/mounts"), Path("/proc/fs/dvs/mount"))
"""Where DVS shows its mounts: one folder each, with `mount` and `stats`. The name differs between versions."""
HOST = "host"
"""The node name of readings of the whole machine."""

_LINE = re.compile(r"^(\w+): (\d+) (\d+)(?: (\d+) (\d+))? \d+\.\d+ (\d+\.\d+)$")
_PLACE = re.compile(r"^local-mount (\S+)", re.MULTILINE)
_BLIND = "times other than the longest, bytes, what the caches of the client answered; other users of the same machine count too"


@dataclass(frozen=True)
class Count:
    """One operation of one mount since it was mounted."""

    requests: bool
    """Whether it counts requests to the servers of DVS, not calls of programs."""
    ok: int
    errors: int
    longest: float
    """Seconds."""


class DvsProbe(Probe):
    """Reads files that every user may read."""

    name: ClassVar[str] = "dvs"
    sources: ClassVar[Mapping[str, Source]] = dict.fromkeys(
        ("dvs.count", "dvs.errors"), Source("", "stats of each mount of Cray DVS on this machine", _BLIND)
    )

    def missing(self, layout: Layout) -> str | None:
        if any(node.host for node in layout.all_nodes):
            return "it reads the DVS mounts of the machine that runs weft, but the nodes are on other hosts"
        return None if mounts() else "this machine has no file system of Cray DVS"

    @contextmanager
    def watch(self, layout: Layout) -> Iterator[Read]:
        first = mounts()
        try:
            with self.polled(layout, lambda: readings(mounts())) as read:
                yield read
        finally:
            write_json(layout.record / "dvs.json", grown(first, mounts()))


def mounts() -> dict[str, dict[str, Count]]:
    """By directory that DVS mounts: its counters by operation."""
    found = {}
    for folder in sorted(path for root in ROOTS for path in root.glob("*") if path.is_dir()):
        counters = parse(_text(folder / "stats"))
        place = _PLACE.search(_text(folder / "mount"))
        if counters:
            found[place[1] if place else folder.name] = counters
    return found


def parse(text: str) -> dict[str, Count]:
    """The operations of a file `stats`; other lines are left out."""
    found = {}
    for match in filter(None, map(_LINE.match, text.splitlines())):
        name, ok, errors, served, _, longest = match.groups()
        found[name] = Count(served is not None, int(ok), int(errors), float(longest))
    return found


def readings(found: Mapping[str, Mapping[str, Count]]) -> list[Sample]:
    """Counters that are not 0 as samples."""
    now = time.time()
    return [
        Measure(f"dvs.{what}", "", place, name).at(now, HOST, "", float(value))
        for place, counters in found.items()
        for name, count in counters.items()
        for what, value in (("count", count.ok), ("errors", count.errors))
        if value
    ]


def grown(
    first: Mapping[str, Mapping[str, Count]], last: Mapping[str, Mapping[str, Count]]
) -> dict[str, Any]:
    """By mount and operation: what was counted between two readings, and the longest since the mount."""
    found: dict[str, Any] = {}
    for place, counters in last.items():
        grown = found.setdefault(place, {})
        for name, count in counters.items():
            before = first.get(place, {}).get(name) or Count(count.requests, 0, 0, 0)
            ok, errors = count.ok - before.ok, count.errors - before.errors
            if ok or errors:
                grown[name] = {**vars(count), "ok": ok, "errors": errors}
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:  # unmounted meanwhile
        return ""
