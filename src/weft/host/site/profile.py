"""The site profile: the directives of weft's jobs and the directories on this machine. Unset keys are not requested."""

import math
import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from weft.errors import UsageError, why
from weft.host import settings
from weft.text import toml
from weft.text.executes import Executes
from weft.text.units import parse_duration

Word = Annotated[str, StringConstraints(pattern=r"^[^\r\n]*$")]
"""Text that fits into one line of a script."""
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.@:+/-]*$")]
"""One word of a directive, which can add no other directive."""
Directory = Annotated[Path, AfterValidator(lambda path: Path(os.path.expanduser(path)))]  # noqa: PTH111 - raises for an unknown user
"""A directory, of which ~ is the home directory: no shell expands it here."""
_DURATION = re.compile(r"\d+(\.\d+)?[smhd]")


def _in_minutes(value: Any) -> Any:
    """A duration such as 8h, as Slurm reads it: whole minutes."""
    given = isinstance(value, str) and _DURATION.fullmatch(value)
    return str(math.ceil(parse_duration(value) / 60)) if given else value


TimeLimit = Annotated[Word, BeforeValidator(_in_minutes)]
"""A time limit as weft writes times (8h), or as Slurm does (1:00:00, or minutes)."""


class Directives(BaseModel):
    """The directives of the jobs that weft submits."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    partition: Word | None = Field(default=None, description="partition; unset: Slurm's default")
    account: Word | None = Field(default=None, description="account that is charged; unset: Slurm's default")
    qos: Word | None = Field(default=None, description="quality of service; unset: Slurm's default")
    time: TimeLimit | None = Field(
        default=None, description="time limit, such as 8h or 1:00:00; unset: the partition's"
    )
    constraint: Word | None = Field(default=None, description="features that each node must have")
    exclusive: bool = Field(default=True, description="allocate whole nodes, as measurements require")
    extra: Annotated[tuple[Word, ...], Executes("directives of job scripts")] = Field(
        default=(), description="further directives, such as '#SBATCH --licenses=scratch' or '#DW jobdw ...'"
    )


class BatchDirectives(BaseModel):
    """The directives of the jobs that weft submits to a batch system other than Slurm."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    queue: Name | None = Field(default=None, description="queue; unset: the batch system's default")
    account: Name | None = Field(default=None, description="account or project that is charged")
    time: TimeLimit | None = Field(default=None, description="time limit, such as 8h or 1:00:00")
    extra: Annotated[tuple[Word, ...], Executes("directives of job scripts")] = Field(
        default=(), description="further directives, such as '-l exclusive=true'"
    )


class GridEngineDirectives(BatchDirectives):
    """The same for Grid Engine."""

    pe: Name | None = Field(
        default=None, description="parallel environment, whose allocation rule is a number of slots per host"
    )
    memory_resource: Name | None = Field(
        default=None, description="resource with which memory= is requested, such as mem_free; unset: none"
    )


class Container(BaseModel):
    """The container in which `loopback` with by= mounts its image files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    image: Annotated[Word | None, Executes("programs of the image run")] = Field(
        default=None, description="its root image, as the program names it: /apps/base.sif, docker:me/base:1"
    )
    options: Annotated[tuple[Word, ...], Executes("options of the container program")] = Field(
        default=(), description="more arguments for starting it, such as '--userns' or '--ulimit=host'"
    )
    bind: Annotated[tuple[Path, ...], Executes("directories inside of the container")] = Field(
        default=(), description="directories to bind inside, in addition to those that weft uses"
    )


class Scratch(BaseModel):
    """What `weft survey` found to be the best scratch of this machine."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    default: Word | None = Field(
        default=None,
        description="storage of scratch for `weft run WORKLOAD`, `submit` and `up` without --scratch; unset: disk",
    )
    nodes: int | None = Field(default=None, ge=1, description="largest number of nodes that was surveyed")
    evidence: Word | None = Field(default=None, description="the record that it is based on")
    page: Word | None = Field(default=None, description="the survey's page, with all its records")


class Limits(BaseModel):
    """What an administrator allows in a shared installation. A user's own installation of weft has other limits."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    nodes: int | None = Field(default=None, ge=1, description="largest number of nodes of a run; unset: any")
    storages: tuple[Word, ...] | None = Field(
        default=None, description="storage types that a run may use, such as 'disk' and 'pool'; unset: all"
    )

    def require(self, nodes: int, storages: Collection[str]) -> None:
        """Raises UsageError, which names the limit."""
        where = settings.shared_site() or settings.site()
        hint = f"the limits of this site are in {where}"
        if self.nodes is not None and nodes > self.nodes:
            raise UsageError(f"the run needs {nodes} nodes, and this site allows {self.nodes}", hint=hint)
        refused = [] if self.storages is None else sorted(set(storages) - {*self.storages, "null"})
        if refused:
            allowed = ", ".join(self.storages or ())
            raise UsageError(
                f"this site does not allow the storage {refused[0]!r}, only {allowed}", hint=hint
            )


class Profile(BaseModel):
    """A machine, as its user configures it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slurm: Directives = Directives()
    pbs: BatchDirectives = BatchDirectives()
    lsf: BatchDirectives = BatchDirectives()
    flux: BatchDirectives = BatchDirectives()
    gridengine: GridEngineDirectives = GridEngineDirectives()
    oar: BatchDirectives = BatchDirectives()
    container: Container = Container()
    scratch: Scratch = Scratch()
    limits: Limits = Limits()
    nodes: Annotated[Word | None, Executes("options of ssh, and the program on each host")] = Field(
        default=None, description="nodes of commands without --nodes, such as slurm:4; unset: local:2"
    )
    engine: Annotated[Word | None, Executes("programs of its home run")] = Field(
        default=None, description="engine of commands without --engine, where it runs the workload"
    )
    shared: Directory | None = Field(
        default=None,
        description="directory that every node sees, for input and output; unset: next to the records",
    )
    local: Directory | None = Field(
        default=None,
        description="node-local directory, for all other files of jobs that weft submits; unset: WEFT_WORK",
    )
    fabric: Word = Field(default="auto", description="interface that engines bind, such as ib0 or hsn0")
    modules: Annotated[tuple[Word, ...], Executes("a module runs commands of its file")] = Field(
        default=(), description="modules that a job loads first"
    )


def load(path: Path | None = None) -> Profile:
    """The user's profile over that of the shared installation; an empty one if there is neither.

    Raises UsageError, which names the invalid key.
    """
    own = path or settings.site()
    table, shared = _table(own), settings.shared_site()
    if path is None and shared is not None:
        if "limits" in table:
            raise UsageError(
                f"the site profile {own}: limits are set for all users in {shared}",
                hint="remove [limits] from your own profile",
            )
        above = _table(shared)
        _checked(above, shared)
        table = _over(above, table)
    return _checked(table, own)


def _table(path: Path) -> dict[str, Any]:
    try:
        return toml.read(path)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"the site profile {path} is not readable: {why(error)}") from error


def _over(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """One table over another, key by key."""
    inner = {
        key: _over(base[key], value) if isinstance(value, dict) and isinstance(base.get(key), dict) else value
        for key, value in own.items()
    }
    return {**base, **inner}


def _checked(table: Mapping[str, Any], path: Path) -> Profile:
    try:
        return Profile.model_validate(table)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(word) for word in first["loc"])
        parts = {name: type(part) for name, part in Profile() if isinstance(part, BaseModel)}
        known = [
            *Profile.model_fields,
            *(f"{name}.{key}" for name in parts for key in parts[name].model_fields),
        ]
        what = f"unknown key {key!r}" if first["type"] == "extra_forbidden" else f"{key}: {first['msg']}"
        raise UsageError(
            f"the site profile {path}: {what}", hint=f"known keys: {', '.join(known)}"
        ) from error
