"""A file system inside one image file per node: the storage below sees one open file, whatever the engine does.

The remedy of Chaimov et al. (CUG'16, section VI), there by Shifter's setuid mount; here by the kernel's loop device
as root, by fuse2fs otherwise.
"""

import dataclasses
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from weft import shell
from weft.errors import MissingError
from weft.nodes.base import Node
from weft.places import Place, Role
from weft.shell import tool
from weft.storage.mounting import mount_point, mounted
from weft.storage.stacked import StackedStorage
from weft.units import Size, show_size
from weft.work import Site, Work


class LoopbackStorage(StackedStorage):
    """ext4 or xfs in a sparse file on another storage."""

    kind: Literal["loopback"] = "loopback"
    size: Size = Field(default=4 << 30, description="size of each node's file system (the image is sparse)")
    fs: Literal["ext4", "xfs"] = Field(default="ext4", description="file system inside the image")
    block: Size = Field(default=4096, description="block size of that file system")

    def sketch(self, role: Role, nodes: Sequence[Node], site: Site) -> Place:
        below = self.on.sketch(role, nodes, site)
        points = {
            node.name: mount_point(site, None if below.shared else node, f"loopback-{role}") for node in nodes
        }
        how = "loop mount" if os.geteuid() == 0 else "fuse2fs"
        text = f"{self.fs} of {show_size(self.size)} in an image file ({how}) on {below.description}"
        paths = {name: str(point / "files") for name, point in points.items()}  # beside lost+found
        return dataclasses.replace(below, storage="loopback", description=text, paths=paths)

    @contextmanager
    def place(self, role: Role, nodes: Sequence[Node], work: Work) -> Iterator[Place]:
        with ExitStack() as live:
            below = live.enter_context(self.on.place(role, nodes, work))
            place = self.sketch(role, nodes, work)
            for node in [None] if place.shared else nodes:
                run = shell.run if node is None else node.run
                image = Path(below.path if node is None else below.paths[node.name]) / "image"
                self._format(image, run)
                point = live.enter_context(
                    mounted(work, node, f"loopback-{role}", [*self._mount(), str(image)])
                )
                run(["mkdir", "-m", "0700", str(point / "files")])
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

    def _format(self, image: Path, run: Callable[..., Any]) -> None:
        run(["truncate", "--size", str(self.size), str(image)])
        if self.fs == "ext4":
            lazy = "lazy_itable_init=1,lazy_journal_init=1,nodiscard"
            run(
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
            run([tool("mkfs.xfs", "xfsprogs"), "-q", "-b", f"size={self.block}", str(image)])
