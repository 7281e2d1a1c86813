"""Any file system that is already mounted on all nodes: Lustre, OrangeFS, DataWarp, GPFS, NFS."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import Field

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere, one_a_host
from weft.adapters.storage.base import Storage, base_directory, make_directories, spread
from weft.errors import StorageError, UsageError
from weft.facts import filesystems
from weft.facts.filesystems import FileSystemType
from weft.facts.roles import SHARED_ROLES, Role
from weft.host import settings
from weft.host.programs.mounts import mount_of
from weft.host.work import Work, WorkDirectory
from weft.layout.node import Node
from weft.layout.places import Place


class MountStorage(Storage):
    """An existing directory, with a directory per node below it."""

    kind: Literal["mount"] = "mount"
    path: Path = Field(
        description="directory that exists on every node, such as /lustre/scratch/me or $DW_JOB_STRIPED"
    )

    @property
    def here(self) -> Path:
        """The directory; that of a burst buffer is in a variable, which only the job has."""
        return settings.expanded(self.path)

    @property
    def parallel(self) -> str:
        found = _file_system(self.here)
        return found.word if found.remote else ""

    def keeps(self, role: Role) -> Path | None:  # noqa: ARG002 - the same for all
        return self.here

    def require(self, role: Role) -> None:
        if not self.here.is_dir():
            raise UsageError(f"{role}: the directory {self.here} does not exist", hint=self._hint)

    @property
    def _hint(self) -> str:
        if "$" in str(self.here):
            return (
                "its variable is not set: check that the site profile requests the burst buffer (slurm.extra)"
            )
        return f"mount it, mkdir -p {shlex.quote(str(self.here))}, or name another: mount:/dir"

    def sketch(self, role: Role, nodes: Sequence[Node], work: WorkDirectory) -> Place:
        base = base_directory(self.here, role, work)
        text = f"{_file_system(self.here).word} at {base}"
        return Place("mount", text, spread(base, role, nodes), shared=role in SHARED_ROLES)

    @contextmanager
    def place(self, role: Role, nodes: Sequence[Node], work: Work) -> Iterator[Place]:
        hosts = one_a_host(nodes)
        lacking = [
            node
            for node, sees in zip(
                hosts, everywhere(hosts, lambda node: access(node).sees(self.here)), strict=True
            )
            if not sees
        ]
        if lacking:
            where = f" on {', '.join(node.name for node in lacking)}" if lacking[0].host else ""
            raise StorageError(
                f"{role}: the directory {self.here} does not exist{where}",
                hint=self._hint,
            )
        place = self.sketch(role, nodes, work)
        make_directories(base_directory(self.here, role, work), place, nodes, work)
        yield place


def _file_system(path: Path) -> FileSystemType:
    return filesystems.of(mount_of(str(path.resolve()))[1])
