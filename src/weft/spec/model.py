"""What the user asked for, frozen. TOML and the command line's flags are two spellings of one table."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from weft import engines, nodes, storage, workloads
from weft.engines import AnyEngine
from weft.engines.spark.engine import SparkEngine
from weft.host import settings
from weft.host.work import WorkDirectory
from weft.layout.places import Role
from weft.nodes import AnyNodes
from weft.nodes.base import Node
from weft.nodes.local import LocalNodes
from weft.services.kdc import Kerberos
from weft.services.realm import Realm
from weft.storage import AnyStorage
from weft.storage.base import layers
from weft.storage.disk import DiskStorage
from weft.text.fields import Duration
from weft.text.shorthand import expand
from weft.workloads import AnyWorkload

FAMILIES: Mapping[str, Mapping[str, type[BaseModel]]] = {
    "workload": workloads.KINDS,
    "engine": engines.KINDS,
    "nodes": nodes.KINDS,
    "input": storage.KINDS,
    "output": storage.KINDS,
    "scratch": storage.KINDS,
}
"""The keys whose table is an adapter, and the adapters by kind."""

ProbeName = Literal["null", "proc", "threads", "engine", "fileops", "lustre", "hdfs"]


def _words(value: Any) -> Any:
    return [word for word in value.split(",") if word] if isinstance(value, str) else value


class Spec(BaseModel):
    """One run: what work, by which engine, where, on what. The same text always means the same run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    workload: AnyWorkload = Field(description="what work")
    engine: AnyEngine = Field(default_factory=SparkEngine, description="what does it")
    nodes: AnyNodes = Field(default_factory=LocalNodes, description="where its processes run")
    input: AnyStorage = Field(default_factory=DiskStorage, description="where the input stands")
    output: AnyStorage = Field(default_factory=DiskStorage, description="where the result is written")
    scratch: AnyStorage = Field(default_factory=DiskStorage, description="where shuffle and spill files go")
    probes: Annotated[tuple[ProbeName, ...], BeforeValidator(_words)] = Field(
        default=("proc", "threads", "engine"), description="what observes it"
    )
    kerberos: Kerberos = Field(
        default_factory=Kerberos, description="by which Hadoop's daemons and clients know each other"
    )
    start_deadline: Duration = Field(
        default=90.0, description="how long the cluster may take to become ready"
    )
    timeout: Duration = Field(default=3600.0, description="how long the measured work may take")

    @model_validator(mode="before")
    @classmethod
    def _first_engine_of_the_workload(cls, table: Any) -> Any:
        """A workload that is not told its engine runs on the first that it is offered on."""
        if not isinstance(table, dict) or "engine" in table:
            return table
        named = expand(table.get("workload"), {})
        kind = named.get("kind") if isinstance(named, dict) else None
        return (
            {**table, "engine": {"kind": workloads.KINDS[kind].engines[0]}}
            if kind in workloads.KINDS
            else table
        )

    def storage(self) -> dict[Role, AnyStorage]:
        return {"input": self.input, "output": self.output, "shuffle": self.scratch}

    def paths(self) -> list[Path]:
        """Existing paths that the spec names: every node has to see them."""
        stored = [
            getattr(layer, "path", None) for storage in self.storage().values() for layer in layers(storage)
        ]
        named = [
            settings.expanded(path) for path in (*stored, *self.workload.paths) if isinstance(path, Path)
        ]
        directories = [path if path.is_dir() else path.parent for path in named]
        return [path.resolve() for path in dict.fromkeys(directories) if path.is_dir()]

    def distributions(self) -> tuple[str, ...]:
        """Names of the distributions that the engine and the storage need."""
        used = [layer for storage in self.storage().values() for layer in layers(storage)]
        return tuple(
            dict.fromkeys([*self.engine.needs(), *(name for layer in used for name in layer.distributions)])
        )

    def home(self, distribution: str) -> Path | None:
        """A site's own installation, which the engine's table or the environment names."""
        own: Path | None = getattr(self.engine.parts.get(distribution), "home", None)
        return own or settings.home(distribution)

    def realm(self, work: WorkDirectory, head: Node) -> Realm:
        """Where the Kerberos realm of a run that works there will be, if it has one."""
        private = any(part.encrypted for part in self.engine.parts.values())
        return self.kerberos.realm(work, head, private=private)

    def key(self) -> str:
        """Eight hex digits that stand for this spec."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:8]
