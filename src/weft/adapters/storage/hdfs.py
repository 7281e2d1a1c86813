"""HDFS: a Hadoop file system of the run's own, served on the nodes that compute or on nodes of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from pydantic import Field

from weft.adapters.storage.served import ServedStorage
from weft.errors import UsageError
from weft.facts.roles import SHARED_ROLES, Role
from weft.host.work import Work, WorkDirectory
from weft.layout.members import Members
from weft.layout.places import Place
from weft.text.executes import Settings
from weft.text.fields import MOST, Size
from weft.text.units import show_size

_REPLICATION = 3
"""HDFS's own default, where there are as many DataNodes."""


class HdfsStorage(ServedStorage):
    """A Hadoop file system of the run's own."""

    kind: Literal["hdfs"] = "hdfs"

    nodes: int = Field(
        default=0,
        ge=0,
        le=MOST,
        description="nodes of its own, beyond those that compute; 0: on those that compute",
    )
    block: Size = Field(default=128 << 20, ge=1 << 20, description="block size")
    replication: int | None = Field(
        default=None, ge=1, description="copies of each block; default: 3, or one a DataNode if fewer"
    )
    namenode_memory: Size = Field(default=256 << 20, ge=64 << 20, description="heap of the NameNode")
    datanode_memory: Size = Field(default=256 << 20, ge=64 << 20, description="heap of each DataNode")
    port: int = Field(default=8020, ge=1024, le=60000, description="port of the NameNode; DataNodes follow")
    web_port: int = Field(
        default=9870, ge=1024, le=60000, description="port of the NameNode's status page; DataNodes follow"
    )
    conf: Settings = Field(
        default_factory=dict,
        description="any property of hdfs-site.xml, for daemons and clients; wins over weft's",
    )

    @property
    def no_mmap(self) -> str:
        return "files in HDFS are not files of the node"

    def copies(self, datanodes: int) -> int:
        """Copies of each block. Raises UsageError when there are fewer DataNodes."""
        copies = self.replication or min(_REPLICATION, datanodes)
        if copies > datanodes:
            raise UsageError(
                f"hdfs: {copies} copies of a block need as many DataNodes, there are {datanodes}",
                hint="lower replication, or ask for more nodes",
            )
        return copies

    def sketch(self, role: Role, nodes: Members, work: WorkDirectory) -> Place:
        if role not in SHARED_ROLES:
            raise UsageError(
                "scratch: engines keep scratch in local files, not in HDFS",
                hint="use hdfs for --input and --output",
            )
        servers = nodes.of(self.kind)
        below = self.on.sketch(self.kind, servers, work)
        where = f"on {self.nodes} node(s) of its own" if self.nodes else "on the nodes that compute"
        size = f"blocks of {show_size(self.block)} x {self.copies(len(servers))}"
        uri = f"hdfs://{servers[0].address}:{self.port}/weft/{role}"
        text = f"HDFS {where}, {size}, on {below.description}"
        return Place("hdfs", text, {node.name: uri for node in nodes}, shared=True)

    @contextmanager
    def place(self, role: Role, nodes: Members, work: Work) -> Iterator[Place]:
        yield self.sketch(role, nodes, work)
