"""The activity of threads, by their purpose: CPU time, run-queue wait, blocking operations.

HotSpot gives threads their names, so /proc/PID/task distinguishes task threads from the collector, compilers and servers. Of Python
workers, all threads are of one kind.
"""

import json
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from weft.adapters.probes.base import Probe, Read, Source
from weft.adapters.probes.peers import Peers
from weft.adapters.probes.processes import Owners
from weft.adapters.probes.samplers import can_sample, samplers
from weft.adapters.probes.waits import ThreadWaits
from weft.adapters.probes.waits import read as _read
from weft.facts import peers
from weft.facts.threadkinds import FETCH, PYTHON_WORKER, called, kind, runs_tasks, titled
from weft.host import shell
from weft.host.ticking import every
from weft.layout.node import Node
from weft.layout.plan import Layout
from weft.record.samples import Measure, Sample

INTERVAL = 0.5
"""Seconds between readings."""
GLANCE = 0.05
"""Seconds between two samples of task threads: the operations in which they are blocked, and, since an engine may start a thread for
each task (Flink), their counters."""

_IDLE = frozenset({"network", "lock", "sleep"})
"""The operation of an idle server."""
_WAITING = frozenset({"", "lock", "sleep"})
"""The operation of a thread that has nothing to fetch."""
_RANK = {"running": 0, "network": 2}
"""Of threads that fetch for the same task, what one of them is in that gets on: the others may wait."""
_TICK = os.sysconf("SC_CLK_TCK")
_SHORT = f"threads that lived less than {INTERVAL:g} s; of a task's thread, its last {GLANCE * 1e3:.0f} ms"
_UNSEEN = "operations between two samples: an estimate, not a count"

SOURCES = {
    "threads.cpu": Source("s", "/proc/PID/task/TID/schedstat, first field", _SHORT),
    "threads.system": Source("s", "/proc/PID/task/TID/stat stime", _SHORT),
    "threads.wait": Source("s", "/proc/PID/task/TID/schedstat, second field: runnable, on no CPU", _SHORT),
    "threads.in": Source(
        "s",
        f"/proc/PID/task/TID/syscall, each {GLANCE * 1e3:.0f} ms; in calls on sockets and pipes by who is at the other end",
        f"{_UNSEEN}; peers outside of the run, and on other hosts",
    ),
}


class ThreadsProbe(Probe):
    """Reads /proc from weft's own process, or one on each other host; needs no privilege."""

    name: ClassVar[str] = "threads"
    joins: ClassVar[bool] = True
    sources: ClassVar[Mapping[str, Source]] = SOURCES

    def missing(self, layout: Layout) -> str | None:
        if not Path("/proc/self/schedstat").exists():
            return "/proc/PID/schedstat does not exist in this kernel"
        return can_sample(layout)

    @contextmanager
    def watch(self, layout: Layout) -> Iterator[Read]:
        here = {node.name: node for node in layout.all_nodes if not node.host}
        reader = ThreadReader(here, layout.marks, servers(layout))
        with (
            self.polled(layout, lambda: reader.read() if here else (), interval=INTERVAL) as read,
            samplers(layout, self.name, json.dumps(servers(layout))),
            every(GLANCE, reader.glance),
        ):
            yield read


def servers(layout: Layout) -> dict[str, str]:
    """By address of the nodes that run nothing but a service: the role of its daemons."""
    apart = {node.name for node in layout.servers}
    return {
        node.address: role
        for service, role in peers.SERVICES.items()
        if service in layout.services
        for node in layout.serving(service)
        if node.name in apart
    }


@dataclass
class Watched:
    """A JVM: the last reading of each live thread, and the sums of those that have ended."""

    node: str
    program: str
    process: str = ""
    """PROGRAM/PID, with the PID that it has in its own eyes, as the names of its logs have it; and /NAME where the engine has one."""
    threads: dict[int, tuple[str, Mapping[str, float]]] = field(default_factory=dict)
    gone: dict[Measure, float] = field(default_factory=dict)
    blocked: dict[Measure, float] = field(default_factory=dict)
    """Seconds by kind, sampled operation, and role of the peer."""
    written: dict[Measure, float] = field(default_factory=dict)
    others: frozenset[int] = frozenset()
    """Threads that the last reading of all found, and that run no tasks. A new one may not have its name yet."""
    reading: threading.Lock = field(default_factory=threading.Lock)

    def update(self, pid: int) -> None:
        """Read all threads."""
        with self.reading:
            before, self.threads = self.threads, _threads(pid, self.program, _tids(pid))
            self.others = frozenset(tid for tid, (name, _) in self.threads.items() if name != "task")
            for tid, (name, counters) in before.items():
                if tid not in self.threads:
                    _add(self.gone, name, counters)

    def follow(self, pid: int) -> None:
        """Read the threads of tasks again, and those that are new: one of a task may end before all are read the next time."""
        with self.reading:
            followed = [tid for tid in _tids(pid) if tid not in self.others]
            # a new dict: others may be going through the old one
            self.threads = {**self.threads, **_threads(pid, self.program, followed)}

    def totals(self) -> dict[Measure, float]:
        """Counters, over live and ended threads."""
        found = dict(self.gone)
        for name, counters in self.threads.values():
            _add(found, name, counters)
        return found | self.blocked.copy()

    def saw(self, kind: str, operation: str, seconds: float, peer: str = "") -> None:
        """A thread of this kind was in this operation for so long, with this role at the other end."""
        key = Measure("threads.in", kind, peer, operation)
        self.blocked[key] = self.blocked.get(key, 0.0) + seconds

    def of(self, *kinds: str) -> list[tuple[int, str]]:
        """The threads of these kinds, each with its own."""
        return [(tid, name) for tid, (name, _) in list(self.threads.items()) if name in kinds]


@dataclass
class ThreadReader:
    """Identifies the JVMs and Python workers of a run by their marks; a value that has not changed is not written again."""

    nodes: Mapping[str, Node]
    leases: str
    servers: Mapping[str, str] = field(default_factory=dict)
    """As the function of this name."""
    jvms: dict[tuple[int, str], Watched] = field(default_factory=dict)
    """By PID and program: until its exec, a process that a JVM starts looks like that JVM."""
    live: Sequence[tuple[int, Watched]] = ()
    """Of them, those that the last reading found alive, with their PIDs."""
    processes: Mapping[int, str] = field(default_factory=dict)
    """All live processes of the run, each with the address of its node."""
    owners: Owners = field(init=False)
    waits: ThreadWaits = field(init=False)
    last: float = 0.0

    def __post_init__(self) -> None:
        self.owners = Owners(self.leases)
        self.waits = ThreadWaits(Peers(lambda: self.processes, self.servers), os.uname().machine)

    def read(self) -> list[Sample]:
        """All counters that have changed, of each JVM and of each node."""
        now = time.time()
        owned = [(pid, node) for pid, (node, _) in self.owners.live() if node in self.nodes]
        self.processes = {pid: self.nodes[node].address for pid, node in owned}
        self.live = [(pid, jvm) for pid, node in owned if (jvm := self._jvm(pid, node))]
        for pid, jvm in self.live:
            jvm.update(pid)
        found: list[Sample] = []
        sums: dict[str, dict[Measure, float]] = {name: {} for name in self.nodes}
        for jvm in self.jvms.values():
            totals = jvm.totals()
            for counter, value in totals.items():
                sums[jvm.node][counter] = sums[jvm.node].get(counter, 0.0) + value
                if jvm.written.get(counter) != value:
                    found.append(counter.at(now, jvm.node, jvm.process, value))
            jvm.written = totals
        return found + [
            counter.at(now, name, "", value)
            for name, total in sums.items()
            for counter, value in total.items()
        ]

    def _jvm(self, pid: int, node: str) -> Watched | None:
        try:
            program = _program(pid)
            if program and (pid, program) not in self.jvms:
                self.jvms[pid, program] = Watched(node, program, _process(pid, program))
        except OSError:
            return None
        return self.jvms.get((pid, program))

    def glance(self) -> None:
        """Sample the operation of each task thread and server, for the time since the last sample."""
        now = time.monotonic()
        passed, self.last = now - self.last, now
        if passed > 1:  # the first sample, or weft itself was delayed: that time was not sampled
            return
        for pid, jvm in self.live:
            if runs_tasks(jvm.program):
                jvm.follow(pid)
                for tid, name in jvm.of("task", "server"):
                    what, peer = self.waits.of(pid, tid)
                    if what and not (name == "server" and what in _IDLE):
                        jvm.saw(name, what, passed, peer)
                fetching = {self.waits.of(pid, tid)[0] for tid, _ in jvm.of(FETCH)} - _WAITING
                if fetching:  # several fetch at once, and the task waits for all of them
                    jvm.saw(FETCH, min(fetching, key=lambda what: _RANK.get(what, 1)), passed)


def _program(pid: int) -> str:
    """Of a JVM its main class, of a Python worker what all of them are called or what it calls itself; empty for others. Raises OSError."""
    program = Path(f"/proc/{pid}/exe").readlink().name
    if program == "java":
        return shell.title(pid)
    if not program.startswith("python"):
        return ""
    own = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip()
    if titled(own):
        return own
    words = Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace").split("\0")
    return PYTHON_WORKER if peers.role(words, "") == peers.PYTHON else ""


def _add(total: dict[Measure, float], name: str, counters: Mapping[str, float]) -> None:
    for counter, value in counters.items():
        key = Measure(f"threads.{counter}", name)
        total[key] = total.get(key, 0.0) + value


def _tids(pid: int) -> list[int]:
    try:
        return [int(tid) for tid in os.listdir(f"/proc/{pid}/task")]  # noqa: PTH208 - names only, and often
    except OSError:
        return []


def _threads(pid: int, program: str, tids: Sequence[int]) -> dict[int, tuple[str, Mapping[str, float]]]:
    found: dict[int, tuple[str, Mapping[str, float]]] = {}
    for tid in tids:
        try:
            stat = _read(f"/proc/{pid}/task/{tid}/stat")
            cpu, wait, _ = _read(f"/proc/{pid}/task/{tid}/schedstat").split()
        except (OSError, ValueError):
            continue
        name, _, fields = stat.partition(b"(")[2].rpartition(b")")
        system = int(fields.split()[12]) / _TICK
        counters = {"cpu": int(cpu) / 1e9, "system": system, "wait": int(wait) / 1e9}
        found[tid] = (kind(program, name.decode(errors="replace")), counters)
    return found


def _process(pid: int, program: str) -> str:
    """PROGRAM/PID, and /NAME where the engine has a name for it. Raises OSError if it has ended."""
    command = Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace").replace("\0", " ")
    return "/".join(filter(None, [program, str(own_pid(pid)), called(program, command)]))


def own_pid(pid: int) -> int:
    """The PID of a process in its own namespace, which a virtual node has. Raises OSError if it has ended."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    found = next((line for line in status.splitlines() if line.startswith("NSpid:")), "")
    return int(found.split()[-1]) if found else pid
