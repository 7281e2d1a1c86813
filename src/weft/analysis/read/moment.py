"""What a run does at this moment: stages and tasks from the engine's log, and what its tasks wait for from the last samples.

It reads the ends of files that grow, and nothing that takes long to import: `weft top` costs less than 1 % of a core.
"""

import re
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module

from weft.facts import engines
from weft.facts.activity import Activity, ActivityReader
from weft.facts.peers import EXECUTOR, PYTHON
from weft.record.record import Stored
from weft.text.entry import Entry

_SAMPLE = re.compile(
    rb"^([\d.]+),([^,\n]*),,(threads\.(?:cpu|wait|in)|cpu_user|cpu_system|memory|net_receive|net_send),([^,\n]*)"
    rb",[^,\n]*,([^,\n]*),([^,\n]*),([^,\n]*),[^,\n]*$",
    re.MULTILINE,
)
"""A node's own counter: time, node, counter, value, kind of thread, role of the peer, operation."""
_TAIL = 1 << 17
"""Bytes at the end of a file of samples: some seconds, of a few nodes."""
_FILES = 40
"""Files of other hosts' samples that are read at once; the others are read the next time."""
_WINDOW = 10.0
"""Seconds over which rates are."""
_STATES: Mapping[str, tuple[str, ...]] = {
    "metadata": ("open", "close", "stat", "rename", "unlink", "mkdir", "rmdir", "readdir"),
    "data": ("read", "write", "truncate", "sync", "transfer"),
    "waiting in sockets": ("network",),
    "waiting for other threads": ("lock", "sleep"),
}
"""What a blocked task waits for, by the operation that it is sampled in."""
_STATE = {operation: state for state, operations in _STATES.items() for operation in operations}
_PEERS = {PYTHON: "Python: worker", EXECUTOR: "waiting for other executors"}
"""The same by who is at the other end, where it is not `waiting for` it. Executors may be on the same node: no network."""
_NOISE = 1e-6
"""Slots: less is the rounding of a sum."""
CPU, QUEUE, IDLE, THREADS, OTHER = (
    "CPU",
    "run-queue wait",
    "no task",
    "waiting for other threads",
    "other calls",
)
"""The names of these states, as in `weft explain`."""


@dataclass(frozen=True)
class NodeMoment:
    """Means over the last samples: cores in use, bytes of memory, bytes per second."""

    name: str
    cpu: float
    memory: float
    receive: float
    send: float


@dataclass(frozen=True)
class RunMoment:
    """A run at this moment."""

    stored: Stored
    activity: Activity
    tasks_per_second: float | None
    bytes_per_second: float | None
    waits: Mapping[str, float]
    """Shares of the slots by what their tasks do, which sum to 1; empty without samples."""
    seconds: float
    """That these shares are means of."""
    nodes: Sequence[NodeMoment]
    slots: int | None


def line(moment: RunMoment) -> str:
    """For the progress of a run: how far it is, and what most slots do."""
    activity, tasks = moment.activity, moment.activity.tasks
    parts = [f"{tasks.done} of {tasks.total} tasks"] if tasks.total else []
    parts += [f"{one.name} {one.done} %" for one in activity.stages.values() if one.percent][-2:]
    if moment.tasks_per_second:
        parts.append(f"{moment.tasks_per_second:.1f}/s")
    largest = sorted(moment.waits.items(), key=lambda pair: -pair[1])[:2]
    parts += [f"{state} {share:.0%}" for state, share in largest]
    return ", ".join(parts)


@dataclass
class RunWatch:
    """Reads a record again and again."""

    record: Entry
    slots: int | None = None
    reader: ActivityReader | None = None
    counts: "deque[tuple[float, int, int]]" = field(default_factory=deque)
    """Tasks that have ended and bytes that they read, with the time of this reading."""
    turn: int = 0

    def observe(self, stored: Stored) -> RunMoment:
        """What is known now."""
        if self.reader is None and (module := engines.of(stored.head.engine.partition(" ")[0]).live):
            self.reader = import_module(module).LIVE()
        activity = self.reader.update(self.record) if self.reader else Activity()
        rates = self._rates(activity)
        sums = list(self._samples())
        waits, seconds = _waits(sums, self.slots, activity)
        return RunMoment(stored, activity, *rates, waits, seconds, _nodes(sums), self.slots)

    def _rates(self, activity: Activity) -> tuple[float | None, float | None]:
        now, tasks = time.monotonic(), activity.tasks
        self.counts.append((now, tasks.done + tasks.failed, activity.bytes_read))
        while now - self.counts[0][0] > _WINDOW and len(self.counts) > 2:
            self.counts.popleft()
        then, ended, read_ = self.counts[0]
        passed = now - then
        if self.reader is None or passed <= 0:
            return None, None
        return (self.counts[-1][1] - ended) / passed, (self.counts[-1][2] - read_) / passed

    def _samples(self) -> Iterator["_Sums"]:
        """The last samples of each node."""
        files = self.record.files("samples*.csv")
        chosen = [files[(self.turn + number) % len(files)] for number in range(min(_FILES, len(files)))]
        self.turn += len(chosen)
        found: dict[str, _Sums] = {}
        for file in chosen:
            text = file.part(_TAIL, end=True).partition(b"\n")[2]  # its first line is cut
            for at, node, counter, value, thread, peer, operation in _SAMPLE.findall(text):
                name = node.decode(errors="replace")
                found.setdefault(name, _Sums(name)).add((counter, thread, operation, peer), at, value)
        yield from found.values()


@dataclass
class _Sums:
    """The first and the last of a node's own counters in a stretch of samples."""

    node: str
    first: dict[tuple[bytes, ...], tuple[float, float]] = field(default_factory=dict)
    last: dict[tuple[bytes, ...], tuple[float, float]] = field(default_factory=dict)

    def add(self, key: tuple[bytes, ...], at: bytes, value: bytes) -> None:
        """A reading of a counter, with its labels."""
        try:
            reading = (float(at), float(value))
        except ValueError:
            return
        self.first.setdefault(key, reading)
        self.last[key] = reading

    def rate(self, *key: bytes) -> float:
        """Of a counter, per second."""
        if key not in self.first:
            return 0.0
        (begin, before), (end, after) = self.first[key], self.last[key]
        return max(0.0, after - before) / (end - begin) if end > begin else 0.0

    def value(self, *key: bytes) -> float:
        """The last one."""
        return self.last[key][1] if key in self.last else 0.0

    @property
    def seconds(self) -> float:
        """From the first sample to the last."""
        begins, ends = ([at for at, _ in each.values()] for each in (self.first, self.last))
        return max(ends) - min(begins) if ends else 0.0


def _waits(sums: Sequence[_Sums], slots: int | None, activity: Activity) -> tuple[dict[str, float], float]:
    """How many slots are in each state, as shares of all; and over how many seconds."""
    states: dict[str, float] = {}
    for node in sums:
        for key in node.first:
            if key[0] == b"threads.cpu" and key[1] == b"task":
                states[CPU] = states.get(CPU, 0.0) + node.rate(*key)
            elif key[0] == b"threads.wait" and key[1] == b"task":
                states[QUEUE] = states.get(QUEUE, 0.0) + node.rate(*key)
            elif key[0] == b"threads.in" and key[1] == b"task" and key[2] not in {b"running", b"fault"}:
                operation, peer = (label.decode(errors="replace") for label in key[2:])
                state = _PEERS.get(peer, f"waiting for {peer}") if peer else _STATE.get(operation, OTHER)
                states[state] = states.get(state, 0.0) + node.rate(*key)
    if not states or not slots:
        return {}, 0.0
    _take_idle_threads(states, slots, activity)
    whole = max(sum(states.values()), float(slots))
    states[IDLE] = states.get(IDLE, 0.0) + whole - sum(states.values())
    return {state: value / whole for state, value in states.items() if value > _NOISE}, max(
        one.seconds for one in sums
    )


def _take_idle_threads(states: dict[str, float], slots: int, activity: Activity) -> None:
    """A thread without a task waits at a lock, as one of a task may: fewer slots than tasks that are left have none."""
    left = sum(stage.total - stage.done for stage in activity.stages.values() if not stage.ended)
    busy = min(slots, left) if activity.tasks.total else slots
    idle = min(states.get(THREADS, 0.0), max(0.0, sum(states.values()) - busy))
    states[THREADS] = states.get(THREADS, 0.0) - idle


def _nodes(sums: Sequence[_Sums]) -> list[NodeMoment]:
    return [
        NodeMoment(
            node.node,
            node.rate(b"cpu_user", *_NONE) + node.rate(b"cpu_system", *_NONE),
            node.value(b"memory", *_NONE),
            node.rate(b"net_receive", *_NONE),
            node.rate(b"net_send", *_NONE),
        )
        for node in sorted(sums, key=lambda one: one.node)
        if (b"memory", *_NONE) in node.last
    ]


_NONE = (b"", b"", b"")
"""The labels of a counter that has none: thread, operation, peer."""
