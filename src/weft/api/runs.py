"""Runs of weft's workloads, of a user's own jobs, and of clusters that persist."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from weft.api import studies
from weft.api.flags import Flags
from weft.api.joined import run_on, study_on
from weft.api.request import study_of
from weft.clusters import registry, supervisor
from weft.clusters.registry import PersistentCluster
from weft.errors import UsageError
from weft.host import settings
from weft.record.record import Stored
from weft.run.progress import Progress
from weft.spec.study import Study
from weft.text.toml import toml_of


def run(
    what: str | dict[str, Any],
    *,
    again: bool = False,
    fresh: bool = False,
    to: str | None = None,
    **flags: Any,
) -> list[Stored]:
    """Run a workload, a TOML file or a study's folder: one record a run. Raises a WeftError where a single run failed.

    `fresh`: each run of a study on a cluster of its own. `to`: the name of a persistent cluster, instead of new ones.
    `flags`: the values of `weft run`'s flags by name, such as `engine="flink", nodes="virtual:2", set=("partitions=8",)`.
    """
    if to is not None:
        cluster = registry.find(to)
        return run_on(cluster, study_on(what, Flags(**flags), cluster), again=again)
    return studies.run(study_of(what, Flags(**flags)), Progress(), again=again, fresh=fresh)


def submit(
    program: str | Path, *arguments: str, job: Mapping[str, Any] = MappingProxyType({}), **flags: Any
) -> Stored:
    """Run your own .py or .jar on a cluster of its own. `job`: keys of the workload `own-job`, such as `main_class`."""
    table = own_job(Path(program), arguments, job)
    (stored,) = run(table, **flags)
    return stored


def own_job(program: Path, arguments: Sequence[str], job: Mapping[str, Any]) -> dict[str, Any]:
    """The table of the workload for a program of the user."""
    return {
        "kind": "own-job",
        "program": str(program.resolve()),
        "arguments": list(arguments),
        **job,
        "directory": str(Path.cwd()),
    }


def up(
    name: str | None = None,
    *,
    limit: str | None = None,
    idle: str | None = None,
    ready: bool = False,
    **flags: Any,
) -> PersistentCluster:
    """Start a persistent cluster. Raises UsageError if the name is taken.

    `limit` and `idle`: times such as `8h`; `ready`: keep an application for the next measured run.
    """
    study = persistent(name, {"limit": limit, "idle": idle, "ready": ready or None}, Flags(**flags))
    return launch(study)


def persistent(name: str | None, own: Mapping[str, Any], flags: Flags) -> Study:
    """The study of a persistent cluster; without a name, it has that of its engines."""
    chosen = name or registry.free_name(_name_of(flags.engine or "spark"))
    table = {"kind": "persistent", "name": chosen, "directory": str(Path.cwd())}
    return study_of(table | {key: value for key, value in own.items() if value is not None}, flags)


def launch(study: Study) -> PersistentCluster:
    """Start the cluster of such a study."""
    ((_, spec),) = study.cells()
    name = study.base["workload"]["name"]
    if name in registry.names():
        raise UsageError(
            f"a cluster named {name!r} is already running",
            hint=f"choose another --name, or `weft down {name}`",
        )
    return supervisor.launch(spec, toml_of(study.base, {}, settings.secret_keys()))


def _name_of(engine: str) -> str:
    """A name for a cluster by its engines: spark, or spark-hadoop."""
    kinds = [word for word in re.split(r":.*|,", engine) if word and "=" not in word]
    return "-".join(kinds)
