"""GlusterFS on nodes of its own, mounted by FUSE on those that compute: dedicated storage as a real networked file system.

It stands for OrangeFS and its kin, which `mount` takes where a site has one. Bricks and clients are started from their
volume files, without glusterd, which would keep its state in /var/lib and listen on every address.
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

from weft.errors import MissingError, StorageError
from weft.host import shell
from weft.host.shell import Process, tool
from weft.host.work import Work, WorkDirectory
from weft.layout.places import SHARED_ROLES, Place, Role
from weft.layout.plan import SECRET
from weft.nodes.base import Node
from weft.storage.base import require_this_machine, spread
from weft.storage.mounting import mount_point
from weft.storage.stacked import StackedStorage

_BRICK = 256 << 20
"""Bytes that the server of a brick takes."""
_CLIENT = 192 << 20
"""Bytes that the client of a mount takes, with what it has not sent yet."""
_READY_SECONDS = 30.0
"""Longest wait for the mounts; they take a second."""


class GlusterStorage(StackedStorage):
    """One brick on each of its nodes; files are distributed over them by the hash of their names."""

    kind: Literal["gluster"] = "gluster"
    positional: ClassVar[str] = "nodes"
    daemons: ClassVar[bool] = True

    nodes: int = Field(default=1, ge=1, description="nodes of its own, beyond those that compute")
    port: int = Field(default=24100, ge=1024, le=65535, description="port of the bricks")

    @property
    def word(self) -> str:
        return f"{self.kind}:{self.nodes}"

    @property
    def own_nodes(self) -> int:
        return self.nodes

    def memory(self, nodes: Sequence[Node]) -> Mapping[str, int]:
        computing = {node.name: _CLIENT for node in nodes[: -self.nodes]}
        return {**computing, **{node.name: _BRICK for node in nodes[-self.nodes :]}}

    def sketch(self, role: Role, nodes: Sequence[Node], work: WorkDirectory) -> Place:
        base = mount_point(work, None, "gluster") / role
        below = self.below(nodes, work)
        text = f"GlusterFS of {self.nodes} brick(s) on nodes of their own, on {below.description}"
        paths = spread(base, role, nodes[: -self.nodes])
        return Place("gluster", text, paths, shared=role in SHARED_ROLES)

    def below(self, nodes: Sequence[Node], work: WorkDirectory) -> Place:
        return self.on.sketch("blocks", nodes[-self.nodes :], work)

    @contextmanager
    def stand(self, nodes: Sequence[Node], work: Work) -> Iterator[Place]:
        require_this_machine("GlusterFS that weft starts", "blocks", nodes)
        if os.geteuid() != 0:
            raise MissingError("GlusterFS needs root: for the attributes of its bricks, and to mount")
        computing, servers = nodes[: -self.nodes], nodes[-self.nodes :]
        point = mount_point(work, None, "gluster")
        with ExitStack() as live:
            below = live.enter_context(self.on.place("blocks", servers, work))
            work.write(self._volumes(servers, below, work), SECRET)
            bricks = [
                _start("glusterfsd", "glusterfs-server", node, f"brick-{node.name}", work) for node in servers
            ]
            for brick in bricks:
                live.callback(brick.stop)
            for node, brick in zip(servers, bricks, strict=True):
                _wait(brick, node, partial(node.call, partial(_listens, node.address, self.port)))
            point.mkdir(parents=True, mode=0o700)
            work.lease.note("mount", path=str(point))
            for node in _once_each_namespace(computing):
                client = _start("glusterfs", "glusterfs-client", node, "client", work, str(point))
                live.callback(_stop, client, node, point)
                _wait(client, node, partial(_mounted, node, point))
            yield below

    @contextmanager
    def place(self, role: Role, nodes: Sequence[Node], work: Work) -> Iterator[Place]:
        place = self.sketch(role, nodes, work)
        nodes[0].run(["mkdir", "-p", "-m", "0700", *dict.fromkeys(place.paths.values())])
        yield place

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
                "transport.socket.listen-port": str(self.port),
                "auth.login.brick.allow": "weft",
                "auth.login.weft.password": SECRET,
            })
        )  # fmt: skip

    def _client(self, servers: Sequence[Node]) -> str:
        bricks = [
            _translator(f"brick-{node.name}", "protocol/client", (), **{
                "transport-type": "tcp",
                "remote-host": node.address,
                "remote-port": str(self.port),
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
            # a file that is closed has been sent, or another node would read half of it
            + _translator("behind", "performance/write-behind", ["distribute"], **{"flush-behind": "off"})
        )


def _translator(name: str, kind: str, below: Sequence[str], **options: str) -> str:
    """One piece of a volume file."""
    lines = [
        f"volume {name}",
        f"  type {kind}",
        *(f"  option {key} {value}" for key, value in options.items()),
    ]
    lines += [f"  subvolumes {' '.join(below)}"] if below else []
    return "\n".join([*lines, "end-volume\n\n"])


def _volume(work: Work, name: str) -> Path:
    return work.directory / "gluster" / f"{name}.vol"


def _once_each_namespace(nodes: Sequence[Node]) -> list[Node]:
    """Nodes without a mount namespace of their own see one mount."""
    return [node for node in nodes if node.prefix] or list(nodes[:1])


def _start(program: str, package: str, node: Node, name: str, work: Work, *more: str) -> Process:
    volume = _volume(work, name)
    # its log tells the whole volume file, password included, at WARNING and every lower level
    quiet = ["--log-level", "ERROR", "--log-file", "/dev/stderr"]
    pid = str(volume.with_name(f"{name}-{node.name}.pid"))
    argv = [tool(program, package), "--no-daemon", "--volfile", str(volume), "--pid-file", pid, *quiet, *more]
    log = volume.with_name(f"{name}-{node.name}.log")
    return node.spawn(f"gluster-{name}", argv, log=log, env={shell.LEASE_MARK: work.name})


def _wait(process: Process, node: Node, ready: Callable[[], bool]) -> None:
    end = time.monotonic() + _READY_SECONDS
    while not ready():
        if process.code() is not None or time.monotonic() > end:
            raise StorageError(
                f"{process.name} on {node.name} did not become ready",
                tail=shell.tail(process.log),
                hint="a client needs /dev/fuse, a brick the attributes trusted.* of the file system below",
            )
        time.sleep(0.05)


def _listens(address: str, port: int) -> bool:
    with socket.socket() as asking:
        asking.settimeout(1)
        return asking.connect_ex((address, port)) == 0


def _mounted(node: Node, point: Path) -> bool:
    """Whether a client is connected to all bricks: a directory is made on each of them."""
    if node.run(["mountpoint", "-q", str(point)], check=False).code != 0:
        return False
    probe = str(point / f".{node.name}")
    return node.run(["mkdir", probe], check=False).code == 0 and node.run(["rmdir", probe]).code == 0


def _stop(client: Process, node: Node, point: Path) -> None:
    node.run(["umount", "-l", str(point)], check=False)
    client.stop()
