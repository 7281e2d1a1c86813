"""CPU, memory, disk, network and pressure, per node and process and second, from /proc and control groups."""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from weft.adapters.probes.base import Probe, Read, Source
from weft.adapters.probes.processes import SHARED, Owners
from weft.adapters.probes.samplers import can_sample, samplers
from weft.layout.node import Node
from weft.layout.plan import Layout
from weft.record.samples import Sample

INTERVAL = 1.0
"""Seconds between readings."""

_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_READINGS = 3
"""Attempts to read all processes for one reading, if some always end meanwhile."""

_DEAD = "processes that lived less than a second"
SOURCES = {
    "cpu_user": Source(
        "s", "/proc/PID/stat utime, or the node's control group", _DEAD + " outside control groups"
    ),
    "cpu_system": Source(
        "s", "/proc/PID/stat stime, or the node's control group", _DEAD + " outside control groups"
    ),
    "memory": Source(
        "B",
        "/proc/PID/statm resident, or the node's control group (with page cache)",
        "pages shared by processes count in each",
    ),
    "disk_read": Source("B", "/proc/PID/io read_bytes", _DEAD + "; reads that the page cache answered"),
    "disk_write": Source(
        "B",
        "/proc/PID/io write_bytes",
        _DEAD + "; counts pages made dirty, also of files deleted before write-back",
    ),
    "read_calls": Source("B", "/proc/PID/io rchar", _DEAD + "; mapped files"),
    "write_calls": Source("B", "/proc/PID/io wchar", _DEAD + "; mapped files"),
    "net_receive": Source(
        "B",
        "/proc/PID/net/dev of the node's own namespace; lo of the host for local nodes, all but lo for other hosts",
        "traffic inside one node",
    ),
    "net_send": Source(
        "B",
        "/proc/PID/net/dev of the node's own namespace; lo of the host for local nodes, all but lo for other hosts",
        "traffic inside one node",
    ),
    "storage_receive": Source(
        "B", "/proc/PID/net/dev of the node's own namespace, the interface of its network for storage", ""
    ),
    "storage_send": Source(
        "B", "/proc/PID/net/dev of the node's own namespace, the interface of its network for storage", ""
    ),
    "iowait": Source("s", "/proc/stat, whole machine", "which node waited"),
    "idle": Source("s", "/proc/stat, whole machine", ""),
    "steal": Source("s", "/proc/stat, whole machine", ""),
    "pressure_cpu": Source("s", "/proc/pressure/cpu some, whole machine", ""),
    "pressure_io": Source("s", "/proc/pressure/io some, whole machine", ""),
    "pressure_memory": Source("s", "/proc/pressure/memory some, whole machine", ""),
}

_FOLDED = ("disk_read", "disk_write", "read_calls", "write_calls")
"""Counters that the kernel adds to the parent's when it waits for a process that has ended."""

HOST = SHARED
"""The node name of readings of the whole machine."""


class ProcProbe(Probe):
    """Reads /proc once a second from weft's own process, or one on each other host; needs no privilege."""

    name: ClassVar[str] = "proc"
    joins: ClassVar[bool] = True
    sources: ClassVar[Mapping[str, Source]] = SOURCES

    def missing(self, layout: Layout) -> str | None:
        if not Path("/proc/self/io").exists():
            return "/proc/PID/io does not exist in this kernel"
        return can_sample(layout)

    @contextmanager
    def watch(self, layout: Layout) -> Iterator[Read]:
        here = {node.name: node for node in layout.all_nodes if not node.host}
        reader = Reader(here, layout.marks)
        with (
            self.polled(layout, lambda: reader.read() if here else ()) as read,
            samplers(layout, self.name),
        ):
            yield read


@dataclass
class Reader:
    """Maps processes to nodes, and keeps the counters of processes that have ended."""

    nodes: dict[str, Node]
    leases: str
    machine: str = HOST
    """The node name for readings of the whole machine."""
    blind: frozenset[int] = frozenset()
    """Processes to ignore: the reader's own."""
    last: dict[int, dict[str, float]] = field(default_factory=dict)
    parents: dict[int, int] = field(default_factory=dict)
    gone: dict[str, dict[str, float]] = field(default_factory=dict)
    owners: Owners = field(init=False)

    def __post_init__(self) -> None:
        self.owners = Owners(self.leases)

    def read(self) -> list[Sample]:
        """The current values of all counters."""
        now = time.time()
        shared = self.machine not in self.nodes
        found = [
            Sample(now, self.machine, "", name, value)
            for name, value in _host().items()
            if shared or not name.startswith("cpu_")  # those of a node are summed below
        ]
        live = self._live()
        for pid, owner, process, counters in live:
            self.last[pid] = counters
            found += [Sample(now, owner, f"{process}/{pid}", name, value) for name, value in counters.items()]
        # before summing, otherwise a sum decreases for one reading when a process ends
        self._bury({pid for pid, *_ in live})
        sums: dict[str, dict[str, float]] = {name: dict(self.gone.get(name, {})) for name in self.nodes}
        for _, owner, _, counters in live:
            if owner in sums:
                _add(sums[owner], counters)
        for name, node in self.nodes.items():
            sums[name].update(_group(node))
            sums[name].update(_network(node))
            found += [Sample(now, name, "", counter, value) for counter, value in sums[name].items()]
        return found

    def _live(self) -> list[tuple[int, str, str, dict[str, float]]]:
        """PID, node, name and counters of every process, consistent enough for sums.

        If one ended meanwhile, its counters may or may not be in its parent's: all processes are read again.
        """
        # what belongs to the run and to no node, such as latencyfs, is the machine's: rows, and in no node's sum
        known = {*self.nodes, self.machine}
        for _ in range(_READINGS):
            found, ended = [], False
            for pid, (owner, process) in self.owners.live(self.last):
                if owner not in known or pid in self.blind:
                    continue
                if (read := _process(pid)) is None:
                    ended = ended or not Path(f"/proc/{pid}").exists()
                    continue
                self.parents[pid], counters = read
                found.append((pid, owner, process, counters))
            if not ended and all(Path(f"/proc/{pid}").exists() for pid, *_ in found):
                break
        return found

    def _bury(self, alive: set[int]) -> None:
        for pid in self.last.keys() - alive:
            owner = self.owners.known.pop(pid, None)
            counters = self.last.pop(pid)
            counters.pop("memory", None)
            if self._waited_for(pid, alive):
                counters = {name: value for name, value in counters.items() if name not in _FOLDED}
            if owner:
                _add(self.gone.setdefault(owner[0], {}), counters)
        self.parents = {pid: parent for pid, parent in self.parents.items() if pid in alive}

    def _waited_for(self, pid: int, alive: set[int]) -> bool:
        """Whether an ancestor that is read as well is alive, whose counters include those of ended children."""
        while (pid := self.parents.get(pid, 0)) and pid not in alive:
            pass
        return pid in alive


def _add(total: dict[str, float], more: dict[str, float]) -> None:
    for name, value in more.items():
        total[name] = total.get(name, 0.0) + value


def _process(pid: int) -> tuple[int, dict[str, float]] | None:
    """The parent's pid, and the counters."""
    try:
        # a name is cut after 15 bytes, which may be in the middle of a letter
        stat = (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        )
        io = dict(
            line.split(": ") for line in Path(f"/proc/{pid}/io").read_text(encoding="utf-8").splitlines()
        )
    except (OSError, ValueError):
        return None
    return int(stat[1]), {
        "cpu_user": int(stat[11]) / _TICK,
        "cpu_system": int(stat[12]) / _TICK,
        "memory": float(int(stat[21]) * _PAGE),
        "disk_read": float(io["read_bytes"]),
        "disk_write": float(io["write_bytes"]),
        "read_calls": float(io["rchar"]),
        "write_calls": float(io["wchar"]),
    }


def _host() -> dict[str, float]:
    cpu = Path("/proc/stat").read_text(encoding="utf-8").split("\n", 1)[0].split()
    found = {
        "cpu_user": (int(cpu[1]) + int(cpu[2])) / _TICK,
        "cpu_system": int(cpu[3]) / _TICK,
        "idle": int(cpu[4]) / _TICK,
        "iowait": int(cpu[5]) / _TICK,
        "steal": int(cpu[8]) / _TICK,
    }
    for resource in ("cpu", "io", "memory"):
        try:
            some = Path(f"/proc/pressure/{resource}").read_text(encoding="utf-8").split("\n", 1)[0]
        except OSError:
            continue
        found[f"pressure_{resource}"] = int(some.rpartition("total=")[2]) / 1e6
    return found


def _group(node: Node) -> dict[str, float]:
    """The usage of a node in its control groups: version 1 files, then version 2 files."""
    found: dict[str, float] = {}
    for group in node.cgroups:
        for file, counter, unit in (
            ("cpuacct.usage_user", "cpu_user", 1e-9),
            ("cpuacct.usage_sys", "cpu_system", 1e-9),
            ("memory.usage_in_bytes", "memory", 1.0),
            ("memory.current", "memory", 1.0),
        ):
            if (path := group / file).exists():
                found[counter] = int(path.read_text(encoding="utf-8")) * unit
        if (path := group / "cpu.stat").exists():
            lines = dict(line.split() for line in path.read_text(encoding="utf-8").splitlines())
            if "user_usec" in lines:
                found |= {
                    "cpu_user": int(lines["user_usec"]) * 1e-6,
                    "cpu_system": int(lines["system_usec"]) * 1e-6,
                }
    return found


def _network(node: Node) -> dict[str, float]:
    """Bytes of a node's own interfaces; none where nodes share the host's network."""
    if node.network_pid is None:
        return {}
    try:
        lines = Path(f"/proc/{node.network_pid}/net/dev").read_text(encoding="utf-8").splitlines()[2:]
    except OSError:
        return {}
    fields = {line.split(":")[0].strip(): line.split(":")[1].split() for line in lines}
    apart = node.storage.interface if node.storage else None
    own = [values for name, values in fields.items() if name not in {"lo", apart}]
    found = {
        "net_receive": float(sum(int(v[0]) for v in own)),
        "net_send": float(sum(int(v[8]) for v in own)),
    }
    if apart in fields:
        found |= {"storage_receive": float(fields[apart][0]), "storage_send": float(fields[apart][8])}
    return found
