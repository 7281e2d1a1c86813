"""Reads what a prediction needs from a record: its work, its storages, and the rules by which it grows."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from weft.errors import UsageError, why
from weft.model.evidence import Window
from weft.model.fitting import Used
from weft.model.prediction import work as works
from weft.model.prediction.candidates import Situation
from weft.model.prediction.forecast import Model
from weft.model.prediction.growth import Growth, of_workload
from weft.model.prediction.machine import Machine, Service
from weft.model.prediction.storages import service
from weft.model.prediction.target import Target
from weft.model.prediction.work import Work
from weft.record.record import Stored
from weft.report import explanation, profiled, spans
from weft.report.sources import Sources
from weft.report.summary import NodeInfo
from weft.text.units import parse_size

ROLES = ("input", "output", "scratch")
HOSTED = ("virtual", "local")
"""Kinds of nodes that share one host's processors."""


@dataclass(frozen=True)
class Recorded:
    """A run, as predictions and advice start from it."""

    name: str
    work: Work
    growth: Growth
    cores: int
    """Slots of a node."""
    memory: int
    """Bytes of a node; 0: not known."""
    kind: str
    """Of its nodes: virtual, slurm, ..."""
    spec: Mapping[str, Any]
    derived: Mapping[str, str]

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
        return Situation(
            self.work, self.on(machine), self.spec, self.memory, _heap(self.derived.get("executor heap", ""))
        )

    def model(self, machine: Machine) -> Model:
        """Its model on the machine where it was measured."""
        return Model(self.work, self.on(machine))


def _heap(text: str) -> int:
    try:
        return parse_size(text.replace(" ", ""))
    except ValueError:
        return 0


def _known(label: str, machine: Machine) -> Service | None:
    try:
        return service(label, machine)
    except UsageError:
        return None


def read(stored: Stored) -> Recorded:
    """A record. Raises UsageError that names what it lacks."""
    sources = Sources(stored)
    name = stored.directory.name
    events, samples, metrics = sources.events(), sources.samples(), sources.metrics()
    begin = spans.begin(events, samples)
    ran = [span for span in spans.phases(sources, events, begin, begin) if span.name == "run" and span.ended]
    if not ran:
        raise UsageError(f"{name} has no finished run phase", hint="predict from a run that ended")
    table = _resolved(stored)
    listed = table.get("nodes")
    if not isinstance(listed, list) or not listed:
        raise UsageError(f"resolved.json of {name} lacks the key nodes", hint="predict from another run")
    count = str(table.get("derived", {}).get("slots", ""))
    cores = int(listed[0].get("cores") or 1)
    slots = int(count) if count.isdigit() else sum(int(node.get("cores") or 1) for node in listed)
    first = begin + ran[0].begin
    last = begin + ran[-1].begin + ran[-1].seconds
    nodes = [NodeInfo(**node) for node in listed]
    window = Window(first, last, slots, explanation.names(nodes), explanation.link(nodes, Used()))
    spec = table.get("spec", {})
    workload = spec.get("workload", {})
    work = works.of_record(
        metrics,
        samples,
        window,
        engine=str(spec.get("engine", {}).get("kind", "")),
        measured=_number(stored.head.get("measured")),
        storages={role: str(stored.head[role]) for role in ROLES if stored.head.get(role)},
        size=_number(workload.get("size")) or 0.0,
    )
    work = _sampled(work, stored)
    kind = str(spec.get("nodes", {}).get("kind", ""))
    memory = int(listed[0].get("memory") or 0)
    return Recorded(
        name,
        work,
        of_workload(workload),
        max(1, slots // len(listed)) or cores,
        memory,
        kind,
        spec,
        {key: str(value) for key, value in table.get("derived", {}).items()},
    )


def _sampled(work: Work, stored: Stored) -> Work:
    """With what stacks tell of each stage, where they were sampled."""
    found = profiled.of_record(stored.directory)
    if found is None:
        return work
    shares = {
        side: column.get("compression", 0.0) / sum(column.values())
        for side, column in found.columns.items()
        if any(column.values())
    }
    stages = [replace(each, compression=each.processor * shares.get(each.side, 0.0)) for each in work.stages]
    return replace(work, stages=stages)


def _resolved(stored: Stored) -> dict[str, Any]:
    path = stored.directory / "resolved.json"
    try:
        table = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{path} is not readable: {why(error)}", hint="the run ended before its layout was decided"
        ) from error
    return table if isinstance(table, dict) else {}


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
