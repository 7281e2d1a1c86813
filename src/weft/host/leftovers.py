"""What weft commands hold on this machine now, and what killed commands left; for `weft ps` and `weft gc`."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import psutil

from weft.host import group, lease, shell, strays
from weft.host.lease import Elsewhere, Held, Lease
from weft.host.strays import Stray
from weft.text.units import show_size


@dataclass(frozen=True)
class Member:
    """A process of a command; `node` is empty for processes that belong to none, `host` for this machine."""

    pid: int
    node: str
    program: str
    memory: int
    host: str = ""


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
    return [*found, *(one for stray in strays.strays(known) for one in _escaped(stray))]


def _escaped(stray: Stray) -> Iterator[Holding]:
    with suppress(psutil.Error, OSError):
        size = psutil.Process(stray.pid).memory_info().rss
        member = Member(stray.pid, "", shell.title(stray.pid), size)
        yield Holding(stray.run, False, 0, stray.path, "unknown", [member], escaped=True)


def _holding(held: Held) -> Holding:
    owner = held.owner
    elsewhere = held.lease.elsewhere()
    return Holding(
        held.lease.name,
        held.alive,
        int(owner.get("pid", 0)),
        owner.get("purpose", "unknown"),
        owner.get("since", "unknown"),
        _once([*_members(held.lease), *(member for one in elsewhere for member in _members_on(one))]),
        [f"{one.host}: {one.problem}" for one in elsewhere if one.problem],
    )


def _once(members: Sequence[Member]) -> list[Member]:
    """If this machine is one of the hosts, its processes are listed twice."""
    return list({(member.node, member.pid, member.program): member for member in members}.values())


def _members_on(where: Elsewhere) -> list[Member]:
    return [
        Member(one["pid"], one["node"], shell.title_of(one["arguments"]), one["memory"], where.host)
        for one in where.processes
    ]


def _members(of: Lease) -> list[Member]:
    found = []
    grouped = [pid for path in of.groups() for pid in group.members(path)]
    for process in [*shell.marked(of.name), *_processes(set(grouped) - {_owner(of)})]:
        with suppress(psutil.Error, OSError):
            node = process.environ().get(shell.NODE_MARK, "")
            found.append(Member(process.pid, node, shell.title(process.pid), process.memory_info().rss))
    return sorted(_once(found), key=lambda member: (member.node, member.pid))


def _owner(of: Lease) -> int:
    return next((int(entry["pid"]) for entry in of.entries if entry["kind"] == "owner"), 0)


def _processes(pids: set[int]) -> Iterator[psutil.Process]:
    for pid in pids:
        with suppress(psutil.Error):
            yield psutil.Process(pid)


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
            f"since {one.since}, process {one.owner}"
            if one.alive
            else "LEFTOVER of a killed command; `weft gc` removes it"
        )
        text.append(f"{one.name}  {one.purpose}  {state}")
        text += [
            f"  {member.node or '-':<8} {member.pid:>8}  {show_size(member.memory):>8}  {member.program}"
            for member in one.processes
        ]
        text += [f"  could not reach: {item}" for item in one.unreached]
    return text


def sweep() -> list[Swept]:
    """Release every dead lease; live leases are not changed."""
    return [swept for dead in lease.dead_leases() if (swept := _swept(dead)) is not None]


def _swept(dead: Lease) -> Swept | None:
    processes = [f"process {member.pid} ({member.program})" for member in _members(dead)]
    elsewhere = [
        f"{item} on {one.host}"
        for one in dead.elsewhere()
        for item in (
            *(f"process {member.pid} ({member.program})" for member in _members_on(one)),
            *one.there,
        )
    ]
    there = [f"{entry['kind']} {entry['path']}" for entry in dead.entries if lease.exists(entry)]
    left = dead.release()
    if not dead.entries:  # its owner has opened but not locked it, and will open another
        return None
    kept = {entry["path"] for entry in dead.entries if lease.exists(entry)}
    gone = [item for item in there if item.split(" ", 1)[1] not in kept]
    failed = {item.partition(":")[0] for item in left}
    cleared = [item for item in elsewhere if item.rpartition(" on ")[2] not in failed]
    return Swept(dead.name, [*processes, *gone, *cleared], left)
