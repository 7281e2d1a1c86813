"""The bricks of GlusterFS and the clients that mount it, started before any place of a role is created.

Both are started from their volume files, without glusterd, which would keep its state in /var/lib and listen on all
addresses.
"""

import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from weft.adapters.nodes.access import access
from weft.adapters.services.base import Service
from weft.adapters.storage.base import Storage, require_this_machine
from weft.adapters.storage.gluster import GlusterStorage
from weft.adapters.storage.mounting import mount_point
from weft.errors import MissingError, StorageError
from weft.host import shell, signals
from weft.host.programs import marks
from weft.host.shell import Process, tool
from weft.host.work import Work
from weft.layout.members import Members
from weft.layout.node import Network, Node
from weft.layout.places import Place
from weft.layout.plan import SECRET

_BRICK = 256 << 20
"""Bytes of a brick's server."""
_CLIENT = 192 << 20
"""Bytes of a mount's client, including unsent data."""
_READY_SECONDS = 30.0
"""Maximum wait for the mounts; they take a second."""


class Gluster(Service):
    """Bricks on nodes of their own, a client on each compute node."""

    kind: Literal["gluster"] = "gluster"
    configurable: ClassVar[bool] = False
    network: ClassVar[Network] = "storage"

    storage: GlusterStorage = Field(description="the storage that it serves")

    @property
    def own_nodes(self) -> int:
        return self.storage.nodes

    @property
    def backing(self) -> Storage:
        return self.storage.on

    def memory(self, members: Members) -> Mapping[str, int]:
        clients = {node.name: _CLIENT for node in self._clients(members)}
        return {**clients, **{node.name: _BRICK for node in members.of(self.kind)}}

    def _clients(self, members: Members) -> list[Node]:
        """The nodes that mount it: the compute nodes, and those of services that are backed by it."""
        own = {node.name for node in members.of(self.kind)}
        return [node for node in [*members, *members.servers] if node.name not in own]

    @contextmanager
    def start_first(self, members: Members, backing: Place | None, work: Work) -> Iterator[None]:
        servers = members.of(self.kind)
        require_this_machine("GlusterFS started by weft", self.kind, [*members, *servers])
        if os.geteuid() != 0:
            raise MissingError("GlusterFS needs root for the attributes of its bricks and for mounting")
        assert backing is not None
        point = mount_point(work, None, self.kind)
        with ExitStack() as live:
            work.write(self._volumes(servers, backing, work), SECRET)
            bricks = [
                _start("glusterfsd", "glusterfs-server", node, f"brick-{node.name}", work) for node in servers
            ]
            for brick in bricks:
                live.callback(brick.stop)
            for node, brick in zip(servers, bricks, strict=True):
                _wait(
                    brick,
                    node,
                    partial(access(node).call, partial(_listens, node.address, self.storage.port)),
                )
            point.mkdir(parents=True, mode=0o700)
            work.lease.note("mount", path=str(point))
            clients = self._clients(members)
            # nodes without a mount namespace of their own share one mount
            for node in [node for node in clients if node.prefix] or clients[:1]:
                client = _start("glusterfs", "glusterfs-client", node, "client", work, str(point))
                live.callback(client.stop)
                live.callback(access(node).run, ["umount", "-l", str(point)], check=False)
                _wait(client, node, partial(_mounted, node, point))
            yield

    def _volumes(self, servers: Sequence[Node], below: Place, work: Work) -> dict[Path, str]:
        """The volume files: one for each brick, one for all clients."""
        files = {_volume(work, f"brick-{node.name}"): self._brick(node, below) for node in servers}
        return {**files, _volume(work, "client"): self._client(servers)}

    def _brick(self, node: Node, below: Place) -> str:
        return (
            _translator("posix", "storage/posix", (), directory=below.paths[node.name])
            + _translator("locks", "features/locks", ["posix"])
            + _translator("brick", "performance/io-threads", ["locks"])
            + _translator("server", "protocol/server", ["brick"], **{
                "transport-type": "tcp",
                "transport.socket.bind-address": node.address,
                "transport.socket.listen-port": str(self.storage.port),
                "auth.login.brick.allow": "weft",
                "auth.login.weft.password": SECRET,
            })
        )  # fmt: skip

    def _client(self, servers: Sequence[Node]) -> str:
        bricks = [
            _translator(f"brick-{node.name}", "protocol/client", (), **{
                "transport-type": "tcp",
                "remote-host": node.address,
                "remote-port": str(self.storage.port),
                "remote-subvolume": "brick",
                "username": "weft",
                "password": SECRET,
            })
            for node in servers
        ]  # fmt: skip
        names = [f"brick-{node.name}" for node in servers]
        return (
            "".join(bricks)
            + _translator("distribute", "cluster/distribute", names)
            # close waits until all data are sent, otherwise another node could read half of a file
            + _translator("behind", "performance/write-behind", ["distribute"], **{"flush-behind": "off"})
        )


def _translator(name: str, kind: str, below: Sequence[str], **options: str) -> str:
    """One part of a volume file."""
    lines = [
        f"volume {name}",
        f"  type {kind}",
        *(f"  option {key} {value}" for key, value in options.items()),
    ]
    lines += [f"  subvolumes {' '.join(below)}"] if below else []
    return "\n".join([*lines, "end-volume\n\n"])


def _volume(work: Work, name: str) -> Path:
    return work.directory / "gluster" / f"{name}.vol"


def _start(program: str, package: str, node: Node, name: str, work: Work, *more: str) -> Process:
    volume = _volume(work, name)
    # at WARNING and all lower levels its log contains the whole volume file, including the password
    quiet = ["--log-level", "ERROR", "--log-file", "/dev/stderr"]
    pid = str(volume.with_name(f"{name}-{node.name}.pid"))
    argv = [tool(program, package), "--no-daemon", "--volfile", str(volume), "--pid-file", pid, *quiet, *more]
    log = volume.with_name(f"{name}-{node.name}.log")
    return access(node).spawn(f"gluster-{name}", argv, log=log, env={marks.LEASE: work.name})


def _wait(process: Process, node: Node, ready: Callable[[], bool]) -> None:
    end = time.monotonic() + _READY_SECONDS
    while not ready():
        if process.code() is not None or time.monotonic() > end:
            raise StorageError(
                f"{process.name} on {node.name} did not become ready",
                tail=shell.tail(process.log),
                hint="a client needs /dev/fuse, a brick the attributes trusted.* of its backing file system",
            )
        signals.sleep(0.05)


def _listens(address: str, port: int) -> bool:
    with socket.socket() as asking:
        asking.settimeout(1)
        return asking.connect_ex((address, port)) == 0


def _mounted(node: Node, point: Path) -> bool:
    """Whether a client is connected to all bricks: a directory is created on each of them."""
    if access(node).run(["mountpoint", "-q", str(point)], check=False).code != 0:
        return False
    probe = str(point / f".{node.name}")
    return (
        access(node).run(["mkdir", probe], check=False).code == 0
        and access(node).run(["rmdir", probe]).code == 0
    )
