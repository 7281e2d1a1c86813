"""Nodes of a job of LSF."""

from typing import ClassVar, Literal

from weft.adapters.nodes.batchnodes import BatchNodes


class LsfNodes(BatchNodes):
    """Hosts that LSF allocates."""

    scheduler: ClassVar[str] = "lsf"

    kind: Literal["lsf"] = "lsf"
