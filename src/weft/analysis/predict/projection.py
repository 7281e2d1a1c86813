"""Reads what a prediction needs from a record: its work and its storage. How its tasks grow, its workload says (`api/growing.py`)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from weft.analysis.explain import explanation, pythontime, stacks
from weft.analysis.explain.evidence import Window
from weft.analysis.explain.fitting import Used
from weft.analysis.predict import jobprofile, remedies
from weft.analysis.predict.candidates import Situation
from weft.analysis.predict.forecast import Model
from weft.analysis.predict.jobprofile import JobProfile
from weft.analysis.predict.machine import Machine, service
from weft.analysis.predict.storagemodel import StorageModel
from weft.analysis.predict.target import Growth, Target
from weft.analysis.read import clocks, resolved, spans
from weft.analysis.read.nodes import NodeInfo
from weft.analysis.read.resolved import Resolved
from weft.analysis.read.sources import Sources
from weft.errors import UsageError, why
from weft.facts import engines, executorslots
from weft.facts.jobmetrics import JobMetrics
from weft.record.record import Stored

_THERE = (
    "its executors were there before it, and had loaded classes: a run that starts its own takes longer, "
    "by how much is not in it"
)


@dataclass(frozen=True)
class Recorded:
    """A run, as predictions and advice start from it."""

    name: str
    work: JobProfile
    growth: Growth
    cores: int
    """Slots of a node."""
    memory: int
    """Bytes of a node; 0: not known."""
    kind: str
    """Of its nodes: virtual, slurm, ..."""
    spec: Mapping[str, Any]
    heap: int = 0
    """Bytes of an executor's; 0: not known."""
    lustre: frozenset[str] = frozenset()
    """Roles whose files are on a real Lustre."""
    checked: bool = True
    """Whether its result was found right; of a job that ended without an error, nobody may have looked."""
    processors: int = 0
    """Cores of all its nodes together; 0: not known."""
    assumed: tuple[str, ...] = ()
    """How its slots and executors differ from those of the model, as sentences without their full stops."""

    @property
    def doubts(self) -> tuple[str, ...]:
        """What is not known of the run itself, and so not of what is made of it."""
        unchecked = f"the result of {self.name} was not checked: it may have done less than the work"
        return self.assumed if self.checked else (unchecked, *self.assumed)

    def on(self, machine: Machine) -> Target:
        """Where it was measured, with as much of the machine as is known."""
        known = {role: _known(label, machine) for role, label in self.work.storages.items()}
        return Target(
            machine,
            self.work.nodes,
            self.cores,
            {role: found for role, found in known.items() if found is not None},
            self.work.size,
            growth=self.growth,
        )

    def situation(self, machine: Machine) -> Situation:
        """What could be changed about it depends on this."""
        return Situation(self.work, self.on(machine), self.spec, self.memory, self.heap)

    def model(self, machine: Machine) -> Model:
        """Its model on the machine where it was measured."""
        return Model(self.work, self.on(machine))


def _known(label: str, machine: Machine) -> StorageModel | None:
    try:
        return service(label, machine)
    except UsageError:
        return None


_STREAMED = {
    True: "ran all its operators at the same time, as a stream does, and weft predicts stages that follow one another",
    False: "is a stream, which lasts until somebody stops it, wherever it runs",
    None: "is a stream, and whether somebody stopped it is not known: it would last as long wherever it runs",
}
"""Why nothing is predicted of a stream, by whether its input ended."""


def _require_work(stored: Stored, sources: Sources, metrics: JobMetrics) -> None:
    """Raises UsageError if the time of this run says nothing of another one."""
    name = stored.directory.name
    if sources.verdict() in {"INVALID", "KILLED"}:
        raise UsageError(
            f"{name} is {sources.verdict()}, and its time says nothing of a run that succeeds{f': {stored.head.reason}' if stored.head.reason else ''}",
            hint="name a run that succeeded; `weft runs` lists them",
        )
    if metrics.streams:
        why = _STREAMED[metrics.input_ended]
        raise UsageError(f"{name} {why}", hint=f"`weft explain {name}` names the operator that limits it")
    if metrics.in_driver and stored.head.imported is None:
        raise UsageError(
            f"{name} ran its tasks in the driver's process, none on the cluster, and says nothing of other nodes",
            hint="omit .master(...) and spark.master in the program, and run it again",
        )


def read(stored: Stored) -> Recorded:
    """A record. Raises UsageError that names what it lacks, and for work that was not done."""
    sources = Sources(stored)
    name = stored.directory.name
    events, samples, metrics = sources.events(), sources.samples(), sources.metrics()
    _require_work(stored, sources, metrics)
    begin = spans.begin(events, samples)
    ran = [span for span in spans.phases(sources, events, begin, begin) if span.name == "run" and span.ended]
    if not ran:
        raise UsageError(f"{name} has no finished run phase", hint="predict from a run that ended")
    decided = _resolved(stored)
    nodes = decided.nodes
    if not nodes:
        raise UsageError(f"resolved.json of {name} lacks the key nodes", hint="predict from another run")
    samples, metrics = clocks.aligned(events, samples, metrics, nodes)
    size_key, size = decided.whole
    slots = decided.slots or sum(node.cores or 1 for node in nodes)
    first = begin + ran[0].begin
    last = begin + ran[-1].begin + ran[-1].seconds
    window = Window(first, last, slots, explanation.names(nodes), explanation.link(nodes, Used()))
    work = jobprofile.of_record(
        metrics,
        samples,
        window,
        engine=str(decided.part("engine").get("kind", "")),
        measured=stored.head.measured,
        storages=stored.head.storages,
        size=size,
        size_key=size_key,
        python=pythontime.workers_of(pythontime.read(stored.folder / "python"), metrics.tasks) is not None,
    )
    work = replace(_sampled(work, stored), memory=_memory(decided, work.engine))
    each = _slots_of_each(name, work.slots, len(nodes))
    return Recorded(
        name,
        work,
        Growth(),
        each,
        min(node.memory or 0 for node in nodes),
        str(decided.part("nodes").get("kind", "")),
        decided.spec,
        decided.executor_heap or 0,
        frozenset(
            role
            for role, place in decided.places.items()
            if remedies.on_lustre(stored.head.storages.get(role) or place.storage, place.description)
        ),
        sources.verdict() == "VALID",
        sum(node.cores or 0 for node in nodes),
        (*_assumed(metrics, nodes, work.slots, each), *([_THERE] if stored.head.application else [])),
    )


def _slots_of_each(name: str, slots: int, nodes: int) -> int:
    """Slots of a node. Raises UsageError if some had none."""
    if slots < nodes:
        raise UsageError(
            f"{name} had {slots} slot{'s' if slots > 1 else ''} on {nodes} nodes: what another node brings is not in it",
            hint="predict from a run with a slot on each node",
        )
    return round(slots / nodes)


def _assumed(metrics: JobMetrics, nodes: Sequence[NodeInfo], slots: int, each: int) -> Iterator[str]:
    """Where the model's slots, equally many on each node and all the time, are not those of the run."""
    if executorslots.dynamic(metrics):
        yield "executors came and went (spark.dynamicAllocation): as many slots are assumed all the time as there were at most"
    cores = {node.cores for node in nodes if node.cores}
    if len(cores) > 1:
        yield f"its nodes had {min(cores)} to {max(cores)} cores: {each} slots are assumed on each"
    elif slots != each * len(nodes):
        yield f"it had {slots} slots on {len(nodes)} nodes: {each} are assumed on each"


def _memory(decided: Resolved, engine: str) -> float:
    """Bytes in which the tasks of an executor sort and group, or one of them; 0 where the run does not say."""
    held = engines.of(engine).held
    conf = decided.conf
    if held is None or conf.keys() & {*held.elsewhere}:
        return 0.0
    part = decided.sized(held.part) if held.part else decided.executor_heap
    try:
        share = float(conf.get(held.setting, held.share))
    except ValueError:
        return 0.0
    return max(0.0, ((part or 0) - held.reserved) * share)


def _sampled(work: JobProfile, stored: Stored) -> JobProfile:
    """With what stacks tell of each stage, where they were sampled."""
    found = stacks.of_record(stored.folder)
    if found is None:
        return work
    shares = {
        side: column.get("compression", 0.0) / sum(column.values())
        for side, column in found.columns.items()
        if any(column.values())
    }
    stages = [replace(each, compression=each.cpu * shares.get(each.side, 0.0)) for each in work.stages]
    return replace(work, stages=stages)


def _resolved(stored: Stored) -> Resolved:
    try:
        if not (stored.folder / resolved.FILE).exists():
            raise FileNotFoundError("it does not exist")
        return resolved.of_record(stored)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"resolved.json is not readable in {stored.directory.name}: {why(error)}",
            hint="the run ended before its layout was decided",
        ) from error
