"""YARN, for jobs of Hadoop, Spark and Flink: a ResourceManager on the head node, a NodeManager on every node."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import BaseModel, Field, InstanceOf

from weft.adapters.services.base import Service
from weft.adapters.services.hadoop import hadoop_classes
from weft.adapters.services.yarncluster import (
    NODE_MANAGER,
    OVERHEAD,
    RESOURCE_MANAGER,
    Containers,
    Ports,
    YarnCluster,
)
from weft.layout.endpoint import Endpoint
from weft.layout.jvm import SharedClasses
from weft.layout.members import Members
from weft.layout.plan import Layout, Plan


class Tenant(ABC):
    """The user of YARN's containers: an engine."""

    kind: str
    auxiliary: ClassVar[Mapping[str, str]] = {}
    """Auxiliary services of the NodeManagers, class by name."""

    @abstractmethod
    def containers(self, layout: Layout) -> Containers:
        """How a node's remaining memory is divided. Raises UsageError if it does not fit."""

    def site_settings(self, layout: Layout) -> Mapping[str, str]:  # noqa: ARG002 - for those with some
        """Hadoop settings, each of which overrides the file to which it belongs."""
        return {}


class Yarn(Service):
    """A resource manager of the run; its keys are those of the engine that runs on it."""

    kind: Literal["yarn"] = "yarn"
    distributions: ClassVar[tuple[str, ...]] = ("hadoop",)
    configurable: ClassVar[bool] = False
    clears: ClassVar[bool] = True

    tenant: InstanceOf[Tenant] = Field(description="the engine that runs on it")
    port: int = Field(description="first of the ports of its daemons")
    web_port: int = Field(description="first of the ports of their status pages")
    pages: Literal["closed", "open"] = Field(default="closed", description="closed: they require a token")

    @property
    def needs(self) -> tuple[str, ...]:
        return ("kerberos",)

    def memory(self, members: Members) -> Mapping[str, int]:
        taken = {node.name: NODE_MANAGER + OVERHEAD for node in members}
        taken[members[0].name] += RESOURCE_MANAGER + OVERHEAD
        return taken

    def classes(self, homes: Mapping[str, Path], jars: Mapping[str, Path]) -> Mapping[str, SharedClasses]:
        return hadoop_classes(homes, jars)

    def endpoint(self, members: Members, layout: Layout) -> Endpoint:  # noqa: ARG002
        return Endpoint(settings=layout.of_engine(self.tenant.kind).directory / "conf")

    def plan(self, layout: Layout) -> Plan:
        share = layout.of_engine(self.tenant.kind)
        cluster = self.cluster(layout, self.tenant.containers(share))
        files = cluster.files(cluster.sites(self.tenant.auxiliary), self.tenant.site_settings(share))
        return Plan(files, cluster.daemons(), (cluster.ready(),))

    def cluster(self, layout: Layout, containers: Containers) -> YarnCluster:
        """YARN on the nodes of a layout."""
        ports, closed = Ports(self.port, self.web_port), layout.secured and self.pages == "closed"
        table = layout.of_engine(self.tenant.kind).table
        return YarnCluster(layout, ports, containers, closed=closed, table=table)


class OnYarnAlone(BaseModel, Tenant):
    """An engine of which every process is in a container of YARN: the ports and the status pages are YARN's."""

    port: int = Field(default=6030, ge=1024, le=65500, description="first of the ports of the daemons")
    web_port: int = Field(
        default=6088, ge=1024, le=65500, description="first of the ports of their status pages"
    )
    pages: Literal["closed", "open"] = Field(
        default="closed",
        description="closed: status pages require a token signed with the secret; open: everybody who can reach them can read them",
    )

    def services(self) -> Sequence[Service]:
        return [self._service()]

    def _service(self) -> Yarn:
        return Yarn(tenant=self, port=self.port, web_port=self.web_port, pages=self.pages)

    def _yarn(self, layout: Layout) -> YarnCluster:
        return self._service().cluster(layout, self.containers(layout))
