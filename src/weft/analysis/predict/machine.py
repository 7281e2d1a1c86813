"""A machine as a prediction needs it: what its nodes have, what they share, and its storages in the short form of `--scratch`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from weft.analysis.predict import emulated
from weft.analysis.predict.storagemodel import UNLIMITED, StorageModel
from weft.errors import UsageError
from weft.facts.io500.submissions import PREFIX
from weft.facts.storages import Layer, label, layers
from weft.text.nearest import nearest


@dataclass(frozen=True)
class Machine:
    """A machine, or as much of it as is known."""

    name: str
    cores: int = 0
    """Of a node; 0: as in the record."""
    speed: float = 1.0
    """Of a core, over one of the record's machine."""
    memory: int = 0
    """Bytes of a node; 0: not known."""
    link: float = UNLIMITED
    """Bytes per second that a node receives."""
    round_trip: float = 0.0
    """Seconds between two nodes and back."""
    processors: int = 0
    """Processors that all nodes share, where nodes are virtual; 0: nodes have their own."""
    capped: bool = False
    """Whether each node gets at most its own number of them."""
    launches: Mapping[str, float] = field(default_factory=dict)
    """By engine: tasks per second that its driver starts at most."""
    storages: Mapping[str, StorageModel] = field(default_factory=dict)
    mounts: Mapping[str, str] = field(default_factory=dict)
    """By directory: the storage that is mounted there."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """By key: where its value is from."""
    unknown: tuple[str, ...] = ()
    """What is not known of it, as clauses."""


_SEEN = "weft's own GroupBy on two virtual nodes: 174 opens on /dev/shm took 1.7 ms, 190 in a pool's index took as long"
_LOCAL: Mapping[str, StorageModel] = {
    "memory": StorageModel("memory", shared=False, latency=10e-6, source=_SEEN),
    "disk": StorageModel("disk", shared=False, latency=10e-6, source=f"assumption: names are in the node's cache; {_SEEN}"),
    "pool": StorageModel("pool", shared=False, latency=10e-6, source=_SEEN),
    "loopback": StorageModel(
        "loopback", shared=False, latency=20e-6, source="assumption: twice memory, for a file system of the node's own"
    ),
}  # fmt: skip
"""Storages that each node has for itself, where a machine file does not have them."""
_POOLED = {"write": 50e-6, "read": 100e-6}
"""Seconds of one call that moves data between a pool's large files and an emulated file system: GroupBys and sorts on busy
virtual nodes, 0.03 to 0.08 ms and 0.05 to 0.12 ms."""


def service(text: str, machine: Machine) -> StorageModel:
    """The service behind a short form. Raises UsageError if the machine has none of that name."""
    try:
        return _service(layers(text, machine.storages), machine)
    except ValueError as error:
        raise UsageError(str(error), hint="write it as for `weft run --scratch`") from error


def over_unknown(text: str, calls: Mapping[str, float]) -> StorageModel | None:
    """A storage that answers for names itself, over one of which nothing is known but what a run saw; None for others.

    `calls`: seconds of a call that moves data, by operation, as they were without it.
    """
    top, *below = layers(text)
    if not top.known.over:
        return None
    return replace(_LOCAL[top.kind], name=label(layer.word for layer in (top, *below)), calls=calls)


def _service(found: Sequence[Layer], machine: Machine) -> StorageModel:
    top, *below = found
    name = label(layer.word for layer in found)
    if top.known.over:
        mounted = Layer("mount", top.value) if top.value.startswith("/") else Layer("disk")
        return replace(_over(top.kind, _service(below or [mounted], machine), machine), name=name)
    if (one := _named(top, machine)) is None:
        known = sorted({*machine.storages, *machine.mounts, *_LOCAL})
        raise UsageError(
            f"machine {machine.name} has no storage {top.text!r}: neither storage.{top.kind} nor a mount of it",
            hint=nearest(top.kind, known),
        )
    return replace(one, name=name)


def _named(layer: Layer, machine: Machine) -> StorageModel | None:
    path = layer.value
    if layer.word in machine.storages:
        return machine.storages[layer.word]
    if layer.known.emulated and path.startswith(PREFIX):
        return emulated.of_submission(path.removeprefix(PREFIX))
    places = [place for place in machine.mounts if path == place or path.startswith(f"{place.rstrip('/')}/")]
    if path.startswith("/") and places:
        return machine.storages[machine.mounts[max(places, key=len)]]
    if layer.kind == "mount" and not path:
        # a record keeps no path of what was mounted: unambiguous only with one shared storage
        shared = [one for one in machine.storages.values() if one.shared and not one.emulator]
        return shared[0] if len(shared) == 1 else None
    return machine.storages.get(layer.kind) or _LOCAL.get(layer.kind)


def _over(kind: str, below: StorageModel, machine: Machine) -> StorageModel:
    """Names of the node's own, bytes of what is below."""
    own = machine.storages.get(kind) or _LOCAL[kind]
    return replace(
        below,
        latency=own.latency,
        rate=UNLIMITED,
        directory_rate=UNLIMITED,
        latencies=(),
        weights={},
        trips={},
        attribute_cache=0.0,
        call=0.0,
        calls=_POOLED if below.emulator else {},
        emulator=0.0,
        source="; ".join(filter(None, [own.source, below.source])),
    )
