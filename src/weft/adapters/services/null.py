"""A service that does nothing, to measure what a run costs that has one."""

from typing import ClassVar, Literal

from pydantic import Field

from weft.adapters.services.base import Service
from weft.text.fields import MOST


class NullService(Service):
    """Starts nothing; its nodes are idle."""

    kind: Literal["null"] = "null"
    alone: ClassVar[bool] = True

    nodes: int = Field(default=0, ge=0, le=MOST, description="nodes of its own, beyond those that compute")

    @property
    def own_nodes(self) -> int:
        return self.nodes
