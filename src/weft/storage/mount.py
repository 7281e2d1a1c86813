"""Any file system that is already mounted on all nodes: Lustre, OrangeFS, DataWarp, GPFS, NFS."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import Field

from weft.errors import StorageError, UsageError
from weft.host import settings
from weft.host.work import Work, WorkDirectory
from weft.layout.places import SHARED_ROLES, Place, Role
from weft.nodes.base import Node, everywhere, one_a_host
from weft.storage.base import Storage, base_directory, make_directories, spread

_PARALLEL = frozenset(
    {
        "lustre",
        "nfs",
        "nfs4",
        "gpfs",
        "beegfs",
        "beegfs_nodev",
        "pvfs2",
        "orangefs",
        "dvs",
        "ceph",
        "fuse.glusterfs",
    }
)
"""Types of mounts whose files are on other machines, as the mount table names them."""


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
        return found if found in _PARALLEL else ""

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
        text = f"{_file_system(self.here)} at {base}"
        return Place("mount", text, spread(base, role, nodes), shared=role in SHARED_ROLES)

    @contextmanager
    def place(self, role: Role, nodes: Sequence[Node], work: Work) -> Iterator[Place]:
        hosts = one_a_host(nodes)
        lacking = [node for node, sees in zip(hosts, everywhere(hosts, self._seen), strict=True) if not sees]
        if lacking:
            where = f" on {', '.join(node.name for node in lacking)}" if lacking[0].host else ""
            raise StorageError(
                f"{role}: the directory {self.here} does not exist{where}",
                hint=self._hint,
            )
        place = self.sketch(role, nodes, work)
        make_directories(base_directory(self.here, role, work), place, nodes, work)
        yield place

    def _seen(self, node: Node) -> bool:
        return node.sees(self.here)


def _file_system(path: Path) -> str:
    """The type of the file system of a path, from the mount table: the longest mount point that contains it."""
    best = ("", "unknown")
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, point, kind = line.split()[:3]
        if path.resolve().is_relative_to(point) and len(point) >= len(best[0]):
            best = (point, kind)
    return best[1]
