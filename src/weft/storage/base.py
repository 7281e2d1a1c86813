"""What a directory can stand on."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from weft.errors import StorageError
from weft.nodes.base import Node
from weft.work import Site, Work

Role = Literal["input", "output", "shuffle"]

SHARED_ROLES: frozenset[Role] = frozenset({"input", "output"})
"""Roles whose files every node reads: they need one directory, not one per node."""


@dataclass(frozen=True)
class Place:
    """A directory for a role: one path that all nodes share, or one path per node."""

    storage: str
    description: str
    paths: Mapping[str, str]
    """Path by node name; the same for all where `shared`."""
    shared: bool
    durable: bool
    """Whether the bytes outlive the nodes' memory."""
    emulated: str = ""
    """What is emulated, in words that a report repeats; empty where nothing is."""
    environment: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By node name: variables that processes need to see the files."""
    counters: str = ""
    """Directory with counters in the formats of Lustre's llite and mdc; empty where the storage keeps none."""

    @property
    def path(self) -> str:
        """The one path of a shared place."""
        assert self.shared, f"{self.storage} has one path per node"
        return next(iter(self.paths.values()))


class Storage(BaseModel, ABC):
    """Configuration of a storage, and the way to a place on it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    positional: ClassVar[str] = "path"
    """The key that the value after the colon stands for: disk:/some/dir."""
    native: ClassVar[bool] = False
    """Whether it runs one of weft's native programs."""

    @abstractmethod
    def sketch(self, role: Role, nodes: Sequence[Node], site: Site) -> Place:
        """The place that `place` would give, without making anything."""

    @abstractmethod
    def place(self, role: Role, nodes: Sequence[Node], work: Work) -> AbstractContextManager[Place]:
        """A place for a role, for the length of a `with`; afterwards nothing is left."""


def layers(storage: Storage) -> list[Storage]:
    """A storage and what it stands on, top first."""
    below: Storage | None = getattr(storage, "on", None)
    return [storage, *(layers(below) if below else [])]


def base_directory(path: Path | None, role: Role, site: Site) -> Path:
    """The run's own directory for a role: below a path that the user named, or in the work directory."""
    return site.directory / "scratch" / role if path is None else path / f"weft-{site.name}-{role}"


def spread(base: Path, role: Role, nodes: Sequence[Node]) -> dict[str, str]:
    """Paths by node name below `base`: a directory per node unless the role is shared."""
    return {node.name: str(base if role in SHARED_ROLES else base / node.name) for node in nodes}


def make_directories(base: Path, place: Place, work: Work) -> None:
    """Make a place of plain directories; what lies outside the work directory is noted in the lease."""
    if not base.is_relative_to(work.directory):
        if not base.parent.is_dir():
            raise StorageError(
                f"the directory {base.parent} does not exist", hint=f"mkdir -p {base.parent}, or name another"
            )
        work.claim(base)
    for path in place.paths.values():
        Path(path).mkdir(parents=True, exist_ok=True, mode=0o700)
