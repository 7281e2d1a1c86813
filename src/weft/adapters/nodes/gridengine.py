"""Nodes of a Grid Engine job."""

from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import Field

from weft.adapters.nodes.batchnodes import BatchNodes
from weft.host.schedulers.plain import JobRequest
from weft.host.site.profile import BatchDirectives, GridEngineDirectives, Name


class GridEngineNodes(BatchNodes):
    """Hosts that Grid Engine allocates; commands on them are tasks of the job (`qrsh -inherit`)."""

    scheduler: ClassVar[str] = "gridengine"

    kind: Literal["gridengine"] = "gridengine"
    pe: Name | None = Field(
        default=None,
        description="parallel environment, whose allocation rule is a number; default: the site profile's",
    )

    def request(self, site: BatchDirectives) -> JobRequest:
        assert isinstance(site, GridEngineDirectives)
        resource = site.memory_resource or ""
        return replace(super().request(site), environment=self.pe or site.pe or "", resource=resource)
