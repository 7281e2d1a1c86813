"""Lustre's own counters, every second: of an emulated file system, or of this machine's Lustre client.

Both have the formats of `llite.*.stats` and `mdc.*.stats`. They exclude what Lustre answers from its caches.
"""

import json
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from weft.adapters.probes.base import Probe, Read, Source, add_sources
from weft.errors import WeftError
from weft.host import shell
from weft.layout.plan import Layout
from weft.record.record import write_json
from weft.record.samples import Measure, Sample

_SETTLED = 0.3
"""Seconds after which latencyfs has written all its counts: it writes five times per second."""

HOST = "host"
"""The node name of readings of the whole machine, and the role of a real mount."""

_REAL = ("/proc/fs/lustre", "/sys/kernel/debug/lustre")
_BLIND = "operations answered by the client's caches; clean-up after the last program"
_LINE = re.compile(r"(\w+)\s+(\d+) samples \[(\w+)\](?: (\d+) (\d+) (\d+))?")


@dataclass(frozen=True)
class CounterFile:
    """One file of counters."""

    role: str
    node: str
    layer: str
    """llite: operations requested from the client; mdc: requests to the metadata server."""
    text: str


class LustreProbe(Probe):
    """Reads files; needs no privilege for an emulated file system; for a real one it depends on the site."""

    name: ClassVar[str] = "lustre"

    def missing(self, layout: Layout) -> str | None:
        if _counters(layout):
            return None
        if any(node.host for node in layout.all_nodes):
            return (
                "it reads the Lustre client of the machine that runs weft, but the nodes are on other hosts"
            )
        if real():
            return None
        return "no storage of this run has Lustre's counters, and this machine has no readable Lustre client"

    @contextmanager
    def watch(self, layout: Layout) -> Iterator[Read]:
        try:
            with self.polled(layout, lambda: readings(tables(layout)), _SETTLED) as read:
                yield read
        finally:
            _keep(layout)


def _keep(layout: Layout) -> None:
    """The sources of the last readings, and the files themselves."""
    last = tables(layout)
    add_sources(layout.record, {each.counter: _source(each.counter) for each in readings(last)})
    for role in dict.fromkeys(table.role for table in last):
        write_json(layout.record / "lustre" / f"{role}.json", _summed(role, last, layout))
    for role, folder in _counters(layout).items():
        kept = layout.record / "lustre" / role
        kept.mkdir(parents=True, exist_ok=True)
        for file in sorted(folder.glob("[!.]*")):
            (kept / file.name).write_text(_text(file), encoding="utf-8")


def _counters(layout: Layout) -> dict[str, Path]:
    """By role: the directory of its storage's counters."""
    name = LustreProbe.name
    return {
        role: Path(place.observed[name])
        for role, place in layout.all_places.items()
        if name in place.observed
    }


def _summed(role: str, last: list[CounterFile], layout: Layout) -> dict[str, Any]:
    clients: dict[str, dict[str, Any]] = {}
    for table in last:
        if table.role == role:
            clients.setdefault(table.node, {})[table.layer] = parse(table.text)
    place = layout.all_places.get(role)
    faults = _counters(layout)[role] / "faults.json" if place else None
    return {
        "emulated": place.emulated if place else "",
        "clients": clients,
        "faults": json.loads(faults.read_text(encoding="utf-8")) if faults and faults.exists() else {},
    }


def tables(layout: Layout) -> list[CounterFile]:
    """The current contents of all counter files."""
    found = []
    nodes = {node.name for node in layout.all_nodes}
    for role, folder in _counters(layout).items():
        for path in sorted(folder.glob("*.stats")):
            layer, _, name = path.stem.partition(".")
            node = name if name in nodes else HOST
            found.append(CounterFile(role, node, layer, _text(path)))
    return [*found, *real()]


def real() -> list[CounterFile]:
    """Counters of this machine's own Lustre client: from files if they are readable, otherwise from lctl."""
    paths = [
        path for base in _REAL for layer in ("llite", "mdc") for path in Path(base).glob(f"{layer}/*/stats")
    ]
    found = [
        CounterFile(HOST, HOST, path.parent.parent.name, text) for path in paths if (text := _text(path))
    ]
    if found or not (program := shutil.which("lctl")):
        return found
    try:
        return of_lctl(shell.run([program, "get_param", "llite.*.stats", "mdc.*.stats"]).out)
    except WeftError:
        return []


def of_lctl(text: str) -> list[CounterFile]:
    """The output of `lctl get_param`: a line `llite.NAME.stats=`, then the file."""
    pieces = re.split(r"^(llite|mdc)\.\S+\.stats=\n?", text, flags=re.MULTILINE)[1:]
    return [
        CounterFile(HOST, HOST, layer, body) for layer, body in zip(pieces[::2], pieces[1::2], strict=True)
    ]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:  # it is being replaced, or not readable
        return ""


def parse(text: str) -> dict[str, dict[str, Any]]:
    """By counter: count, unit, and the sum if the file has one."""
    return {
        match[1]: {"count": int(match[2]), "unit": match[3], "sum": int(match[6] or 0)}
        for match in map(_LINE.match, text.splitlines())
        if match
    }


def readings(found: list[CounterFile]) -> list[Sample]:
    """Counters as samples; clients of one node add up."""
    now = time.time()
    sums: dict[tuple[str, Measure], float] = {}
    for table in found:
        for name, values in parse(table.text).items():
            for kind, value in _values(values).items():
                key = (table.node, Measure(f"lustre.{table.layer}.{kind}", "", table.role, name))
                sums[key] = sums.get(key, 0.0) + value
    return [measure.at(now, node, "", value) for (node, measure), value in sums.items()]


def _values(values: Mapping[str, Any]) -> dict[str, float]:
    count = {"count": float(values["count"])}
    match values["unit"]:
        case "bytes":
            return {**count, "bytes": float(values["sum"])}
        case "usec" | "usecs":
            return {**count, "seconds": values["sum"] / 1e6}
    return count


def _source(counter: str) -> Source:
    _, layer, kind = counter.split(".")
    unit = {"bytes": "B", "seconds": "s"}.get(kind, "")
    whose = f"latencyfs (emulated) below a role of storage; of {HOST}, this machine's Lustre client"
    return Source(unit, f"{layer}.*.stats of {whose}", _BLIND)
