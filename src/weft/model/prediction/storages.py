"""The storages that a prediction asks for, in the short form of `--scratch`, as services of a machine."""

import re
from collections.abc import Mapping
from dataclasses import replace

from weft.errors import UsageError
from weft.model.prediction.machine import Machine, Service
from weft.text.nearest import nearest

_SEEN = "weft's own GroupBy on two virtual nodes: 174 opens on /dev/shm took 1.7 ms, 190 in a pool's index took as long"
NODE_LOCAL: Mapping[str, Service] = {
    "memory": Service("memory", shared=False, latency=10e-6, source=_SEEN),
    "disk": Service("disk", shared=False, latency=10e-6, source=f"assumption: names are in the node's cache; {_SEEN}"),
    "pool": Service("pool", shared=False, latency=10e-6, source=_SEEN),
    "loopback": Service(
        "loopback", shared=False, latency=20e-6, source="assumption: twice memory, for a file system of the node's own"
    ),
}  # fmt: skip
"""Storages that each node has for itself, where a machine file does not have them."""
_POOLED = {"write": 50e-6, "read": 100e-6}
"""Seconds of one call that moves data between a pool's large files and an emulated file system: GroupBys and sorts on busy
virtual nodes, 0.03 to 0.08 ms and 0.05 to 0.12 ms."""
OVER = ("pool", "loopback")
"""Storages that answer for names themselves, and leave the bytes to the storage that they are backed by."""


def listed(text: str) -> list[str]:
    """`memory,pool+mount:/lustre/me,loopback:/l,size=2G` as three; what has a = belongs to the one before it."""
    found: list[str] = []
    for word in text.split(","):
        if "=" in word and found:
            found[-1] += f",{word}"
        elif word:
            found.append(word)
    if not found:
        raise UsageError(f"no storage in {text!r}", hint="write --scratch memory,pool+mount:/lustre/me")
    return found


def service(text: str, machine: Machine) -> Service:
    """The service behind a short form. Raises UsageError if the machine has none of that name."""
    top, *below = re.split(r"\+(?=[a-z]+(?:[:,+]|$))", text, maxsplit=1)
    kind, _, rest = top.partition(":")
    if kind in OVER:
        under = below[0] if below else f"mount:{rest.split(',')[0]}" if rest.startswith("/") else "disk"
        return _over(kind, service(under, machine), machine, text)
    found = _named(top.split(",")[0], kind, rest, machine)
    if found is None:
        known = sorted({*machine.storages, *machine.mounts, *NODE_LOCAL})
        raise UsageError(
            f"machine {machine.name} has no storage {text!r}: neither storage.{kind} nor a mount of it",
            hint=nearest(kind, known),
        )
    return replace(found, name=label(text))


def label(text: str) -> str:
    """What a record calls a storage: without paths and settings, and without the disk that another one is backed by."""
    layers = []
    for layer in re.split(r"\+(?=[a-z]+(?:[:,+]|$))", text):
        kind, _, rest = layer.split(",")[0].partition(":")
        layers.append(f"{kind}:{rest}" if kind == "delayed" and rest else kind)
    return "+".join([layers[0], *(word for word in layers[1:] if word != "disk")])


def _named(word: str, kind: str, rest: str, machine: Machine) -> Service | None:
    if word in machine.storages:
        return machine.storages[word]
    path = rest.split(",", maxsplit=1)[0]
    places = [place for place in machine.mounts if path == place or path.startswith(f"{place.rstrip('/')}/")]
    if path.startswith("/") and places:
        return machine.storages[machine.mounts[max(places, key=len)]]
    if kind == "mount" and not path:
        # a record keeps no path of what was mounted: unambiguous only with one shared storage
        shared = [one for one in machine.storages.values() if one.shared]
        return shared[0] if len(shared) == 1 else None
    return machine.storages.get(kind) or NODE_LOCAL.get(kind)


def _over(kind: str, below: Service, machine: Machine, text: str) -> Service:
    """Names of the node's own, bytes of what is below."""
    own = machine.storages.get(kind) or NODE_LOCAL[kind]
    return replace(
        below,
        name=label(text),
        latency=own.latency,
        rate=float("inf"),
        weights={},
        trips={},
        call=0.0,
        calls=_POOLED if below.emulator else {},
        emulator=0.0,
        source="; ".join(filter(None, [own.source, below.source])),
    )
