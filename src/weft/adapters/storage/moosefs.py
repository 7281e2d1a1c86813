"""MooseFS on nodes of its own: like Lustre it has one metadata server, which clients ask at each open of a file.

Its servers refuse loopback addresses, so that it needs nodes with a network: virtual ones.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from weft.adapters.storage.mounted import MountedStorage
from weft.errors import UsageError
from weft.facts.roles import Role
from weft.host.work import WorkDirectory
from weft.layout.members import Members
from weft.layout.places import Place

PORTS = 4
"""Of a node with the metadata server: for its peers, for chunkservers, for clients; and that of its chunkserver."""


class MooseStorage(MountedStorage):
    """The metadata server on the first of its nodes, a chunkserver on each; a file is stored once, in chunks of 64 MiB."""

    kind: Literal["moosefs"] = "moosefs"
    title: ClassVar[str] = "MooseFS of a metadata server and {} chunkserver(s)"

    port: Annotated[int, Field(ge=1024, le=65536 - PORTS)] = Field(
        default=24200, description=f"first of the {PORTS} ports of its servers"
    )

    @property
    def parallel(self) -> str:
        return "MooseFS"

    def sketch(self, role: Role, nodes: Members, work: WorkDirectory) -> Place:
        if any(node.address.startswith("127.") for node in nodes.of(self.kind)):
            raise UsageError(
                f"{role}: MooseFS refuses the loopback addresses of local nodes",
                hint="use virtual nodes, which have a network of their own: --nodes virtual:2",
            )
        return super().sketch(role, nodes, work)
