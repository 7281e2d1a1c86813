"""The parts of a run: its services, which nodes are compute nodes, and where every role's files are.

It is computed once for a run, and once for its plan.
"""

import dataclasses
import os
import pwd
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from weft.adapters.nodes.base import Nodes
from weft.adapters.services.base import Service
from weft.adapters.storage.base import Storage
from weft.adapters.storage.readback import require_expected
from weft.errors import UsageError
from weft.facts.roles import Role
from weft.host import settings
from weft.host.own import require_named
from weft.host.site.profile import load
from weft.host.work import Work, WorkDirectory
from weft.layout.members import Members
from weft.layout.node import Node
from weft.layout.places import Place
from weft.layout.plan import Layout, Plan, require_apart, together
from weft.run.room import require_plain, require_room
from weft.spec.model import Spec
from weft.text.units import show_size


@dataclass(frozen=True)
class Places:
    """By role: where its files are. By service: where its daemons store theirs."""

    roles: Mapping[Role, Place]
    backings: Mapping[str, Place]


@dataclass(frozen=True)
class Topology:
    """The storage of each role, and the services in the order of their start."""

    storages: Mapping[Role, Storage]
    services: Sequence[Service]

    def nodes(self, asked: Nodes) -> Nodes:
        """The requested nodes, and those that belong to services."""
        own = sum(service.own_nodes for service in self.services)
        return asked.model_copy(update={"count": asked.count + own})

    def require_possible(self, spec: Spec) -> None:
        """Raises UsageError if the run is known to fail, before anything is downloaded or started."""
        require_plain({**settings.directories(), **_others(spec)})
        layers = [layer.kind for layer in spec.layers()]
        load().limits.require(self.nodes(spec.nodes).count, layers)
        for variable in settings.spelled():
            require_named(variable)
        if not spec.nodes.on_other_hosts:
            _require_login_name(spec)
            for engine in spec.engine.parts.values():
                engine.require()
            for role, storage in self.storages.items():
                storage.require(role)
        kept = {role: path for role, storage in self.storages.items() if (path := storage.keeps(role))}
        require_plain({role: _VARIABLE.sub("", str(path)) for role, path in kept.items()})
        if not spec.nodes.on_other_hosts:
            require_room(spec.workload, kept)

    def members(self, nodes: Sequence[Node], computing: int) -> Members:
        """The roles of nodes: the first are compute nodes."""
        own: dict[str, Sequence[Node]] = {}
        rest = nodes[computing:]
        for service in self.services:
            if service.own_nodes:
                own[service.kind], rest = rest[: service.own_nodes], rest[service.own_nodes :]
        return Members(nodes[:computing], own, {service.kind: service.network for service in self.services})

    def computing(self, members: Members) -> list[Node]:
        """The compute nodes, with the memory that services and scratch leave to the engine."""
        taken = Counter[str]()
        for service in self.services:
            taken.update(service.memory(members))
        if scratch := self.storages.get("scratch"):
            taken.update(scratch.memory(members))
        for node in [*members, *members.servers]:
            if (size := taken[node.name]) >= node.memory:
                raise UsageError(
                    f"{node.name} has {show_size(node.memory)}; what serves it takes {show_size(size)}",
                    hint="request fewer or larger nodes",
                )
        return [dataclasses.replace(node, memory=node.memory - taken[node.name]) for node in members]

    def sketch(self, members: Members, work: WorkDirectory) -> Places:
        """The places that `place` would provide, without creating anything."""
        backings = {
            service.kind: service.backing.sketch(service.role, members.of(service.kind), work)
            for service in self.services
            if service.backing
        }
        roles = {role: storage.sketch(role, members, work) for role, storage in self.storages.items()}
        return Places(roles, backings)

    @contextmanager
    def place(self, members: Members, work: Work) -> Iterator[Places]:
        """A place for each role and for the files of each service; starts services that roles are mounted from."""
        backings: dict[str, Place] = {}
        with ExitStack() as held:
            for service in self.services:
                on = members.of(service.kind)
                if service.backing:
                    place = service.backing.place(service.role, on, work)
                    backings[service.kind] = held.enter_context(place)
                held.enter_context(service.start_first(members, backings.get(service.kind), work))
            roles = {
                role: held.enter_context(storage.place(role, members, work))
                for role, storage in self.storages.items()
            }
            for name, backing in backings.items():
                require_expected(name, backing, members.of(name))
            for role, found in roles.items():
                require_expected(role, found, members)
            yield Places(roles, backings)

    def laid(self, layout: Layout, members: Members, backings: Mapping[str, Place]) -> Layout:
        """A layout with the endpoints of services."""
        for service in self.services:
            endpoint = service.endpoint(members, layout)
            names = endpoint.nodes or [node.name for node in members.of(service.kind)]
            whole = dataclasses.replace(
                endpoint, nodes=names, network=service.network, backing=backings.get(service.kind)
            )
            layout = dataclasses.replace(layout, services={**layout.services, service.kind: whole})
        return layout

    def plan(self, spec: Spec, layout: Layout) -> Plan:
        """The daemons of the services and of the engine."""
        engine = spec.engine.plan(layout)  # first, because its error messages are the most precise
        spec.workload.require_layout(layout)
        own = Plan(files=spec.workload.generated(layout), daemons=[])
        plan = together([*(service.plan(layout) for service in self.services), engine, own])
        require_apart(plan.daemons)
        return plan


_VARIABLE = re.compile(r"\$(\w+|\{\w+\})")
"""Such as $DW_JOB_STRIPED: it has a value in the job alone."""


def _require_login_name(spec: Spec) -> None:
    """As in a container that was started with a user ID of another machine. Raises UsageError."""
    refused = [kind for kind, engine in spec.engine.parts.items() if engine.login_name]
    try:
        pwd.getpwuid(os.getuid())
    except KeyError:
        if refused:
            raise UsageError(
                f"user ID {os.getuid()} has no name on this machine, and {refused[0]} does not start without one",
                hint="`getent passwd $(id -u)` shows the name; in a container mount the host's /etc/passwd, or run as a user that it has",
            ) from None


def _others(spec: Spec) -> dict[str, str]:
    """Further directories whose paths engines read, by what names them."""
    homes = {f"{name.upper()}_HOME": spec.home(name) for name in spec.distributions()}
    named = {"JAVA_HOME": settings.java_home(), "WEFT_SHARED": settings.shared(), **homes}
    return {name: str(path) for name, path in named.items() if path is not None}


def topology(spec: Spec) -> Topology:
    """The topology of a spec. Raises UsageError if its parts do not fit together."""
    return Topology(spec.storage(), spec.all_services())
