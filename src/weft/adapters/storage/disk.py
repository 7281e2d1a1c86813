"""A directory on a file system of this machine."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import Field

from weft.adapters.storage.base import (
    Storage,
    base_directory,
    make_directories,
    require_directory,
    slow,
    spread,
)
from weft.facts.roles import SHARED_ROLES, Role
from weft.host import settings
from weft.host.work import Work, WorkDirectory
from weft.layout.node import Node
from weft.layout.places import Place


class DiskStorage(Storage):
    """Plain files."""

    kind: Literal["disk"] = "disk"
    path: Path | None = Field(
        default=None,
        description="the directory; default: the work directory (WEFT_WORK); for input and output, WEFT_SHARED",
    )

    @property
    def parallel(self) -> str:
        return slow(self.path) if self.path else ""

    def _base(self, role: Role, work: WorkDirectory) -> Path:
        shared = settings.shared() if role in SHARED_ROLES else None
        return base_directory(self.path or shared, role, work)

    def keeps(self, role: Role) -> Path | None:
        return self.path or (settings.shared() if role in SHARED_ROLES else None) or settings.work()

    def require(self, role: Role) -> None:
        if (named := self.path or (settings.shared() if role in SHARED_ROLES else None)) is not None:
            require_directory(named, role)

    def sketch(self, role: Role, nodes: Sequence[Node], work: WorkDirectory) -> Place:
        base = self._base(role, work)
        return Place("disk", f"disk at {base}", spread(base, role, nodes), shared=role in SHARED_ROLES)

    @contextmanager
    def place(self, role: Role, nodes: Sequence[Node], work: Work) -> Iterator[Place]:
        place = self.sketch(role, nodes, work)
        make_directories(self._base(role, work), place, nodes, work)
        yield place
