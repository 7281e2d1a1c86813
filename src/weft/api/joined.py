"""What a run on a persistent cluster asks for, and what the cluster has decided for it."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from weft.api.flags import Flags
from weft.api.request import study_of
from weft.clusters import registry
from weft.clusters.joined import JoinedCluster
from weft.clusters.registry import PersistentCluster
from weft.errors import UsageError
from weft.facts import engines
from weft.record.record import Stored
from weft.run import matrix
from weft.run.progress import Progress
from weft.spec.model import FAMILIES, Spec
from weft.spec.parse import parse
from weft.spec.study import Study, read, study_from
from weft.text.redaction import has_placeholder

_ROLES = {"input": "output", "output": "output", "scratch": "scratch"}
"""By role: the cluster's, in which a run has its own files."""
_FIXED = ("engine", "nodes", *_ROLES, "services", "security", "class_archives")
"""The keys of a spec that a cluster has decided."""


def study_on(what: str | dict[str, Any], flags: Flags, cluster: PersistentCluster) -> Study:
    """A study whose runs are on a cluster. Raises UsageError for what contradicts the cluster."""
    asked = study_of(what, flags, site=False)
    _, started = read(cluster.layout.record / "spec.toml")
    has = parse(started)
    given = set(asked.base) | ({"engine"} if _varied(asked, cluster) else set())
    cells = [spec for _, spec in asked.cells()]
    kind = registry.engine_for(cluster, cells[0].engine.kind if "engine" in given else None)
    for spec in cells:
        _require_same(spec, has, given, cluster, kind)
        if spec.secrets:
            raise UsageError(
                f"a run on the cluster {cluster.name!r} has no secrets of its own",
                hint=f"omit --to, or use `weft submit --to {cluster.name}`, which has them",
            )
    engine = has.engine.parts[kind].model_dump(mode="json", exclude_unset=True)
    conf = {**engine.get("conf", {}), **_conf(asked)}
    tables = {role: started[of] for role, of in _ROLES.items() if of in started}
    tables |= {key: started[key] for key in _FIXED if key in started and key not in _ROLES}
    tables["engine"] = {**engine, "kind": kind, **({"conf": conf} if conf else {})}
    table = {name: getattr(asked, name) for name in Study.model_fields if name not in {"name", "base"}}
    return study_from({**asked.base, **tables, **table}, name=asked.name)


def run_on(
    cluster: PersistentCluster, study: Study, *, again: bool, progress: Progress | None = None
) -> list[Stored]:
    """The runs of such a study, while no other measured run is on the cluster."""
    with registry.measured(cluster.name, study.name):
        return matrix.run(study, progress or Progress(), again=again, source=JoinedCluster(cluster))


def _varied(asked: Study, cluster: PersistentCluster) -> set[str]:
    """The engine's own settings that a matrix varies. Raises UsageError if it varies what the cluster has decided."""
    varied = {key for cell, _ in asked.cells() for key in asked.settings(cell)}
    prefixes = tuple(f"{engine.prefix}." for engine in FAMILIES["engine"].values() if engine.prefix)
    settings = {key for key in varied if key.startswith(("engine.conf.", *prefixes))}
    if wrong := sorted(key for key in varied - settings if key.partition(".")[0] in _FIXED):
        raise UsageError(
            f"a matrix cannot vary {wrong[0]} on the cluster {cluster.name!r}, which has decided it",
            hint="omit --to: each run then has a cluster of its own",
        )
    return settings


def _conf(asked: Study) -> Mapping[str, str]:
    table = FAMILIES["engine"].table(asked.base.get("engine", {"kind": ""}))
    found: Mapping[str, str] = table.get("conf", {})
    return found


def _require_same(spec: Spec, has: Spec, given: set[str], cluster: PersistentCluster, kind: str) -> None:
    for key in _FIXED:
        own = has.engine.parts[kind] if key == "engine" else getattr(has, _ROLES.get(key, key))
        wrong = next(_differing(key, getattr(spec, key), own), None) if key in given else None
        if wrong:
            raise UsageError(
                f"the cluster {cluster.name!r} has {wrong}",
                hint=f"omit it, or start a cluster with it: `weft up` has the same options; `weft show {cluster.layout.run}` shows this one",
            )


def _differing(key: str, asked: Any, has: Any) -> Iterator[str]:
    """The dotted keys in which a value that was asked for is not that of the cluster, each with both values."""
    if not isinstance(asked, BaseModel) or type(asked) is not type(has):
        if asked != has:
            kinds = [getattr(value, "kind", value) for value in (has, asked)]
            yield f"{key} {kinds[0]}, and this command asks for {kinds[1]}"
    else:
        for name in sorted(asked.model_fields_set - {"kind"}):
            values = getattr(asked, name), getattr(has, name)
            if (key, name) == ("engine", "conf"):
                yield from _of_daemons(asked.kind, *values)  # type: ignore[attr-defined]
            else:
                yield from _differing(f"{key}.{name}", *values)


def _of_daemons(engine: str, asked: Mapping[str, str], has: Mapping[str, str]) -> Iterator[str]:
    """The engine's own settings that a job cannot have for itself, and secrets, which only a new cluster hides."""
    of_clusters = engines.of(engine).settings.cluster
    for name, value in asked.items():
        if has.get(name) != value and (name.startswith(of_clusters) or has_placeholder(value)):
            yield f"another {name}, and a job cannot have its own"
