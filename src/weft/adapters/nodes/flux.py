"""Nodes of a job of Flux."""

from typing import ClassVar, Literal

from weft.adapters.nodes.batchnodes import BatchNodes


class FluxNodes(BatchNodes):
    """Hosts that Flux allocates."""

    scheduler: ClassVar[str] = "flux"

    kind: Literal["flux"] = "flux"
