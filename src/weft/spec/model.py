"""The user's request, frozen. TOML and the command line's flags are two notations for one table."""

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr, model_validator

from weft.adapters import engines, nodes, services, storage, workloads
from weft.adapters.engines import AnyEngine
from weft.adapters.nodes import AnyNodes
from weft.adapters.nodes.local import LocalNodes
from weft.adapters.probes import ProbeName
from weft.adapters.services import AnyService
from weft.adapters.services.base import Service
from weft.adapters.storage import AnyStorage
from weft.adapters.storage.base import Storage, layers
from weft.adapters.storage.disk import DiskStorage
from weft.adapters.workloads import AnyWorkload
from weft.facts.roles import Role
from weft.host import settings
from weft.text.executes import Executes
from weft.text.family import Family
from weft.text.fields import Duration, Listed
from weft.text.redaction import Values
from weft.text.shorthand import expand

FAMILIES: Mapping[str, Family[Any]] = {
    "workload": workloads.KINDS,
    "engine": engines.KINDS,
    "nodes": nodes.KINDS,
    "input": storage.KINDS,
    "output": storage.KINDS,
    "scratch": storage.KINDS,
    "services": services.KINDS,
}
"""The keys whose table is an adapter, and the adapters by kind."""


def service_tables(value: Any) -> Any:
    """The tables of services: a list of them, tables by kind, or one in short form."""
    if isinstance(value, Mapping):
        if wrong := [kind for kind, table in value.items() if not isinstance(table, Mapping)]:
            raise ValueError(f"{wrong[0]} is not a table; write [services.{wrong[0]}] and its keys")
        return [{"kind": kind, **table} for kind, table in value.items()]
    return [value] if isinstance(value, str) else value


PROBES = ("proc", "threads", "engine", "python")
"""The default probes."""


def _with_added(value: Any) -> Any:
    """The probes that are listed, or the default ones, and those with a +, which are added."""
    words = [word for word in value.split(",") if word] if isinstance(value, str) else value
    if not (isinstance(words, list) and all(isinstance(word, str) for word in words)):
        return value
    listed = [word for word in words if not word.startswith("+")]
    added = [word.removeprefix("+") for word in words if word.startswith("+")]
    return list(dict.fromkeys([*(listed or (PROBES if added else ())), *added]))


class Spec(BaseModel):
    """One run: which workload, with which engine, on which nodes and storage. The same text always means the same run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    workload: AnyWorkload = Field(description="the workload")
    engine: AnyEngine = Field(default_factory=engines.DEFAULT, description="the engine")
    nodes: AnyNodes = Field(default_factory=LocalNodes, description="the nodes")
    input: AnyStorage = Field(default_factory=DiskStorage, description="storage of the input")
    output: AnyStorage = Field(default_factory=DiskStorage, description="storage of the result")
    scratch: AnyStorage = Field(default_factory=DiskStorage, description="storage of shuffle and spill files")
    probes: Annotated[tuple[ProbeName, ...], BeforeValidator(_with_added), Listed] = Field(
        default=PROBES, description="the probes; +NAME adds one to these"
    )
    services: Annotated[tuple[AnyService, ...], BeforeValidator(service_tables)] = Field(
        default=(), description="services besides the engine and the storage: KIND:NODES, or KIND.KEY=VALUE"
    )
    security: Annotated[
        Literal["full", "none"],
        Executes("none: everybody who reaches the cluster runs programs on it as the user"),
    ] = Field(
        default="full",
        description="full: processes authenticate each other, status pages require a token; none: everybody who can reach the cluster can use it",
    )
    class_archives: bool = Field(
        default=True, description="start Java processes from class-data archives, which saves parsing classes"
    )
    start_deadline: Duration = Field(
        default=90.0, gt=0, description="maximum time until the cluster is ready"
    )
    timeout: Duration | None = Field(
        default=None,
        gt=0,
        description="maximum time of the measured work; default: 1h, and none for a job of your own",
    )

    _secrets: Values = PrivateAttr(default_factory=dict)

    def with_secrets(self, values: Values) -> Self:
        """The same spec; its tables have a placeholder for each secret of the user, so that it can be shown and stored."""
        self._secrets = values
        return self

    @property
    def secrets(self) -> Values:
        """By placeholder: the user's secret."""
        return self._secrets

    @model_validator(mode="before")
    @classmethod
    def _first_engine_of_the_workload(cls, table: Any) -> Any:
        """Without an engine, a workload uses the first engine that supports it."""
        if not isinstance(table, dict) or "engine" in table:
            return table
        named = expand(table.get("workload"), {})
        workload = workloads.KINDS.get(str(named.get("kind"))) if isinstance(named, dict) else None
        return {**table, "engine": {"kind": workload.engines[0]}} if workload else table

    @property
    def time_limit(self) -> float:
        """Maximum seconds of the measured work; infinity if there is no limit."""
        return self.timeout or self.workload.time_limit

    def storage(self) -> dict[Role, Storage]:
        """The storage of each role of the workload, and of those that it can use and that were requested."""
        named = {"input": self.input, "output": self.output, "scratch": self.scratch}
        roles = {*self.workload.roles, *(set(self.workload.optional) & self.model_fields_set)}
        return {role: storage for role, storage in named.items() if role in roles}

    def all_services(self) -> list[Service]:
        """The services that its storages and its engine need and those requested, in the order of their start."""
        return self._resolved

    @cached_property
    def _resolved(self) -> list[Service]:
        return services.resolved(self.storage(), self.engine.services(), self.services, secured=self.secured)

    def added_probes(self) -> dict[str, str]:
        """Probes in addition to the default ones, and why; none if the user listed others, or only the default ones.

        None for a persistent cluster: what they count of each process of its jobs would be there until it ends.
        """
        if self.workload.measured is None:
            return {}
        if "probes" in self.model_fields_set and not set(self.probes) > set(PROBES):
            return {}
        slow = {layer.parallel for layer in self.layers()} - {""}
        return {"fileops": f"files are on {', '.join(sorted(slow))}"} if slow else {}

    def layers(self) -> list[Storage]:
        """The storages of all roles and of all services, with their backing storages."""
        backings = [service.backing for service in self.all_services()]
        found = [*self.storage().values(), *(backing for backing in backings if backing)]
        return [layer for storage in found for layer in layers(storage)]

    def paths(self) -> list[Path]:
        """Existing paths in the spec, which every node must see."""
        stored = [getattr(layer, "path", None) for layer in self.layers()]
        named = [
            settings.expanded(path) for path in (*stored, *self.workload.paths) if isinstance(path, Path)
        ]
        directories = [path if path.is_dir() else path.parent for path in named]
        return [path.resolve() for path in dict.fromkeys(directories) if path.is_dir()]

    def distributions(self) -> tuple[str, ...]:
        """Names of the distributions that the engine and the services need."""
        engines = [name for part in self.engine.parts.values() for name in part.distributions]
        needed = [name for service in self.all_services() for name in service.distributions]
        return tuple(dict.fromkeys([*engines, *needed]))

    def libraries(self) -> tuple[str, ...]:
        """Names of the distributions with jars that the job needs besides its engine's."""
        known = self.workload.libraries
        return tuple(known[kind] for kind in self.engine.parts if kind in known)

    def modules(self) -> tuple[str, ...]:
        """Modules of weft's own jars that services need, besides those of the distributions."""
        return tuple(dict.fromkeys(name for service in self.all_services() for name in service.modules))

    @property
    def secured(self) -> bool:
        """Whether processes of the run authenticate each other."""
        return self.security == "full"

    @property
    def unsecured(self) -> str:
        """Who else can use the cluster of a run with security=none, in a sentence; empty for other runs."""
        who = self.nodes.reached_by
        sentence = f"security=none: {who} can use this cluster, and run programs with your rights"
        return "" if self.secured else sentence

    @property
    def encrypted(self) -> bool:
        """Whether network traffic must be encrypted."""
        return any(part.encrypted for part in self.engine.parts.values())

    def home(self, distribution: str) -> Path | None:
        """A site's own installation, from the engine's table or the environment."""
        own: Path | None = getattr(self.engine.parts.get(distribution), "home", None)
        return own or settings.home(distribution)

    def key(self) -> str:
        """Eight hex digits that identify this spec."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:8]
