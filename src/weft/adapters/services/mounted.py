"""A file system with servers and clients that are started before any place of a role is created."""

import os
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import ClassVar

from weft.adapters.nodes.access import access
from weft.adapters.services.serving import StorageService
from weft.adapters.storage.base import require_this_machine
from weft.adapters.storage.mounting import mount_point
from weft.errors import MissingError, StorageError
from weft.host import shell, signals, web
from weft.host.programs import marks
from weft.host.shell import Process
from weft.host.work import Work
from weft.layout.members import Members
from weft.layout.node import Node
from weft.layout.places import Place
from weft.layout.plan import SECRET

_READY_SECONDS = 30.0
"""Maximum wait for a server or a mount; they take a second."""


@dataclass(frozen=True)
class Packaged:
    """A command, and the package of Debian that has it."""

    name: str
    package: str
    arguments: Sequence[str]

    @property
    def argv(self) -> list[str]:
        """Raises MissingError if it is not installed."""
        return [shell.tool(self.name, self.package), *self.arguments]


@dataclass(frozen=True)
class Server:
    """One process that serves the file system."""

    name: str
    node: Node
    program: Packaged
    port: int
    """Where it listens when it is ready."""
    folders: Sequence[str] = ()
    """Folders that it needs on its backing storage."""
    contents: Mapping[str, str] = field(default_factory=dict)
    """Text of files in them that it needs before its first start."""


class MountedService(StorageService):
    """Servers on nodes of their own, a client on each node that mounts it."""

    title: ClassVar[str]
    why_root: ClassVar[str]
    hint: ClassVar[str]
    """What servers and clients need of a node, if one does not become ready."""
    server_memory: ClassVar[int]
    """Bytes of the servers of a node."""
    client_memory: ClassVar[int]
    """Bytes of a mount's client, including unsent data."""

    def memory(self, members: Members) -> Mapping[str, int]:
        clients = {node.name: self.client_memory for node in self.clients(members)}
        return {**clients, **{node.name: self.server_memory for node in members.of(self.kind)}}

    def clients(self, members: Members) -> list[Node]:
        """The nodes that mount it: the compute nodes, and those of services that are backed by it."""
        own = {node.name for node in members.of(self.kind)}
        return [node for node in [*members, *members.servers] if node.name not in own]

    @abstractmethod
    def files(self, members: Members, backing: Place, work: Work) -> Mapping[Path, str]:
        """What servers and clients read; the run's secret replaces SECRET."""

    @abstractmethod
    def servers(self, members: Members, work: Work) -> Sequence[Server]:
        """In the order of their start."""

    @abstractmethod
    def mount(self, node: Node, point: Path, work: Work) -> Packaged:
        """What mounts it on a node."""

    @abstractmethod
    def proof(self, point: Path) -> Sequence[Sequence[str]]:
        """Commands of which all succeed as soon as files can be created on a node's mount."""

    @contextmanager
    def start_first(self, members: Members, backing: Place | None, work: Work) -> Iterator[None]:
        own = members.of(self.kind)
        require_this_machine(f"{self.title} started by weft", self.kind, [*members, *own])
        if os.geteuid() != 0:
            raise MissingError(
                f"{self.title} needs root for {self.why_root}",
                hint="use a directory that is there, mount:DIR, or hdfs for input and output",
            )
        assert backing is not None
        point = mount_point(work, None, self.kind)
        with ExitStack() as live:
            work.write(self.files(members, backing, work), SECRET)
            for server in self.servers(members, work):
                _prepare(server, Path(backing.paths[server.node.name]))
                process = self._start(server.node, server.name, server.program, work)
                live.callback(process.stop, grace=0)  # its files are removed with it
                self._wait(process, server.node, partial(_listens, server))
            point.mkdir(parents=True, mode=0o700)
            work.lease.note("mount", path=str(point))
            clients = self.clients(members)
            # nodes without a mount namespace of their own share one mount
            for node in [node for node in clients if node.prefix] or clients[:1]:
                client = self._start(node, f"client-{node.name}", self.mount(node, point, work), work)
                live.callback(client.stop)
                live.callback(access(node).run, ["umount", "-l", str(point)], check=False)
                self._wait(client, node, partial(self._mounted, node, point))
            yield

    def _mounted(self, node: Node, point: Path) -> bool:
        wanted = [["mountpoint", "-q", str(point)], *self.proof(point)]
        return all(access(node).run(command, check=False).code == 0 for command in wanted)

    def _start(self, node: Node, name: str, program: Packaged, work: Work) -> Process:
        log = work.directory / self.kind / f"{name}.log"
        return access(node).spawn(f"{self.kind}-{name}", program.argv, log=log, env={marks.LEASE: work.name})

    def _wait(self, process: Process, node: Node, ready: Callable[[], bool]) -> None:
        end = time.monotonic() + _READY_SECONDS
        while not ready():
            if process.code() is not None or time.monotonic() > end:
                raise StorageError(
                    f"{process.name} on {node.name} did not become ready",
                    tail=shell.tail(process.log),
                    hint=self.hint,
                )
            signals.sleep(0.05)


def _prepare(server: Server, base: Path) -> None:
    """What is backed by a node's own mount can be created on the node alone."""
    on = access(server.node)
    if server.folders:
        on.run(["mkdir", "-p", "-m", "0700", *(str(base / name) for name in server.folders)])
    for name, text in server.contents.items():
        on.run(["sh", "-c", 'printf %s "$1" > "$2"', "sh", text, str(base / name)])


def _listens(server: Server) -> bool:
    where = f"tcp://{server.node.address}:{server.port}"
    try:
        access(server.node).call(partial(web.listens, where))
    except OSError:
        return False
    return True
