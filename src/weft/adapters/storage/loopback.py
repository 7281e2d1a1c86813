"""A file system in one image file per node: the backing storage sees one open file, whatever the engine does.

The remedy of Chaimov et al. (CUG'16, section VI), who used Shifter's setuid mount; weft uses the kernel's loop device
as root, otherwise fuse2fs, or a container program of the site.
"""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from pydantic import Field, model_validator

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere
from weft.adapters.storage import containers
from weft.adapters.storage.base import require_this_machine
from weft.adapters.storage.containers import PROGRAMS, Program, Volume
from weft.adapters.storage.mounting import mount_point, mounted, mounted_on
from weft.adapters.storage.stacked import StackedStorage
from weft.errors import MissingError, UsageError
from weft.facts.roles import Role
from weft.host import settings, shell
from weft.host.site.profile import load
from weft.host.work import Work, WorkDirectory
from weft.layout.members import Members
from weft.layout.node import Node
from weft.layout.places import ExpectedMount, Place
from weft.text.fields import Size
from weft.text.units import show_size

_OVERHEAD = {"ext4": 0.2, "xfs": 0.35}
"""Part of a small image that journal and inodes take: mkfs.xfs gives 64 MiB of at least 300 to the journal."""


class LoopbackStorage(StackedStorage):
    """ext4 or xfs in a sparse file on another storage."""

    kind: Literal["loopback"] = "loopback"
    size: Size = Field(default=4 << 30, description="size of each node's file system (the image is sparse)")
    fs: Literal["ext4", "xfs"] = Field(default="ext4", description="file system inside the image")
    block: Size = Field(default=4096, description="block size of that file system")
    by: Literal["mount", "shifter", "apptainer", "podman-hpc"] = Field(
        default="mount", description="what mounts it: weft itself, or a container program of the site"
    )

    @model_validator(mode="after")
    def _fs_of_the_program(self) -> "LoopbackStorage":
        program = PROGRAMS.get(self.by)
        if program and program.fs and self.fs == "xfs":
            raise ValueError(f"{self.by} mounts {program.fs}, not xfs; omit fs")
        return self

    def sketch(self, role: Role, nodes: Members, work: WorkDirectory) -> Place:
        return self._over(self.on.sketch(role, nodes, work), role, nodes, work)

    def _over(self, below: Place, role: Role, nodes: Sequence[Node], work: WorkDirectory) -> Place:
        """The file systems, on the place with their images."""
        if program := PROGRAMS.get(self.by):
            return self._inside(program, below, self._volumes(program, role, below, work))
        points = {
            node.name: mount_point(work, None if below.shared else node, f"loopback-{role}") for node in nodes
        }
        how = "loop mount" if access(nodes[0]).privileged() else "fuse2fs"
        text = f"{self.fs} of {show_size(self.size)} in an image file ({how}) on {below.description}"
        paths = {name: str(point / "files") for name, point in points.items()}  # beside lost+found
        mounted_as = self.fs if access(nodes[0]).privileged() else "fuse*"
        own = {
            name: ExpectedMount(str(point), mounted_as, self.size, _OVERHEAD[self.fs])
            for name, point in points.items()
        }
        expected = {name: (*below.expected.get(name, ()), one) for name, one in own.items()}
        return dataclasses.replace(
            below, storage="loopback", description=text, paths=paths, expected=expected
        )

    @contextmanager
    def place(self, role: Role, nodes: Members, work: Work) -> Iterator[Place]:
        name = f"loopback-{role}"
        program = PROGRAMS.get(self.by)
        with self.on.place(role, nodes, work) as below:
            place = self._over(below, role, nodes, work)
            if program:
                containers.require(program, nodes)
                volumes = self._volumes(program, role, below, work)
                everywhere(nodes, lambda node: self._image(program, node, volumes[node.name]))
                with containers.running(program, volumes, nodes, work):
                    yield place
                return
            if place.shared:
                require_this_machine("loopback", role, nodes)
                with mounted(work, name, self._make(nodes[0], below, shell.run)) as point:
                    (point / "files").mkdir(mode=0o700)
                    yield place
                return
            with mounted_on(nodes, work, name, lambda node: self._make(node, below, access(node).run)):
                everywhere(
                    nodes, lambda node: access(node).run(["mkdir", "-m", "0700", place.paths[node.name]])
                )
                yield place

    def _volumes(self, program: Program, role: Role, below: Place, work: WorkDirectory) -> dict[str, Volume]:
        """By node name: the file system and its container."""
        if role != "scratch":
            raise UsageError(
                f"{role}: only one node's engine sees what {program.name} mounts",
                hint="use it as scratch, or omit by=",
            )
        profile = load().container
        if program.fs and not profile.image:
            raise UsageError(
                f"{program.name}: the site profile names no root image for the container",
                hint=f"write `image = ...` below [container] in {settings.site()}",
            )
        shared, own = settings.shared(), work.visible if isinstance(work, Work) else ()
        seen = [work.directory, *own, *([shared] if shared else []), *profile.bind]
        return {
            name: Volume(
                f"weft-{work.name}-{name}",
                f"{path}/image" if program.fs else path,
                self.size,
                self.block,
                profile.image or "",
                profile.options,
                containers.outermost(seen),
            )
            for name, path in below.paths.items()
        }

    def _inside(self, program: Program, below: Place, volumes: dict[str, Volume]) -> Place:
        what = f"{program.fs or 'xfs'} of {show_size(self.size)} in an image file"
        return dataclasses.replace(
            below,
            storage="loopback",
            description=f"{what} (inside {program.name}) on {below.description}",
            paths={name: containers.files(program, volume) for name, volume in volumes.items()},
            wrapper={name: containers.wrapper(program, volume) for name, volume in volumes.items()},
        )

    def _image(self, program: Program, node: Node, volume: Volume) -> None:
        """Create the file, unless the program does."""
        if program.fs:
            access(node).run(["truncate", "--size", str(volume.size), volume.image])
            make = access(node).tool(f"mkfs.{program.fs}", "e2fsprogs")
            arguments = ["-q", "-F", "-b", str(volume.block), "-m", "0", "-E", "nodiscard,root_owner"]
            access(node).run([make, *arguments, volume.image])

    def _make(self, node: Node, below: Place, run: Callable[..., object]) -> list[str]:
        """Create a node's image; returns the command that mounts it."""
        image = f"{below.paths[node.name]}/image"
        run(["truncate", "--size", str(self.size), image])
        run([*self._format(node), image])
        return [*self._mount(node), image]

    def _format(self, node: Node) -> list[str]:
        if self.fs == "xfs":
            return [access(node).tool("mkfs.xfs", "xfsprogs"), "-q", "-b", f"size={self.block}"]
        lazy = "lazy_itable_init=1,lazy_journal_init=1,nodiscard"
        program = access(node).tool("mkfs.ext4", "e2fsprogs")
        return [program, "-q", "-F", "-b", str(self.block), "-m", "0", "-E", lazy]

    def _mount(self, node: Node) -> list[str]:
        if access(node).privileged():
            return ["mount", "-o", "loop,noatime"]
        if self.fs != "ext4":
            raise MissingError(
                "only root can mount an xfs image",
                hint="use fs=ext4, which fuse2fs mounts without root",
            )
        return [access(node).tool("fuse2fs", "fuse2fs"), "-o", "fakeroot"]
