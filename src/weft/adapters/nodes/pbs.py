"""Nodes of a job of PBS."""

from typing import ClassVar, Literal

from weft.adapters.nodes.batchnodes import BatchNodes


class PbsNodes(BatchNodes):
    """Hosts that PBS allocates."""

    scheduler: ClassVar[str] = "pbs"

    kind: Literal["pbs"] = "pbs"
