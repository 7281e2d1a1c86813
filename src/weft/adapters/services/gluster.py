"""The bricks of GlusterFS and the clients that mount it.

Both are started from their volume files, without glusterd, which would keep its state in /var/lib and listen on all
addresses.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from weft.adapters.services.mounted import MountedService, Packaged, Server
from weft.adapters.storage.gluster import GlusterStorage
from weft.host.work import Work
from weft.layout.members import Members
from weft.layout.node import Node
from weft.layout.places import Place
from weft.layout.plan import SECRET


class Gluster(MountedService):
    """Bricks on nodes of their own, a client on each compute node."""

    kind: Literal["gluster"] = "gluster"
    title: ClassVar[str] = "GlusterFS"
    why_root: ClassVar[str] = "the attributes of its bricks and for mounting"
    hint: ClassVar[str] = (
        "a client needs /dev/fuse, a brick the attributes trusted.* of its backing file system"
    )
    server_memory: ClassVar[int] = 256 << 20
    client_memory: ClassVar[int] = 192 << 20

    storage: GlusterStorage = Field(description="the storage that it serves")

    def files(self, members: Members, backing: Place, work: Work) -> Mapping[Path, str]:
        servers = members.of(self.kind)
        bricks = {_volume(work, f"brick-{node.name}"): self._brick(node, backing) for node in servers}
        return {**bricks, _volume(work, "client"): self._client(servers)}

    def servers(self, members: Members, work: Work) -> list[Server]:
        return [
            Server(
                name := f"brick-{node.name}",
                node,
                _program("glusterfsd", "glusterfs-server", node, name, work),
                self.storage.port,
            )
            for node in members.of(self.kind)
        ]

    def mount(self, node: Node, point: Path, work: Work) -> Packaged:
        return _program("glusterfs", "glusterfs-client", node, "client", work, str(point))

    def proof(self, point: Path) -> list[list[str]]:
        """A directory is created on each brick, so that a client that can is connected to all of them."""
        probe = str(point / ".connected")
        return [["mkdir", probe], ["rmdir", probe]]

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


def _program(program: str, package: str, node: Node, name: str, work: Work, *more: str) -> Packaged:
    """A command that reads a volume file and stays in the foreground."""
    volume = _volume(work, name)
    # at WARNING and all lower levels its log contains the whole volume file, including the password
    quiet = ["--log-level", "ERROR", "--log-file", "/dev/stderr"]
    pid = str(volume.with_name(f"{name}-{node.name}.pid"))
    arguments = ["--no-daemon", "--volfile", str(volume), "--pid-file", pid, *quiet, *more]
    return Packaged(program, package, arguments)
