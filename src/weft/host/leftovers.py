"""What weft commands hold on this machine now, and what killed commands left; for `weft ps` and `weft clean`."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import psutil

from weft.host import lease, orphans, shell
from weft.host.lease import FoundLease, Lease
from weft.host.orphans import Orphan
from weft.host.resources import Member, Resource
from weft.text.units import show_size


@dataclass(frozen=True)
class Holding:
    """A command that runs, or (not `alive`) one that was killed and left its lease."""

    name: str
    alive: bool
    owner: int
    purpose: str
    since: str
    processes: Sequence[Member]
    unreached: Sequence[str] = ()
    """Hosts that did not answer, and why."""
    escaped: bool = False
    """Whether its processes are held by no run; `purpose` is then a file of one that they have open."""
    host: str = ""
    """Of its owner, if that is not this one."""


@dataclass(frozen=True)
class Swept:
    """What was removed of one dead lease, and what could not be removed."""

    name: str
    removed: Sequence[str]
    left: Sequence[str]


def holdings() -> list[Holding]:
    """Every lease of this user, with its processes."""
    found = [_holding(held) for held in lease.all_leases()]
    known = {member.pid for one in found for member in one.processes} | {one.owner for one in found}
    return [*found, *(one for orphan in orphans.with_open_files(known) for one in _escaped(orphan))]


def _escaped(orphan: Orphan) -> Iterator[Holding]:
    with suppress(psutil.Error, OSError):
        size = psutil.Process(orphan.pid).memory_info().rss
        member = Member(orphan.pid, "", shell.title(orphan.pid), size)
        yield Holding(orphan.run, False, 0, orphan.path, "unknown", [member], escaped=True)


def _holding(held: FoundLease) -> Holding:
    owner = held.lease.owner
    pid, found = int(owner.get("pid", 0)), held.lease.inventory()
    members = [member for one in found for member in one.members if (member.pid, member.host) != (pid, "")]
    # if this machine is one of the hosts, its processes are listed twice
    once = {(member.node, member.pid, member.program): member for member in members}
    return Holding(
        held.lease.name,
        held.alive,
        pid,
        owner.get("purpose", "unknown"),
        owner.get("since", "unknown"),
        sorted(once.values(), key=lambda member: (member.node, member.pid)),
        [f"{one.host}: {one.problem}" for one in found if one.problem],
        host=held.lease.elsewhere,
    )


def lines(found: Sequence[Holding]) -> list[str]:
    """As text for users."""
    text = []
    for one in found:
        if one.escaped:
            (member,) = one.processes
            text.append(
                f"{one.name}  process {member.pid} ({member.program}) left its run and has {one.purpose} open; "
                f"weft does not end it, `kill {member.pid}` does"
            )
            continue
        state = (
            f"since {one.since}, process {one.owner}{f' of {one.host}' if one.host else ''}"
            if one.alive
            else "LEFTOVER of a killed command; `weft clean` removes it"
        )
        text.append(f"{one.name}  {one.purpose}  {state}")
        text += [
            f"  {member.node or '-':<8} {member.pid:>8}  {show_size(member.memory):>8}  {member.program}"
            for member in one.processes
        ]
        text += [f"  could not reach: {item}" for item in one.unreached]
    return text


def sweep(*, dry_run: bool = False) -> list[Swept]:
    """Release every dead lease; live leases are not changed. `dry_run`: only find what would be removed."""
    return [swept for dead in lease.dead_leases() if (swept := _swept(dead, dry_run=dry_run)) is not None]


def _swept(dead: Lease, *, dry_run: bool) -> Swept | None:
    before = dead.inventory()
    left = [] if dry_run else dead.release()
    if not dead.entries:  # its owner has opened but not locked it, and will open another
        return None
    silent = {one.host for one in left if not one.kind}
    found = [one for one in before if one.host not in silent]
    processes = [member for one in found for member in one.members]
    removed = [str(one) for one in processes if Resource("process", str(one.pid), one.host) not in left]
    removed += [str(resource) for one in found for resource in one.there if resource not in left]
    return Swept(dead.name, removed, list(map(str, left)))
