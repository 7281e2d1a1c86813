"""What a directory can be backed by."""

import os
import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, SerializeAsAny

from weft.adapters.nodes.access import access, require_shared
from weft.adapters.nodes.base import everywhere, one_a_host
from weft.errors import StorageError, UsageError
from weft.facts import filesystems, storages
from weft.facts.filesystems import FileSystemType
from weft.facts.roles import SHARED_ROLES, Role
from weft.host.programs.mounts import mount_of
from weft.host.work import Work, WorkDirectory
from weft.layout.members import Members
from weft.layout.node import Node
from weft.layout.places import Place
from weft.text.family import Family
from weft.text.shorthand import MisreadError


class Storage(BaseModel, ABC):
    """Configuration of a storage, and how to place a directory on it."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    positional: ClassVar[str] = "path"
    """The key of the value after the colon: disk:/some/dir."""
    lists: ClassVar[frozenset[str]] = frozenset()
    """Keys whose values may contain commas in the short form."""
    native: ClassVar[bool] = False
    """Whether it runs one of weft's native programs."""
    preloaded: ClassVar[bool] = False
    """Whether its files, as scratch, exist only for programs with the preload library."""
    kind: str

    @property
    def parallel(self) -> str:
        """Which file system of several machines has its files, real or emulated, on which file operations are slow; empty if none."""
        return ""

    @property
    def word(self) -> str:
        """Its name in lists and reports, without its backing storage."""
        return storages.Layer(self.kind, str(getattr(self, self.positional, None) or "")).word

    @property
    def figures(self) -> str:
        """What its speed rests on besides its settings, as a short text that changes with it; empty if nothing."""
        return ""

    @property
    def no_mmap(self) -> str:
        """Why programs cannot map its files for writing; empty if they can."""
        return ""

    @property
    def service(self) -> Mapping[str, Any] | None:
        """The service whose daemons serve it, as a table; None if it has no daemons."""
        return None

    def keeps(self, role: Role) -> Path | None:  # noqa: ARG002 - for those that keep files on this machine
        """The directory of this machine on whose file system it keeps a role's files; None where there is none."""
        return None

    def require(self, role: Role) -> None:
        """Raises UsageError if it cannot be on nodes of this machine; creates nothing."""

    def memory(self, nodes: Sequence[Node]) -> Mapping[str, int]:  # noqa: ARG002 - for those that use some
        """Bytes of memory that it uses as scratch and the engine lacks, by node name."""
        return {}

    @abstractmethod
    def sketch(self, role: Role, nodes: Members, work: WorkDirectory) -> Place:
        """The place that `place` would provide, without creating anything."""

    @abstractmethod
    def place(self, role: Role, nodes: Members, work: Work) -> AbstractContextManager[Place]:
        """A place for a role, for the length of a `with` block; afterwards nothing is left."""


KINDS: Family[Storage] = Family()
"""All storages by kind; filled by `weft.adapters.storage`."""


def _read(value: Any) -> Storage:
    """A storage from any of its forms. Raises ValueError if a storage is given instead of a directory."""
    table = KINDS.table(value)
    kind, path = (str(table.get("kind")), str(table.get("path"))) if isinstance(table, dict) else ("", "")
    if kind in KINDS and "on" in KINDS[kind].model_fields and path.partition(":")[0] in KINDS:
        meant = value.replace(":", "+", 1) if isinstance(value, str) else f"{kind}+{path}"
        raise MisreadError(f"{path!r} is not a directory but a storage", hint=f"did you mean {meant}?")
    if isinstance(table, dict) and isinstance(table.get("path"), (str, Path)):
        table = {**table, "path": _absolute(path)}
    return KINDS.read(table)


def _absolute(path: str) -> str:
    """A directory from where weft is called: the programs of a run work in others, and no shell expands ~ behind a colon."""
    there = Path(os.path.expanduser(path))  # noqa: PTH111 - Path.expanduser raises for an unknown user
    # $DW_JOB_STRIPED has a value in the job only
    return str(there if there.is_absolute() or path.startswith("$") else Path.cwd() / there)


AnyStorage = Annotated[SerializeAsAny[Storage], BeforeValidator(_read)]


def layers(storage: Storage) -> list[Storage]:
    """A storage and its backing storages, top first."""
    below: Storage | None = getattr(storage, "on", None)
    return [storage, *(layers(below) if below else [])]


def label(storage: Storage) -> str:
    """The name of a storage in records: pool+delayed:lustre."""
    return storages.label(layer.word for layer in layers(storage))


def file_system(path: Path) -> FileSystemType:
    """That on which this machine has a directory."""
    return filesystems.of(mount_of(str(path.resolve()))[1])


def slow(path: Path) -> str:
    """The word of the file system of a directory whose files are on other machines; empty if they are on this one."""
    found = file_system(path)
    return found.word if found.remote else ""


def base_directory(path: Path | None, role: Role, work: WorkDirectory) -> Path:
    """The run's own directory for a role: below a path that the user gave, or in the work directory."""
    return work.directory / "scratch" / role if path is None else path / f"weft-{work.name}-{role}"


def spread(base: Path, role: Role, nodes: Sequence[Node]) -> dict[str, str]:
    """Paths by node name below `base`: a directory per node unless the role is shared."""
    return {node.name: str(base if role in SHARED_ROLES else base / node.name) for node in nodes}


def make_directories(
    base: Path,
    place: Place,
    nodes: Sequence[Node],
    work: Work,
    prepare: Callable[[], None] = lambda: None,
) -> None:
    """Create a place of plain directories on its nodes; paths outside the work directory are entered in the lease.

    `prepare` is done to the directory `base` before there are any below it.
    """
    if not base.is_relative_to(work.directory):
        everywhere(one_a_host(nodes), lambda node: _claim(base, node, work))
    prepare()
    everywhere(nodes, lambda node: access(node).make(Path(place.paths[node.name])))
    if place.shared:
        hint = "name a directory on one, such as mount:/lustre/me, or set WEFT_WORK to one"
        require_shared(nodes, Path(place.path), f"a place of {place.storage} for all nodes", hint, here=False)


def _claim(base: Path, node: Node, work: Work) -> None:
    where = f" on {node.name}" if node.host else ""
    if not access(node).sees(base.parent):
        raise StorageError(
            f"the directory {base.parent} does not exist{where}",
            hint=_make_it(base.parent),
        )
    access(node).claim(base, work)


def require_directory(path: Path, role: Role) -> None:
    """Raises UsageError if a directory that the user gave does not exist."""
    if not path.is_dir():
        what = "is not a directory" if path.exists() else "does not exist"
        raise UsageError(f"{role}: the directory {path} {what}", hint=_make_it(path))


def _make_it(path: Path) -> str:
    return f"mkdir -p {shlex.quote(str(path))}, or name another"


def require_this_machine(storage: str, role: Role, nodes: Sequence[Node]) -> None:
    """Raises UsageError if a storage that works on one machine would be on, or shared with, other hosts."""
    if any(node.host for node in nodes):
        raise UsageError(
            f"{role}: {storage} works on one machine only, but these nodes are on other hosts",
            hint="use a directory that all hosts share: mount:/lustre/me",
        )
