"""A file system inside one image file per node: the storage below sees one open file, whatever the engine does.

The remedy of Chaimov et al. (CUG'16, section VI), there by Shifter's setuid mount; here by the kernel's loop device
as root, by fuse2fs otherwise.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Literal

from pydantic import Field

from weft import shell
from weft.errors import MissingError, StorageError
from weft.nodes.base import Node
from weft.shell import tool
from weft.storage.base import SHARED_ROLES, Place, Role, Storage, base_directory
from weft.storage.mounting import mount_point, mounted
from weft.units import Size, show_size
from weft.work import Site, Work


class LoopbackStorage(Storage):
    """ext4 or xfs in a sparse file on another directory."""

    kind: Literal["loopback"] = "loopback"
    path: Path | None = Field(
        default=None, description="directory that holds the images; default: the work directory"
    )
    size: Size = Field(default=4 << 30, description="size of each node's file system (the image is sparse)")
    fs: Literal["ext4", "xfs"] = Field(default="ext4", description="file system inside the image")
    block: Size = Field(default=4096, description="block size of that file system")

    def sketch(self, role: Role, nodes: Sequence[Node], site: Site) -> Place:
        shared = role in SHARED_ROLES
        points = {
            node.name: mount_point(site, None if shared else node, f"loopback-{role}") for node in nodes
        }
        how = "loop mount" if os.geteuid() == 0 else "fuse2fs"
        text = f"{self.fs} of {show_size(self.size)} in an image file at {base_directory(self.path, role, site)} ({how})"
        paths = {name: str(point / "files") for name, point in points.items()}  # beside lost+found
        return Place("loopback", text, paths, shared=shared, durable=True)

    @contextmanager
    def place(self, role: Role, nodes: Sequence[Node], work: Work) -> Iterator[Place]:
        place = self.sketch(role, nodes, work)
        base = base_directory(self.path, role, work)
        if self.path is None:
            work.make("scratch", role)
        else:
            work.claim(base)
        with ExitStack() as live:
            for node in [None] if place.shared else nodes:
                image = base / ("shared.img" if node is None else f"{node.name}.img")
                self._format(image, role)
                point = live.enter_context(
                    mounted(work, node, f"loopback-{role}", [*self._mount(), str(image)])
                )
                (shell.run if node is None else node.run)(["mkdir", "-m", "0700", str(point / "files")])
            yield place

    def _mount(self) -> list[str]:
        if os.geteuid() == 0:
            return ["mount", "-o", "loop,noatime"]
        if self.fs != "ext4":
            raise MissingError(
                "an xfs image can be mounted by root alone",
                hint="use fs=ext4, which fuse2fs mounts without root",
            )
        return [tool("fuse2fs", "fuse2fs"), "-o", "fakeroot"]

    def _format(self, image: Path, role: Role) -> None:
        free = shutil.disk_usage(image.parent).free
        if free < 64 << 20:
            raise StorageError(
                f"{role}: {image.parent} has {show_size(free)} free",
                hint="name another directory: loopback:/dir",
            )
        with image.open("wb") as file:
            file.truncate(self.size)
        if self.fs == "ext4":
            lazy = "lazy_itable_init=1,lazy_journal_init=1,nodiscard"
            shell.run(
                [
                    tool("mkfs.ext4", "e2fsprogs"),
                    "-q",
                    "-F",
                    "-b",
                    str(self.block),
                    "-m",
                    "0",
                    "-E",
                    lazy,
                    str(image),
                ]
            )
        else:
            shell.run([tool("mkfs.xfs", "xfsprogs"), "-q", "-b", f"size={self.block}", str(image)])
