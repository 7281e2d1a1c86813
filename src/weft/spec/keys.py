"""The dotted keys of a spec: their names and meaning, and how a value is set."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args, get_origin

from pydantic import BaseModel, BeforeValidator
from pydantic.fields import FieldInfo

from weft.adapters import engines, services, storage
from weft.errors import UsageError
from weft.spec.model import FAMILIES, Spec, service_tables
from weft.text.nearest import nearest
from weft.text.units import parse_duration, parse_size, write_duration, write_size

STUDY_KEYS = ("matrix", "exclude", "repeat", "shuffle_seed", "control", "labels")
"""The keys of a study in addition to those of a spec."""


def put(table: dict[str, Any], key: str, value: Any) -> None:
    """Set a value at a dotted key. `spark.x.y` is a setting of the engine; a bare unknown key is the workload's.

    With several engines, each has its keys below its kind: `engine.flink.port`; so do services: `services.kafka.port`,
    or `kafka.port`.
    """
    first, _, rest = key.partition(".")
    if rest and (first == "services" or first in services.KINDS.keys() - storage.KINDS.keys()):
        _put_service(table, key.removeprefix("services."), value)
        return
    if first in Spec.model_fields:
        path = rest.split(".", 1) if rest.startswith("conf.") else ([rest] if rest else [])
    elif rest and first in _prefixes():
        first, path = "engine", ["conf", key]
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
        if not isinstance(target, dict):
            raise UsageError(f"{key}: {word} is {target!r}, and not a table", hint=f"write {word} as a table")
    # nothing in place of a table leaves an empty one
    target[path[-1]] = {} if value == "" and isinstance(target.get(path[-1]), dict) else value


def _part(tables: list[dict[str, Any]], key: str) -> tuple[dict[str, Any], list[str]]:
    """The table of the engine among several to which a key belongs, and the rest of the key."""
    kind, _, rest = key.removeprefix("engine.").partition(".")
    found = next((table for table in tables if table.get("kind") == kind), None)
    if found is None or not rest:
        kinds = [str(table.get("kind")) for table in tables]
        raise UsageError(
            f"the key {key!r} is ambiguous: the engines are {', '.join(kinds)}",
            hint=f"write engine.{kinds[0]}.KEY=VALUE",
        )
    if key.partition(".")[0] in _prefixes():
        return found, ["conf", key]
    return found, rest.split(".", 1) if rest.startswith("conf.") else [rest]


def _prefixes() -> set[str]:
    """Prefixes of keys that are an engine's own settings."""
    return {engine.prefix for engine in engines.KINDS.values() if engine.prefix}


def _put_service(table: dict[str, Any], key: str, value: Any) -> None:
    """A key of a service, which need not be requested yet."""
    kind, _, own = key.partition(".")
    if kind not in services.KINDS or not own:
        raise UsageError(
            f"the key {key!r} does not name its service", hint=nearest(kind, services.KINDS.listed)
        )
    asked = [services.KINDS.table(one) for one in service_tables(table.get("services", []))]
    current: dict[str, Any] = next((one for one in asked if one["kind"] == kind), {"kind": kind})
    name, _, below = own.partition(".")
    if below and _is_table(services.KINDS[kind].model_fields.get(name)):
        value = {**current.get(name, {}), below: value}
    else:
        name = own
    table["services"] = [*(one for one in asked if one["kind"] != kind), {**current, name: value}]


def _is_table(field: FieldInfo | None) -> bool:
    """Whether a key has keys of the user's below it, such as `conf`."""
    return field is not None and get_origin(field.annotation) is dict


def _table(family: str, value: Any) -> Any:
    """The table form of the value at a family's key, so that one of its keys can be set; a list of tables for several."""
    if value is None:
        default = Spec.model_fields[family].default_factory
        if default is None:
            raise UsageError(f"no {family} given", hint=f"choose one of {', '.join(FAMILIES[family].listed)}")
        return {"kind": default().kind}  # type: ignore[call-arg]
    try:
        several = engines.tables(value) if family == "engine" else None
        found = [FAMILIES[family].table(value)] if several is None else several
    except ValueError as error:
        raise UsageError(f"{family}: {error}") from error
    if wrong := [one for one in found if not isinstance(one, (Mapping, BaseModel))]:
        known = ", ".join(FAMILIES[family].listed)
        raise UsageError(f"{family}: it must be a table or a name, not {wrong[0]!r}", hint=f"known: {known}")
    return dict(found[0]) if several is None else several


def keys_at(location: Sequence[str]) -> list[str]:
    """The names of the keys below a key."""
    if not location:
        return [*Spec.model_fields, *STUDY_KEYS]
    kinds = FAMILIES[location[0]]
    model = kinds[location[1]] if len(location) > 1 else next(iter(kinds.values()))
    return list(model.model_fields)


def field_at(location: Sequence[str]) -> FieldInfo | None:
    """The description of a key; None if it does not belong to an adapter."""
    family, *rest = location or ("",)
    if family in FAMILIES and len(rest) == 2 and rest[0] in FAMILIES[family]:
        adapter: type[BaseModel] = FAMILIES[family][rest[0]]
        return adapter.model_fields.get(rest[1])
    return Spec.model_fields.get(family) if not rest else None


class Key(NamedTuple):
    """A key that can be set, for help texts."""

    name: str
    default: str
    """Empty if there is none."""
    description: str


def describe(model: type[BaseModel]) -> list[Key]:
    """The keys of an adapter, without its kind."""
    rows = []
    for name, info in model.model_fields.items():
        if get_origin(info.annotation) is Literal and len(get_args(info.annotation)) == 1:
            continue
        default = None if info.is_required() else info.get_default(call_default_factory=True)
        rows.append(Key(name, _written(default, info), info.description or ""))
    return rows


def _written(default: Any, info: FieldInfo) -> str:
    """A default as users write it."""
    reads = {one.func for one in info.metadata if isinstance(one, BeforeValidator)}
    if default is not None and parse_size in reads:
        return write_size(default)
    if default is not None and parse_duration in reads:
        return write_duration(default)
    shown = ",".join(default) if isinstance(default, tuple) else getattr(default, "kind", default)
    if isinstance(shown, bool):
        return str(shown).lower()  # as in TOML and on the command line
    return "" if shown is None else str(shown)
