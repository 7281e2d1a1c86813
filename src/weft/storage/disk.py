"""A directory on a file system of this machine."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import Field

from weft import settings
from weft.nodes.base import Node
from weft.places import SHARED_ROLES, Place, Role
from weft.storage.base import Storage, base_directory, make_directories, spread
from weft.work import Site, Work


class DiskStorage(Storage):
    """Plain files."""

    kind: Literal["disk"] = "disk"
    path: Path | None = Field(
        default=None,
        description="directory to stand on; default: the work directory (WEFT_WORK); for input and output, WEFT_SHARED",
    )

    def _base(self, role: Role, site: Site) -> Path:
        shared = settings.shared() if role in SHARED_ROLES else None
        return base_directory(self.path or shared, role, site)

    def sketch(self, role: Role, nodes: Sequence[Node], site: Site) -> Place:
        base = self._base(role, site)
        return Place("disk", f"disk at {base}", spread(base, role, nodes), shared=role in SHARED_ROLES)

    @contextmanager
    def place(self, role: Role, nodes: Sequence[Node], work: Work) -> Iterator[Place]:
        place = self.sketch(role, nodes, work)
        make_directories(self._base(role, work), place, nodes, work)
        yield place
