"""The site profile: the directives of weft's jobs and the directories on this machine. Unset keys are not requested."""

import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from weft.errors import UsageError
from weft.host import settings

Word = Annotated[str, StringConstraints(pattern=r"^[^\r\n]*$")]
"""Text that fits into one line of a script."""


class Directives(BaseModel):
    """The directives of the jobs that weft submits."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    partition: Word | None = Field(default=None, description="partition; unset: Slurm's default")
    account: Word | None = Field(default=None, description="account that is charged; unset: Slurm's default")
    qos: Word | None = Field(default=None, description="quality of service; unset: Slurm's default")
    time: Word | None = Field(
        default=None, description="time limit, in Slurm's format (1:00:00); unset: the partition's"
    )
    constraint: Word | None = Field(default=None, description="features that each node must have")
    exclusive: bool = Field(default=True, description="allocate whole nodes, as measurements require")
    extra: tuple[Word, ...] = Field(
        default=(), description="further directives, such as '#SBATCH --licenses=scratch' or '#DW jobdw ...'"
    )


class Container(BaseModel):
    """The container in which `loopback` with by= mounts its image files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    image: Word | None = Field(
        default=None, description="its root image, as the program names it: /apps/base.sif, docker:me/base:1"
    )
    options: tuple[Word, ...] = Field(
        default=(), description="more arguments for starting it, such as '--userns' or '--ulimit=host'"
    )
    bind: tuple[Path, ...] = Field(
        default=(), description="directories to bind inside, in addition to those that weft uses"
    )


class Profile(BaseModel):
    """A machine, as its user configures it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slurm: Directives = Directives()
    container: Container = Container()
    shared: Path | None = Field(
        default=None,
        description="directory that every node sees, for input and output; unset: beside the records",
    )
    local: Path | None = Field(
        default=None,
        description="node-local directory, for all other files; unset: /var/tmp/weft-USER",
    )
    fabric: Word = Field(default="auto", description="interface that engines bind, such as ib0 or hsn0")
    modules: tuple[Word, ...] = Field(default=(), description="modules that a job loads first")


def load(path: Path | None = None) -> Profile:
    """The user's profile; an empty one if there is none. Raises UsageError, which names the invalid key."""
    path = path or settings.site()
    try:
        table = tomllib.loads(path.read_text())
    except FileNotFoundError:
        return Profile()
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"the site profile {path} is not readable: {error}") from error
    try:
        return Profile.model_validate(table)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(word) for word in first["loc"])
        known = [
            *Profile.model_fields,
            *(f"slurm.{name}" for name in Directives.model_fields),
            *(f"container.{name}" for name in Container.model_fields),
        ]
        what = f"unknown key {key!r}" if first["type"] == "extra_forbidden" else f"{key}: {first['msg']}"
        raise UsageError(
            f"the site profile {path}: {what}", hint=f"known keys: {', '.join(known)}"
        ) from error
