"""Nodes of a job of a batch system other than Slurm: of the job in which this process runs, or to which weft submits itself."""

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from weft.adapters.nodes.fabric import on_fabric
from weft.adapters.nodes.jobnodes import (
    JobNodes,
    explained_by,
    require_room,
    shared_default,
    watched_nodes,
    watching,
)
from weft.adapters.nodes.remote import SSH_OPTIONS, connected, prepared
from weft.errors import NodeError, UsageError
from weft.host import machine, settings
from weft.host.remote.reach import Reach, of_text
from weft.host.schedulers import known
from weft.host.schedulers.plain import (
    JobHost,
    JobRequest,
    Launcher,
    PlainJob,
    PlainScheduler,
    own_host,
    wall,
)
from weft.host.shell import Process
from weft.host.site.profile import BatchDirectives, Name, Profile, TimeLimit, Word, load
from weft.host.work import Work, WorkDirectory
from weft.layout.node import Node
from weft.text.arguments import repeat

_ASSUMED_MEMORY = 64 << 30
"""Bytes of memory that a plan assumes before the job has hosts."""
_HERE = '[ "$(uname -n)" = "$0" ] || exit 69; exec "$@"'
"""Run a command on this host only: a lease can be read on another one. The command is passed as arguments."""
_SSH = ("ssh", *repeat("-o", [*SSH_OPTIONS, "ConnectTimeout=35"]))


class BatchNodes(JobNodes):
    """Hosts of a job; each has one connection, by the batch system's own launcher if it has one."""

    queue: Name | None = Field(default=None, description="queue of the job; default: the site profile's")
    account: Name | None = Field(
        default=None, description="account or project of the job; default: the site profile's"
    )
    time: TimeLimit | None = Field(
        default=None, description="time limit of the job, such as 8h or 1:00:00; default: the site profile's"
    )
    launcher: Literal["own", "ssh"] = Field(
        default="own",
        description="how hosts are reached: by the batch system's launcher, if there is one, or by ssh",
    )
    fabric: Word | None = Field(
        default=None, description="interface that engines bind; default: the site profile's"
    )

    def directives_of(self, profile: Profile) -> tuple[Sequence[str], Sequence[str]]:
        site: BatchDirectives = getattr(profile, self.kind)
        return self._system().directives(self.request(site)), site.extra

    def request(self, site: BatchDirectives) -> JobRequest:
        """What the job asks for: what these nodes name, then what the site profile does."""
        return JobRequest(
            self.count,
            self.cores,
            self.memory,
            self.queue or site.queue or "",
            self.account or site.account or "",
            wall(self.time or site.time),
        )

    def _system(self) -> PlainScheduler:
        system = known.KINDS[self.scheduler]
        assert isinstance(system, PlainScheduler)
        return system

    def sketch(self, site: WorkDirectory) -> list[Node]:
        settings.share(shared_default())
        if self._system().current():
            found = [self._node(host, site) for host in self._chosen()]
            # what only a host knows is, until it has been asked, that of this one
            return [
                replace(
                    node,
                    cores=node.cores or machine.cores(),
                    memory=node.memory or machine.memory() - machine.RESERVE,
                )
                for node in found
            ]
        cores, memory = self.cores or machine.cores(), self.memory or _ASSUMED_MEMORY
        names = [f"node{number}" for number in range(1, self.count + 1)]
        return [Node(name, name, cores, memory, site.directory / name) for name in names]

    def _chosen(self) -> list[JobHost]:
        system = self._system()
        found = system.hosts()
        if len(found) < self.count:
            raise UsageError(
                f"{system.title} job {system.current()} has {len(found)} host(s), but {self.count} were requested",
                hint=f"use --nodes {self.kind}:{len(found)}, or run it outside this job",
            )
        chosen = found[: self.count]
        for host in chosen:
            require_room(f"{system.title} job {system.current()}", host.name, (self.cores, host.cores))
        return chosen

    def _node(self, host: JobHost, site: WorkDirectory) -> Node:
        system = self._system()
        way = self._launcher(host)
        job = known.named(system.kind, system.current())
        return Node(
            host.name,
            _resolved(host.name),
            self.cores or host.cores,
            self.memory or 0,
            site.directory / host.name,
            host=host.name,
            way=Reach(host.name, way.client, way.login_shell, job=job).text(),
        )

    def _launcher(self, host: JobHost) -> Launcher:
        system = self._system()
        own = system.launcher(host) if self.launcher == "own" else None
        if own_host(host.name) and not (own and system.kills_descendants):
            return Launcher(("sh", "-c", _HERE, socket.gethostname()), login_shell=False)
        return own or Launcher((*_SSH, host.name), login_shell=True)

    @contextmanager
    def acquire(self, work: Work, visible: Sequence[Path]) -> Iterator[list[Node]]:
        system = self._system()
        if not system.current():
            raise NodeError(
                f"this is not {system.article} {system.title} job",
                hint="`weft run`, `submit`, `calibrate` and `survey` submit one; call other commands in a job of yours",
            )
        with self.explained():
            settings.share(shared_default())
            shared_default().mkdir(parents=True, exist_ok=True, mode=0o700)
            nodes = [self._node(host, work) for host in self._chosen()]
            with (
                connected([of_text(node.way) for node in nodes], work),
                watched_nodes([_watchdog(node, nodes, work) for node in nodes], work),
                prepared(nodes, work, visible, self.memory) as inspected,
            ):
                yield [*on_fabric(inspected, self.fabric or load().fabric)]

    def explained(self) -> AbstractContextManager[None]:
        system = self._system()
        if not (number := system.current()):
            return nullcontext()
        begun = known.state(known.named(system.kind, number))
        assert begun is None or isinstance(begun, PlainJob)
        return explained_by(lambda: system.ended_by_system(number, begun))

    def limits(self) -> list[str]:
        system = self._system()
        if system.current():
            return []
        asked = self.request(getattr(load(), self.kind))
        return [
            "names, addresses, cores and memory are those of the job, when it has started",
            *system.unrequested(asked),
        ]

    def about(self) -> dict[str, Any]:
        system = self._system()
        if not (number := system.current()):
            return {}
        names = [host.name for host in system.hosts()]
        return {"batch": {"system": system.kind, "title": system.title, "job": number, "nodes": names}}


def _watchdog(node: Node, nodes: Sequence[Node], work: Work) -> Callable[[Path], Process]:
    """Starts one over the open connection: a batch system may allow one process on each host."""
    request = watching(node, nodes, work)
    return lambda log: of_text(node.way).watch(request, log)


def _resolved(name: str) -> str:
    try:
        return socket.gethostbyname(name)
    except OSError:
        return name  # the check of the fabric shows whether that works
