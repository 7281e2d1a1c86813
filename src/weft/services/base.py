"""What a run needs beside its engine: file systems, resource managers, authentication."""

from abc import ABC
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, SerializeAsAny

from weft.host.work import Work
from weft.layout.endpoint import Endpoint
from weft.layout.jvm import SharedClasses
from weft.layout.members import Members
from weft.layout.places import Place
from weft.layout.plan import Layout, Plan
from weft.storage.base import Storage
from weft.text.family import Family
from weft.text.shorthand import MisreadError


class Service(BaseModel, ABC):
    """Configuration of a service, and what it adds to a run. A run has at most one of a kind."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    positional: ClassVar[str] = "nodes"
    lists: ClassVar[frozenset[str]] = frozenset()
    distributions: ClassVar[tuple[str, ...]] = ()
    """Names of the distributions that it needs."""
    modules: ClassVar[tuple[str, ...]] = ()
    """Modules of weft's own jars that it needs, beside those named as its distributions."""
    alone: ClassVar[bool] = False
    """Whether it is of use by itself; any other is there where an engine, a storage or a service needs it."""
    configurable: ClassVar[bool] = True
    """Whether it has keys of its own; those of any other are keys of the storage or engine that needs it."""
    kind: str

    @property
    def needs(self) -> tuple[str, ...]:
        """Kinds of the services that it needs in turn."""
        return ()

    @property
    def own_nodes(self) -> int:
        """How many nodes it has for itself, beyond those that compute; with none it is on those."""
        return 0

    @property
    def backing(self) -> Storage | None:
        """The storage that its daemons keep their files on; the role there is its kind."""
        return None

    def memory(self, members: Members) -> Mapping[str, int]:  # noqa: ARG002 - for those that take some
        """Bytes of memory that it takes from the engine, by node name."""
        return {}

    def shared(self, kind: str, share: Callable[[Layout], Layout]) -> "Service":  # noqa: ARG002
        """The same for an engine that has a share of each node, beside others."""
        return self

    def listed(self, homes: Mapping[str, Path], jars: Mapping[str, Path]) -> Mapping[str, SharedClasses]:  # noqa: ARG002
        """By distribution: processes whose classes are archived while provisioning."""
        return {}

    def stand(
        self,
        members: Members,  # noqa: ARG002 - for those that storages are mounted from
        backing: Place | None,  # noqa: ARG002
        work: Work,  # noqa: ARG002
    ) -> AbstractContextManager[None]:
        """What has to run before the first place of a role is made."""
        return nullcontext()

    def endpoint(self, members: Members, layout: Layout) -> Endpoint:  # noqa: ARG002 - for those that are asked
        """How it is found. `layout` has the endpoints of the services that it needs already."""
        return Endpoint()

    def plan(self, layout: Layout) -> Plan:  # noqa: ARG002 - for those with daemons
        """Its files and daemons, which are started before the engine's."""
        return Plan({}, ())


KINDS: Family[Service] = Family()
"""All services by kind, as `weft.services` fills it."""


def _read(value: Any) -> Service:
    """A service as a user asks for it. Raises ValueError for one that has no keys of its own."""
    table = KINDS.table(value)
    kind = table.get("kind") if isinstance(table, dict) else None
    adapter = KINDS.get(str(kind))
    if adapter and not adapter.configurable:
        raise MisreadError(
            f"{kind} is there where a storage or an engine needs it",
            hint="--input, --output and --engine say what is needed",
        )
    return KINDS.read(table)


AnyService = Annotated[SerializeAsAny[Service], BeforeValidator(_read)]
