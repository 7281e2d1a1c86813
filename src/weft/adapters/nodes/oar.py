"""Nodes of a job of OAR."""

from typing import ClassVar, Literal

from weft.adapters.nodes.batchnodes import BatchNodes


class OarNodes(BatchNodes):
    """Hosts that OAR allocates."""

    scheduler: ClassVar[str] = "oar"

    kind: Literal["oar"] = "oar"
