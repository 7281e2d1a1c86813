"""The metadata server and the chunkservers of MooseFS, and the clients that mount it, all with settings of the run's own.

Chunkservers authenticate to the metadata server and so do clients, but no client does to a chunkserver: what protects the
chunks is the network of virtual nodes, which nobody else reaches.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from weft.adapters.services.mounted import MountedService, Packaged, Server
from weft.adapters.storage.moosefs import MooseStorage
from weft.host.work import Work
from weft.layout.members import Members
from weft.layout.node import Node
from weft.layout.places import Place
from weft.layout.plan import SECRET

_PEERS, _CHUNKSERVERS, _CLIENTS, _CHUNKS = range(4)
"""Positions of the ports, after the first one."""
_EMPTY = "MFSM NEW"
"""The metadata of an empty file system (metadata.mfs.empty of the package)."""
_OURS = {
    # otherwise user and group "mfs", whom the package creates
    "WORKING_USER": "root",
    "WORKING_GROUP": "root",
    "FILE_UMASK": "077",
    # a run's servers are no more than other processes of the machine
    "DISABLE_OOM_KILLER": "0",
}
"""Settings of both servers."""
_BUFFERS = 64
"""Mebibytes that a client may use for reading ahead, and again for unsent data; MooseFS's default is 256."""


class Moosefs(MountedService):
    """The metadata server and a chunkserver on the first of its nodes, a chunkserver on each other."""

    kind: Literal["moosefs"] = "moosefs"
    title: ClassVar[str] = "MooseFS"
    why_root: ClassVar[str] = "mounting"
    hint: ClassVar[str] = "a client needs /dev/fuse, a chunkserver room on its backing storage"
    server_memory: ClassVar[int] = 320 << 20
    client_memory: ClassVar[int] = 192 << 20

    storage: MooseStorage = Field(description="the storage that it serves")

    def _port(self, which: int) -> int:
        return self.storage.port + which

    def files(self, members: Members, backing: Place, work: Work) -> Mapping[Path, str]:
        servers = members.of(self.kind)
        head = servers[0]
        texts = {
            "master": _settings(self._master(head, backing, work)),
            "exports": "".join(
                f"{node.address} / rw,maproot=0:0,password={SECRET}\n" for node in self._mounting(members)
            ),
            "topology": "",
        }
        for node in self._mounting(members):
            texts[f"client-{node.name}"] = self._client(node, head)
        for node in servers:
            texts[f"chunks-{node.name}"] = _settings(self._chunkserver(node, head, backing, work))
            texts[f"disks-{node.name}"] = f"{_folder(backing, node, 'chunks')}\n"
        return {_file(work, name): text for name, text in texts.items()}

    def _mounting(self, members: Members) -> list[Node]:
        """The nodes that mount it, with their addresses on the network of its servers."""
        return [node.on(self.network) for node in self.clients(members)]

    def _client(self, node: Node, head: Node) -> str:
        options = {
            "mfsmaster": head.address,
            "mfsport": self._port(_CLIENTS),
            "mfsbind": node.address,
            "mfspassword": SECRET,
            "mfswritecachesize": _BUFFERS,
            "mfsreadaheadsize": _BUFFERS,
            # the type of the mount is then fuse.mfs
            "subtype": "mfs",
        }
        return "".join(f"{key}={value}\n" for key, value in options.items()) + "mfsallowoomkiller\n"

    def _master(self, head: Node, backing: Place, work: Work) -> dict[str, str]:
        ports = {"MATOML": _PEERS, "MATOCS": _CHUNKSERVERS, "MATOCL": _CLIENTS}
        return {
            **_OURS,
            "DATA_PATH": _folder(backing, head, "metadata"),
            "EXPORTS_FILENAME": str(_file(work, "exports")),
            "TOPOLOGY_FILENAME": str(_file(work, "topology")),
            "AUTH_CODE": SECRET,
            **{f"{name}_LISTEN_HOST": head.address for name in ports},
            **{f"{name}_LISTEN_PORT": str(self._port(which)) for name, which in ports.items()},
        }

    def _chunkserver(self, node: Node, head: Node, backing: Place, work: Work) -> dict[str, str]:
        return {
            **_OURS,
            "DATA_PATH": _folder(backing, node, "server"),
            "HDD_CONF_FILENAME": str(_file(work, f"disks-{node.name}")),
            # a backing storage may be small
            "HDD_LEAVE_SPACE_DEFAULT": "0",
            "BIND_HOST": node.address,
            "MASTER_HOST": head.address,
            "MASTER_PORT": str(self._port(_CHUNKSERVERS)),
            "AUTH_CODE": SECRET,
            "CSSERV_LISTEN_HOST": node.address,
            "CSSERV_LISTEN_PORT": str(self._port(_CHUNKS)),
        }

    def servers(self, members: Members, work: Work) -> list[Server]:
        nodes = members.of(self.kind)
        arguments = ["-f", "-c", str(_file(work, "master")), "start"]
        master = Server(
            "master",
            nodes[0],
            Packaged("mfsmaster", "moosefs-master", arguments),
            self._port(_CLIENTS),
            ["metadata"],
            {"metadata/metadata.mfs": _EMPTY},
        )
        return [master, *(self._chunks(node, work) for node in nodes)]

    def _chunks(self, node: Node, work: Work) -> Server:
        name = f"chunks-{node.name}"
        arguments = ["-f", "-c", str(_file(work, name)), "start"]
        program = Packaged("mfschunkserver", "moosefs-chunkserver", arguments)
        return Server(name, node, program, self._port(_CHUNKS), ["server", "chunks"])

    def mount(self, node: Node, point: Path, work: Work) -> Packaged:
        settings = _file(work, f"client-{node.name}")
        return Packaged("mfsmount", "moosefs-client", ["-f", "-c", str(settings), str(point)])

    def proof(self, point: Path) -> list[list[str]]:
        """There is room as soon as a chunkserver has registered; new files inherit what is set on the root."""
        room = ["sh", "-c", 'test "$(stat -f -c %b "$1")" -gt 0', "sh", str(point)]
        # deleted files would be kept for a day, and each file twice
        return [room, ["mfssettrashtime", "0", str(point)], ["mfssetgoal", "1", str(point)]]


def _settings(table: Mapping[str, str]) -> str:
    return "".join(f"{key} = {value}\n" for key, value in table.items())


def _file(work: Work, name: str) -> Path:
    return work.directory / "moosefs" / f"{name}.cfg"


def _folder(backing: Place, node: Node, what: str) -> str:
    return f"{backing.paths[node.name]}/{what}"
