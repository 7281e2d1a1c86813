"""What Lustre itself offers against slow file calls: named with how to try it, without a gain, which was measured nowhere."""

from collections.abc import Iterator, Mapping

from weft.analysis.predict.jobprofile import JobProfile
from weft.analysis.read.part import Part
from weft.analysis.read.sums import sums
from weft.facts.roles import ROLES
from weft.facts.storages import layers

_LEAST = 0.05
"""Share of the slot time in file calls of a role below which no remedy for them is worth a line."""
_SMALL = float(1 << 20)
"""Bytes of a file up to which it may be kept whole on the metadata server."""
NAME = "Lustre"


class Remedy(Part):
    """One of them."""

    role: str
    change: str
    flags: tuple[str, ...]
    """Of `weft run`; empty where weft does not know the directory."""
    share: float
    """Of the slot time, in the calls that it is about: more cannot be gained."""


def of_lustre(work: JobProfile, spec: Mapping[str, object], roles: frozenset[str]) -> list[Remedy]:
    """For files of these roles, which are on Lustre."""
    return [one for role in ROLES if role in roles for one in _of_role(work, spec, role)]


def _of_role(work: JobProfile, spec: Mapping[str, object], role: str) -> Iterator[Remedy]:
    metadata, data = _shares(work, role)
    if metadata + data < _LEAST:
        return
    path = _path(spec.get(role))

    def remedy(change: str, keys: str, share: float) -> Remedy:
        flags = (f"--{role}", f"mount:{path},{keys}") if path else ()
        return Remedy(role=role, change=f"{role}: {change}", flags=flags, share=share)

    size = _mean_size(work, role)
    if size is None:
        pass
    elif size <= _SMALL:
        change = "files of up to 1 MiB on the metadata server instead of object servers (Data on MDT)"
        yield remedy(change, "mdt=1M", metadata + data)
    elif data >= _LEAST:
        yield remedy("large files over more object servers (PFL)", "progressive=true", data)
    if role == "scratch" and work.nodes > 1 and metadata >= _LEAST:
        yield remedy("the directories of nodes on different metadata servers (DNE)", "spread=true", metadata)


def _path(table: object) -> str:
    """The directory of a role that is on a mount itself."""
    found = table if isinstance(table, Mapping) else {}
    return str(found.get("path") or "") if found.get("kind") == "mount" else ""


def _shares(work: JobProfile, role: str) -> tuple[float, float]:
    """Of the slot time: blocked in metadata and in data calls on a role's files."""
    found = sums(
        (call.data, call.seconds * stage.count)
        for stage in work.stages
        for call in stage.calls
        if call.role == role
    )
    whole = max(work.slots * work.wall, 1e-9)
    return found.get(False, 0.0) / whole, found.get(True, 0.0) / whole


def _mean_size(work: JobProfile, role: str) -> float | None:
    """Bytes for each open, of the stages that write such files if any does: a reader of shuffle files takes a part of each. None: no open."""
    writers = [stage for stage in work.stages if stage.bytes.get(f"{role} written")]
    stages = writers or work.stages
    opens = sum(
        call.count * stage.count
        for stage in stages
        for call in stage.calls
        if call.role == role and call.operation == "open"
    )
    way = "written" if writers else "read"
    moved = sum(stage.bytes.get(f"{role} {way}", 0.0) * stage.count for stage in stages)
    return moved / opens if opens else None


def on_lustre(label: str, description: str) -> bool:
    """Whether files are on a real Lustre itself: a pool's or an image's are not seen by it one by one."""
    return layers(label)[0].kind == "mount" and description.startswith(f"{NAME} at ")
