"""What a command holds on one host, which may be this machine, as the cleanup program reports it there."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from weft.errors import WeftError
from weft.host import shell
from weft.host.ask import ask
from weft.host.remote.reach import Reach

_PATIENCE = 20.0
"""Seconds within which another host must answer."""


@dataclass(frozen=True)
class Member:
    """A process of a command; `node` is empty for processes that belong to none, `host` for this machine."""

    pid: int
    node: str
    program: str
    memory: int
    host: str = ""

    def __str__(self) -> str:
        return f"process {self.pid} ({self.program}){_on(self.host)}"


@dataclass(frozen=True)
class Resource:
    """An entry of a lease, or a process; without a kind, the host itself. `why` it could not be removed."""

    kind: str
    path: str
    host: str = ""
    why: str = field(default="", compare=False)

    def __str__(self) -> str:
        what = f"{self.kind} {self.path}{_on(self.host)}" if self.kind else self.host
        return f"{what}: {self.why}" if self.why else what


def _on(host: str) -> str:
    return f" on {host}" if host else ""


@dataclass(frozen=True)
class OnHost:
    """The processes and resources of a command on a host, and what could not be removed."""

    host: str
    members: Sequence[Member] = ()
    there: Sequence[Resource] = ()
    left: Sequence[Resource] = ()
    problem: str = ""
    """Why the host did not answer; a lease leaves it empty if the host is gone with its job."""


def held_on(
    reach: Reach | None, lease: str, held: Sequence[Sequence[str]], *, remove: bool = False
) -> OnHost:
    """What a host, or without a way to one this machine, has of the kinds and paths in a lease; `remove` removes it."""
    host = reach.host if reach else ""
    request: dict[str, Any] = {"lease": lease, "held": held, "remove": remove, "again": reach is not None}
    try:
        found = ask(reach, "cleanup", request, timeout=_PATIENCE)
    except WeftError as error:
        return OnHost(host, problem=error.message)
    return OnHost(
        host,
        [
            Member(one["pid"], one["node"], shell.title_of(one["arguments"]), one["memory"], host)
            for one in found["processes"]
        ],
        [Resource(kind, path, host) for kind, path in found["there"]],
        [Resource(kind, path, host, why) for kind, path, why in found["left"]],
    )
