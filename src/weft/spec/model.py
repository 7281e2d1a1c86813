"""What the user asked for, frozen. TOML and the command line's flags are two spellings of one table."""

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from weft import engines, nodes, storage, workloads
from weft.engines import AnyEngine
from weft.engines.spark.engine import SparkEngine
from weft.errors import UsageError
from weft.host import settings
from weft.host.work import WorkDirectory
from weft.layout.places import Role
from weft.nodes import AnyNodes
from weft.nodes.base import Node
from weft.nodes.local import LocalNodes
from weft.services.kdc import Kerberos
from weft.services.realm import Realm
from weft.spec import cells
from weft.storage import AnyStorage
from weft.storage.base import layers
from weft.storage.disk import DiskStorage
from weft.text.nearest import nearest
from weft.text.shorthand import expand, listed
from weft.text.units import Duration
from weft.workloads import AnyWorkload
from weft.workloads.persistent import Persistent

FAMILIES: Mapping[str, Mapping[str, type[BaseModel]]] = {
    "workload": workloads.KINDS,
    "engine": engines.KINDS,
    "nodes": nodes.KINDS,
    "input": storage.KINDS,
    "output": storage.KINDS,
    "scratch": storage.KINDS,
}
"""The keys whose table is an adapter, and the adapters by kind."""

ProbeName = Literal["null", "proc", "engine", "fileops", "lustre", "hdfs"]


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
        default=("proc", "engine"), description="what observes it"
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


class Study(BaseModel):
    """A matrix of runs: a base table, lists of values to put into it, and how often each cell is run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    base: dict[str, Any]
    matrix: dict[str, list[Any]] = Field(default_factory=dict)
    exclude: list[dict[str, Any]] = Field(default_factory=list, description="combinations that are not run")
    repeat: int = Field(default=1, ge=1, le=1000)
    shuffle_seed: int = Field(default=0, description="order of the runs; the same seed gives the same order")

    def cells(self) -> list[tuple[dict[str, Any], Spec]]:
        """Each combination of the matrix that is not excluded: its coordinates and its spec."""
        found = cells.combinations(self.matrix, self.exclude)
        return [(cell, parse(self.base, self.settings(cell))) for cell in found]

    def settings(self, coordinates: dict[str, Any]) -> dict[str, Any]:
        """What a cell sets over the base, by dotted key."""
        return cells.settings(self.matrix, coordinates)


STUDY_KEYS = ("matrix", "exclude", "repeat", "shuffle_seed")


def load(path: Path) -> Study:
    """A study from TOML: a spec's keys, `repeat`, `shuffle_seed`, a `[matrix]` of lists, and `[[exclude]]`."""
    file = path / "study.toml" if path.is_dir() else path
    try:
        table = tomllib.loads(file.read_text())
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{file} is not TOML: {error}") from error
    return study_from(table, name=file.parent.name if path.is_dir() else file.stem, where=str(file))


def study_from(table: Mapping[str, Any], *, name: str, where: str) -> Study:
    """A study from a table; `where` names it in errors."""
    own = {key: table[key] for key in STUDY_KEYS if key in table}
    base = {key: value for key, value in table.items() if key not in STUDY_KEYS}
    try:
        study = Study(name=name, base=base, **own)
    except ValidationError as error:
        raise UsageError(f"{where}: {_say(error)}") from error
    try:
        study.cells()
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}", hint=error.hint) from error
    return study


def parse(table: Mapping[str, Any], overrides: Mapping[str, Any] | None = None) -> Spec:
    """A spec from a table and dotted overrides. Raises UsageError naming the key and the nearest valid one."""
    merged = {key: _copy(value) for key, value in table.items()}
    for key, value in (overrides or {}).items():
        put(merged, key, value)
    if "workload" not in merged:
        raise UsageError("no workload is named", hint=f"choose one of {', '.join(workloads.KINDS)}")
    try:
        spec = Spec.model_validate(merged)
    except ValidationError as error:
        raise UsageError(_say(error), hint=_hint(error)) from error
    if len(spec.engine.parts) > 1 and not isinstance(spec.workload, Persistent):
        raise UsageError(
            f"{spec.workload.kind} runs on one engine, not on {spec.engine.label}",
            hint="name one; several share the nodes of a cluster of one's own: weft up --engine spark,hadoop",
        )
    return spec


def put(table: dict[str, Any], key: str, value: Any) -> None:
    """Put a value at a dotted key. `spark.x.y` is a setting of the engine; a bare unknown key is the workload's.

    Of several engines each has its keys below its kind: `engine.flink.port`.
    """
    first, _, rest = key.partition(".")
    if first == "spark":
        first, rest, path = "engine", key, ["conf", key]
    elif first in Spec.model_fields:
        path = rest.split(".", 1) if rest.startswith("conf.") else ([rest] if rest else [])
    else:
        first, path = "workload", [key]
    if not path:
        table[first] = value
        return
    if first not in FAMILIES:
        raise UsageError(f"the key {first!r} has no keys below it", hint=f"write {first}=...")
    table[first] = target = _table(first, table.get(first))
    if isinstance(target, list):
        target, path = _part(target, key)
    for word in path[:-1]:
        target = target.setdefault(word, {})
    target[path[-1]] = value


def _part(tables: list[dict[str, Any]], key: str) -> tuple[dict[str, Any], list[str]]:
    """The table of the engine among several that a key is for, and the rest of the key."""
    kind, _, rest = key.removeprefix("engine.").partition(".")
    found = next((table for table in tables if table["kind"] == kind), None)
    if found is None or not rest:
        kinds = [str(table["kind"]) for table in tables]
        raise UsageError(
            f"the key {key!r} does not say which of {', '.join(kinds)} it is for",
            hint=f"write engine.{kinds[0]}.KEY=VALUE",
        )
    if key.startswith("spark."):
        return found, ["conf", key]
    return found, rest.split(".", 1) if rest.startswith("conf.") else [rest]


def _table(family: str, value: Any) -> Any:
    """The table form of what stands at a family's key, so that one key of it can be set; a list of them for several."""
    positional = {kind: adapter.positional for kind, adapter in FAMILIES[family].items()}  # type: ignore[attr-defined]
    if value is None:
        default = Spec.model_fields[family].default_factory
        return {"kind": default().kind}  # type: ignore[misc,call-arg]
    try:
        several = listed(value, positional) if family == "engine" else None
        return dict(expand(value, positional)) if several is None else several
    except ValueError as error:
        raise UsageError(f"{family}: {error}") from error


def _copy(value: Any) -> Any:
    if isinstance(value, list):
        return [_copy(inner) for inner in value]
    return {key: _copy(inner) for key, inner in value.items()} if isinstance(value, dict) else value


def _say(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    words = _location(first["loc"])
    if "several" not in first["loc"] and len(words) > 1 and words[1] in FAMILIES.get(words[0], ()):
        words.pop(1)
    where = ".".join(words[:1] if first["type"] == "union_tag_invalid" else words)
    match first["type"]:
        case "extra_forbidden":
            return f"unknown key {where!r}"
        case "union_tag_invalid":
            return f"unknown {where} {first['input'].get('kind')!r}"
        case "union_tag_not_found":
            return f"{where} does not say its kind"
        case "missing":
            return f"{where} is required"
    message = first["msg"].removeprefix("Value error, ")
    return f"{where}: {message[0].lower() + message[1:]}" + (
        ""
        if isinstance(first["input"], dict) or repr(first["input"]) in message
        else f", not {first['input']!r}"
    )


def _location(words: Sequence[int | str]) -> list[str]:
    """The words of a key: those of an engine among several as if it were the only one."""
    match [str(word) for word in words]:
        case ["engine", "several", "engines", kind, *rest]:
            return ["engine", kind, *rest[1:]]
        case ["engine", "several", "shares", kind, *_]:
            return ["engine", kind, "share"]
        case ["engine", "several", *rest]:
            return ["engine", *rest]
        case plain:
            return plain


def _hint(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    location = _location(first["loc"])
    match first["type"]:
        case "extra_forbidden":
            return nearest(location[-1], _keys_at(location[:-1]))
        case "union_tag_invalid":
            return nearest(str(first["input"].get("kind")), list(FAMILIES[location[0]]))
        case "missing":
            return f"write {location[0]}:VALUE or {location[-1]}=VALUE"
    return ""


def _keys_at(location: Sequence[str]) -> list[str]:
    if not location:
        return [*Spec.model_fields, *STUDY_KEYS]
    kinds = FAMILIES[location[0]]
    model = kinds[location[1]] if len(location) > 1 else next(iter(kinds.values()))
    return list(model.model_fields)


class Key(NamedTuple):
    """A key that can be set, for help."""

    name: str
    default: str
    """Empty where there is none."""
    description: str


def describe(model: type[BaseModel]) -> list[Key]:
    """The keys of an adapter, without its kind."""
    rows = []
    for name, info in model.model_fields.items():
        if get_origin(info.annotation) is Literal and len(get_args(info.annotation)) == 1:
            continue
        default = None if info.is_required() else info.get_default(call_default_factory=True)
        words = ",".join(default) if isinstance(default, tuple) else getattr(default, "kind", default)
        rows.append(Key(name, "" if words is None else str(words), info.description or ""))
    return rows
