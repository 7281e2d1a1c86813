"""Any file system that is already mounted on all nodes: Lustre, OrangeFS, DataWarp, GPFS, NFS."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import Field

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere, one_a_host
from weft.adapters.storage.base import Storage, base_directory, file_system, make_directories, slow, spread
from weft.errors import StorageError, UsageError, WeftError
from weft.facts.roles import SHARED_ROLES, Role
from weft.host import lfs, settings
from weft.host.lfs import DirectoryLayout
from weft.host.work import Work, WorkDirectory
from weft.layout.node import Node
from weft.layout.places import Place
from weft.text.fields import Size


class MountStorage(Storage):
    """An existing directory, with a directory per node below it."""

    kind: Literal["mount"] = "mount"
    path: Path = Field(
        description="directory that exists on every node, such as /lustre/scratch/me or $DW_JOB_STRIPED"
    )
    mdt: Size | None = Field(
        default=None,
        ge=1 << 16,
        le=1 << 30,
        description="on Lustre: bytes at the beginning of each file that are kept on the metadata server",
    )
    stripes: int | None = Field(
        default=None, ge=-1, le=2000, description="on Lustre: OSTs over which a file is spread; -1: all"
    )
    progressive: bool = Field(
        default=False, description="on Lustre: spread a file over more OSTs, the larger it is"
    )
    spread: bool = Field(
        default=False,
        description="on Lustre: the directories of nodes on different metadata servers, in turn; needs the right to make them",
    )

    @property
    def here(self) -> Path:
        """The directory; that of a burst buffer is in a variable, which only the job has."""
        return settings.expanded(self.path)

    @property
    def parallel(self) -> str:
        return slow(self.here)

    @property
    def layout(self) -> DirectoryLayout:
        """Of the run's directory, as Lustre's own program sets it."""
        return DirectoryLayout(self.mdt, self.stripes, self.progressive)

    def keeps(self, role: Role) -> Path | None:  # noqa: ARG002 - the same for all
        return self.here

    def require(self, role: Role) -> None:
        if not self.here.is_dir():
            raise UsageError(f"{role}: the directory {self.here} does not exist", hint=self._hint)
        if self.stripes == 0 or (self.stripes and self.progressive):
            raise UsageError(
                f"{role}: stripes is {self.stripes}{', and progressive too' if self.stripes else ''}",
                hint="write stripes=4, stripes=-1 for all, or progressive=true",
            )
        kind = file_system(self.here)
        if (self.layout or self.spread) and kind.word != "Lustre":
            raise UsageError(
                f"{role}: {self.here} is on {kind.word}, and mdt, stripes, progressive and spread are of Lustre",
                hint="leave them out, or name a directory on Lustre",
            )

    @property
    def _hint(self) -> str:
        if "$" in str(self.here):
            return (
                "its variable is not set: check that the site profile requests the burst buffer (slurm.extra)"
            )
        return f"mount it, mkdir -p {shlex.quote(str(self.here))}, or name another: mount:/dir"

    def sketch(self, role: Role, nodes: Sequence[Node], work: WorkDirectory) -> Place:
        base = base_directory(self.here, role, work)
        text = f"{file_system(self.here).word} at {base}"
        if self.layout:
            text += f": {self.layout.words()} ({shlex.join([*self.layout.arguments(), str(base)])})"
        if self.spread and role not in SHARED_ROLES:
            text += "; the directories of nodes on different metadata servers (lfs mkdir -i)"
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
        base = base_directory(self.here, role, work)
        make_directories(base, place, nodes, work, lambda: self._lay_out(base, place, nodes, role))
        yield place

    def _lay_out(self, base: Path, place: Place, nodes: Sequence[Node], role: Role) -> None:
        """Set what was asked for; the directories of nodes are on one metadata server after another."""
        if self.layout:
            _lfs(nodes[0], [*self.layout.arguments(), str(base)], role)
        if not self.spread or place.shared:
            return
        found = lfs.servers(_lfs(nodes[0], ["lfs", "mdts", str(self.here)], role))
        for number, node in enumerate(nodes):
            index = found[number % len(found)] if found else 0
            _lfs(node, [*lfs.on_mdt(index), place.paths[node.name]], role)


def _lfs(node: Node, argv: Sequence[str], role: Role) -> str:
    """What a command of Lustre's own program prints. Raises StorageError."""
    try:
        return access(node).run(argv).out
    except WeftError as error:
        raise StorageError(
            f"{role}: {shlex.join(argv)} failed on {node.name}: {error.message}",
            tail=error.tail,
            hint="leave out mdt, stripes, progressive and spread; directories on other metadata servers need enable_remote_dir_gid",
        ) from error
