"""What a run needs besides its engine: file systems, resource managers, authentication."""

from abc import ABC
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, SerializeAsAny

from weft.adapters.storage.base import KINDS as STORAGES
from weft.adapters.storage.base import Storage
from weft.facts.roles import Role
from weft.host.work import Work
from weft.layout.client import Client
from weft.layout.endpoint import Endpoint
from weft.layout.jvm import SharedClasses
from weft.layout.members import Members
from weft.layout.node import Network
from weft.layout.places import Place
from weft.layout.plan import Layout, Plan
from weft.text.family import Family
from weft.text.shorthand import MisreadError


class Service(BaseModel, ABC):
    """Configuration of a service, and its contribution to a run. A run has at most one of a kind."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    positional: ClassVar[str] = "nodes"
    lists: ClassVar[frozenset[str]] = frozenset()
    distributions: ClassVar[tuple[str, ...]] = ()
    """Names of the distributions that it needs."""
    modules: ClassVar[tuple[str, ...]] = ()
    """Modules of weft's own jars that it needs, besides those named after its distributions."""
    java_modules: ClassVar[tuple[str, ...]] = ()
    """Modules of Java that its users' processes need, and that some runtimes lack."""
    alone: ClassVar[bool] = False
    """Whether it is useful by itself; others exist only if an engine, a storage or a service needs them."""
    authenticates: ClassVar[bool] = False
    """Whether it only authenticates processes: a run with security=none has none of these."""
    clears: ClassVar[bool] = False
    """Whether it starts programs on scratch without the variables of its own environment."""
    configurable: ClassVar[bool] = True
    """Whether it has keys of its own; otherwise its keys belong to the storage or engine that needs it."""
    network: ClassVar[Network] = "compute"
    """The network of its traffic, where nodes have several."""
    kind: str

    @property
    def needs(self) -> tuple[str, ...]:
        """Kinds of the services that it needs in turn."""
        return ()

    @property
    def own_nodes(self) -> int:
        """The number of nodes of its own; with none it runs on the compute nodes."""
        return 0

    @property
    def backing(self) -> Storage | None:
        """The storage of its daemons' files."""
        return None

    @property
    def role(self) -> Role:
        """What these files are for."""
        return self.kind

    def memory(self, members: Members) -> Mapping[str, int]:  # noqa: ARG002 - for services that use some
        """Bytes of memory that it uses and the engine lacks, by node name."""
        return {}

    def classes(self, homes: Mapping[str, Path], jars: Mapping[str, Path]) -> Mapping[str, SharedClasses]:  # noqa: ARG002
        """By distribution: processes whose classes are archived while provisioning."""
        return {}

    def start_first(
        self,
        members: Members,  # noqa: ARG002 - for services from which storages are mounted
        backing: Place | None,  # noqa: ARG002
        work: Work,  # noqa: ARG002
    ) -> AbstractContextManager[None]:
        """What must run before the first place of a role is created."""
        return nullcontext()

    def endpoint(self, members: Members, layout: Layout) -> Endpoint:  # noqa: ARG002 - for services with clients
        """How to connect to it. `layout` already has the endpoints of the services that it needs."""
        return Endpoint()

    def client(self, layout: Layout) -> Client | None:  # noqa: ARG002 - for services with programs for users
        """What a user's command on a persistent cluster needs of it; its variables are in the endpoint."""
        return None

    def plan(self, layout: Layout) -> Plan:  # noqa: ARG002 - for services with daemons
        """Its files and daemons, which are started before the engine's."""
        return Plan({}, ())


KINDS: Family[Service] = Family(below=STORAGES)
"""All services by kind; filled by `weft.adapters.services`."""


def _read(value: Any) -> Service:
    """A service as requested by a user. Raises ValueError for one without keys of its own."""
    table = KINDS.table(value)
    kind = table.get("kind") if isinstance(table, dict) else None
    adapter = KINDS.get(str(kind))
    if adapter and not adapter.configurable:
        raise MisreadError(
            f"{kind} runs only if a storage or an engine needs it",
            hint="select storage and engines with --input, --output and --engine",
        )
    return KINDS.read(table)


AnyService = Annotated[SerializeAsAny[Service], BeforeValidator(_read)]
