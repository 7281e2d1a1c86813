"""What could be changed about a run, as targets that the same model predicts; and small runs by which it is known better."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from weft.analysis.explain.filepart import FilePart, of_calls
from weft.analysis.explain.slots import FEW, STRAGGLERS
from weft.analysis.explain.tasktime import CPU
from weft.analysis.predict.calibrated import HOSTED
from weft.analysis.predict.constants import VALUE
from weft.analysis.predict.forecast import LONG
from weft.analysis.predict.jobprofile import JobProfile
from weft.analysis.predict.machine import over_unknown, service
from weft.analysis.predict.storagemodel import StorageModel
from weft.analysis.predict.target import Target
from weft.analysis.read.sums import sums
from weft.errors import UsageError
from weft.facts import engines
from weft.facts.enginefacts import EngineFacts
from weft.facts.storages import layers
from weft.text.arguments import assign

_SMALL_NUMBER = 1000.0
"""Sizes below it, such as the scale of TPC-DS, may have a fraction; larger ones are whole numbers."""
_OF_MEMORY = 0.25
"""Share of a node's memory that scratch may take in it: the engine and its page cache need the rest."""
_ROOM = 2.0
"""Size of a loopback file system over the bytes that were written."""
MADE = (*HOSTED, "slurm", "pbs", "lsf", "flux", "gridengine", "oar")
"""Kinds of nodes of which there are as many as asked for."""


_LINKS = ("rate", "storage_rate")
"""Keys of nodes of this machine that stay as they are on more of them, which have less memory each."""
_SLOTS = "slots"
"""What more nodes have more of, where tasks hardly compute."""
_USUAL = {"launcher": "own"}
"""Defaults, which a command need not repeat."""


@dataclass(frozen=True)
class Candidate:
    """One change."""

    family: str
    """storage of scratch, partitions, nodes, memory, network, compression: of each only the best is advice."""
    change: str
    flags: tuple[str, ...]
    """Of `weft run`; empty where weft has no flag for it."""
    settings: str
    """Of the engine."""
    target: Target
    part: str | FilePart
    """The part of the slot time that it is about."""
    otherwise: Target | None = None
    """The other end of what the run leaves open: the gain lies between both."""


@dataclass(frozen=True)
class Situation:
    """A run, as far as candidates depend on it."""

    work: JobProfile
    target: Target
    """Where it was measured."""
    spec: Mapping[str, Any]
    memory: int
    """Bytes of a node; 0: not known."""
    heap: int = 0
    """Bytes of an executor's heap; 0: not known."""

    @property
    def engine(self) -> EngineFacts:
        return engines.of(self.work.engine)

    @property
    def written(self) -> float:
        """Bytes of scratch that a node holds at the end."""
        whole = sum(stage.bytes.get("scratch written", 0.0) * stage.count for stage in self.work.stages)
        return whole / self.work.nodes


def candidates(run: Situation) -> list[Candidate]:
    """Everything that can be tried with this run's kind of nodes, storage and engine."""
    return [
        *_storages(run),
        *_partitions(run),
        *_nodes(run),
        *_memory(run),
        *_network(run),
        *_compression(run),
    ]


def _storages(run: Situation) -> Iterator[Candidate]:
    for role in ("scratch", "input", "output"):
        label = run.work.storages.get(role, "")
        for text in _other_storages(run, role, label):
            if (found := _offered(run, role, text)) is None:
                continue
            target = replace(run.target, storages={**run.target.storages, role: found})
            setting = _directory(run.engine.settings.local_directories if role == "scratch" else "", text)
            change, part, rested = (
                f"{role} on {found.name}",
                _largest_part(run.work, role),
                replace(target, rested=True),
            )
            yield Candidate(f"storage of {role}", change, (f"--{role}", text), setting, target, part, rested)


def _offered(run: Situation, role: str, text: str) -> StorageModel | None:
    """A storage as far as it is known; bytes that go to one that is not known take what they took."""
    try:
        return service(text, run.target.machine)
    except UsageError:
        data = [
            (call, stage.count)
            for stage in run.work.stages
            for call in stage.calls
            if call.role == role and call.data
        ]
        seconds = sums((call.operation, call.seconds * tasks) for call, tasks in data)
        counts = sums((call.operation, call.count * tasks) for call, tasks in data)
        return over_unknown(
            text, {name: each / counts[name] for name, each in seconds.items() if counts[name]}
        )


def _directory(setting: str, text: str) -> str:
    """The engine's own setting for the same; what a preload library does has none."""
    top = layers(text)[0].kind
    if not setting or top == "pool":
        return ""
    where = {"memory": "/dev/shm/...", "disk": "a directory on a disk of the node"}  # noqa: S108 - memory is what is meant
    return f"{setting}={where.get(top, 'the mounted file system')}"


def _other_storages(run: Situation, role: str, label: str) -> list[str]:
    """Other storages for a role, in short form."""
    table = run.spec.get(role)
    table = table if isinstance(table, Mapping) else {}
    top = layers(label)[0]
    hosted = run.spec.get("nodes", {}).get("kind") in HOSTED
    if role != "scratch":
        # only where all nodes are one host is a disk visible to all of them
        return ["disk"] if hosted and top.kind in {"delayed", "mount"} else []
    if not label or top.kind == "memory":
        return []
    fits = not run.memory or run.written * _ROOM <= _OF_MEMORY * run.memory
    found = ["memory"] if fits else []
    if not top.known.over and top.kind != "disk":
        path = table.get("path")
        below = f":{path}" if top.kind == "mount" and path else f"+{label}"
        size = max(1, round(run.written * _ROOM / 1e9 + 0.5))
        # containers of tasks start without the library that serves a pool
        found += [] if run.work.jvm_a_task else [f"pool{below}"]
        found += [f"loopback{below},size={size}G" if ":" in below[:1] else f"loopback,size={size}G{below}"]
    return [*found, *(["disk"] if hosted and top.kind != "disk" else [])]


def _largest_part(work: JobProfile, role: str) -> FilePart:
    """The part of this role with most time."""
    calls = ((call, stage.count) for stage in work.stages for call in stage.calls if call.role == role)
    found = sums((call.part, call.seconds * tasks) for call, tasks in calls)
    return max(found, key=lambda part: found[part], default=of_calls(role, data=False))


def _partitions(run: Situation) -> Iterator[Candidate]:
    counts = [stage.count for stage in run.work.stages if stage.reads_shuffle]
    if not counts:
        return
    now = max(counts)
    if run.target.growth.each:
        return  # each task has its own data: another number of tasks is another job
    slots = run.work.slots
    skewed = any(
        max(stage.tasks) > LONG * median(stage.tasks) for stage in run.work.stages if stage.reads_shuffle
    )
    options = {max(1, now // 2), now * 2, now * 4, slots, 2 * slots, 3 * slots} - {now}
    for count in sorted(options):
        if run.engine.pipelined and count > slots:
            continue
        flags = count_flags(run, now, count)
        setting = ", ".join(f"{name}={count}" for name in run.engine.settings.partitions)
        part = FEW if now < slots else STRAGGLERS
        target = replace(run.target, partitions=count)
        # whether a long task has one large key or many small ones is not in a record
        one_key = replace(target, whole=True) if skewed else None
        change = f"{count} partitions instead of {now}"
        yield Candidate("partitions", change, flags, setting, target, part, one_key)


def count_flags(run: Situation, now: int, count: int) -> tuple[str, ...]:
    """The workload's key for a number of tasks, or the engine's settings that a job of one's own was run with."""
    workload, key = run.spec.get("workload", {}), run.target.growth.key
    if key in workload:
        return ("--set", f"{key}={count}")
    tables = {"": run.spec.get("engine", {}), "workload.conf.": workload}
    return tuple(
        word
        for prefix, table in tables.items()
        for name, value in (table.get("conf") or {}).items()
        if name in run.engine.settings.partitions and value == str(now)
        for word in ("--set", f"{prefix}{name}={count}")
    )


def _nodes(run: Situation) -> Iterator[Candidate]:
    kind = run.spec.get("nodes", {}).get("kind")
    if run.target.growth.each or kind not in MADE:
        return
    now, name = run.work.nodes, run.engine.settings.nodes
    computed = sum(stage.cpu * stage.count for stage in run.work.stages)
    part = CPU if 2 * computed >= sum(sum(stage.tasks) for stage in run.work.stages) else _SLOTS
    for count in sorted({max(1, now // 2), now * 2, now * 4} - {now}):
        flags, target = ("--nodes", on_nodes(run, count)), replace(run.target, nodes=count)
        setting = name and f"{name}={count}"
        yield Candidate("nodes", f"{count} nodes instead of {now}", flags, setting, target, part)


def on_nodes(run: Situation, count: int, without: str = "") -> str:
    """As many nodes of the same kind, in short form; `without`: the key of a limit that they do not have."""
    table = run.spec.get("nodes", {})
    if table.get("kind") in HOSTED:
        more = {
            "cores": run.target.cores,
            **{key: table[key] for key in _LINKS if table.get(key) and key != without},
        }
    else:  # a job that asks for other cores, or for another queue, is not the one that is predicted
        asked = {key: value for key, value in table.items() if key not in {"kind", "count"} and value}
        more = {
            key: value for key, value in asked.items() if value != _USUAL.get(key) and "," not in str(value)
        }
    return f"{table.get('kind')}:{count}" + "".join(f",{key}={value}" for key, value in more.items())


def _memory(run: Situation) -> Iterator[Candidate]:
    """Twice the heap. A collection takes what is alive, and the next one comes when the rest of the heap is full: with little
    alive twice the heap halves the collector's time, and with nearly all of it alive it ends it."""
    names = run.engine.settings
    if not (names.heap and run.heap) or (run.memory and 2 * run.heap > 0.8 * run.memory):
        return
    heap = 2 * run.heap
    flags = ("--set", f"engine.{names.heap_key}={heap}") if names.heap_key else ()
    target, crowded = (replace(run.target, gc=share) for share in (0.5, 0.0))
    change, setting = f"twice the heap of an executor, {heap >> 20} MiB", f"{names.heap}={heap >> 20}m"
    yield Candidate("memory", change, flags, setting, target, "GC", crowded)


def _network(run: Situation) -> Iterator[Candidate]:
    table = run.spec.get("nodes", {})
    if not table.get("rate"):
        return
    flags = ("--nodes", on_nodes(run, run.work.nodes, "rate"))
    change, target = f"links without the limit of {table['rate']}", replace(run.target, network=0.0)
    yield Candidate("network", change, flags, "", target, "network")


def _compression(run: Situation) -> Iterator[Candidate]:
    """Blocks and spills as they are. A record does not tell how far they were compressed: not at all, as random bytes are,
    or as far as text is."""
    names = run.engine.settings.compression
    if not names or not any(stage.compression for stage in run.work.stages):
        return
    yield Candidate(
        "compression",
        "shuffled data without compression",
        tuple(assign("--set", dict.fromkeys(names, "false"))),
        ", ".join(f"{name}=false" for name in names),
        replace(run.target, uncompressed=1.0),
        "compression",
        replace(run.target, uncompressed=VALUE["lz4_ratio"]),
    )


SMALL = 2.0
"""Times the measured run that one of them may take, as predicted."""


@dataclass(frozen=True)
class Experiment:
    """One run."""

    flags: tuple[str, ...]
    """Of `weft run`, beside the spec of the measured run; none: the same run again."""
    target: Target


def possible_experiments(run: Situation, scratches: Sequence[str]) -> list[Experiment]:
    """The same again; half and twice the nodes, tasks and data; and each scratch that is asked for."""
    return [
        Experiment((), run.target),
        *_other_nodes(run),
        *_tasks(run),
        *_sizes(run),
        *_scratches(run, scratches),
    ]


def _other_nodes(run: Situation) -> Iterator[Experiment]:
    if run.spec.get("nodes", {}).get("kind") in MADE:
        for count in {max(1, run.work.nodes // 2), 2 * run.work.nodes} - {run.work.nodes}:
            yield Experiment(("--nodes", on_nodes(run, count)), replace(run.target, nodes=count))


def _tasks(run: Situation) -> Iterator[Experiment]:
    now = max((stage.count for stage in run.work.stages if stage.reads_shuffle), default=0)
    for count in {max(1, now // 2), 2 * now} - {now} if now else set():
        if flags := count_flags(run, now, count):
            yield Experiment(flags, replace(run.target, partitions=count))


def _sizes(run: Situation) -> Iterator[Experiment]:
    if run.work.size:
        for size in (run.work.size / 2, run.work.size * 2):
            whole = size if size < _SMALL_NUMBER else float(round(size))
            yield Experiment(("--set", f"{run.work.size_key}={whole:.12g}"), replace(run.target, size=whole))


def _scratches(run: Situation, scratches: Sequence[str]) -> Iterator[Experiment]:
    for text in scratches:
        try:
            found = service(text, run.target.machine)
        except UsageError:
            continue  # another machine's
        if found.name != run.work.storages.get("scratch"):
            storages = {**run.target.storages, "scratch": found}
            yield Experiment(("--scratch", text), replace(run.target, storages=storages))
