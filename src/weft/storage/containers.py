"""Image files that a container's program mounts for a user who may not: seen inside of the container alone.

The words are composed from the programs' documentation: Shifter's `perNodeCache` volumes (src/VolumeMap.c), Apptainer's
image mounts and instances (user guide, "Bind Paths and Mounts"), and for podman-hpc, which has no such volumes, fuse2fs
inside of a container with /dev/fuse.
"""

import shlex
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from weft.errors import StorageError, UsageError, WeftError
from weft.host.work import Work
from weft.nodes.base import Node, everywhere

_START = 120.0
"""Seconds that a container may take to start: its root may have to be unpacked."""
_MADE = 'mkdir -p -m 0700 "$1" && shift && exec "$@"'
"""Make a directory and become the command."""


@dataclass(frozen=True)
class Volume:
    """A file system of one node, and the container that it is in."""

    container: str
    image: str
    """Its file; for a program that makes its own, the directory to make it in."""
    size: int
    block: int
    """Both in bytes."""
    root: str = ""
    """What the container's own root is, as the program names it."""
    options: Sequence[str] = ()
    """More words of the site's."""
    seen: Sequence[Path] = ()
    """Directories that are inside under the same name."""


class Program(ABC):
    """The words of one program. A container that stands is shared by all processes of its node."""

    name: ClassVar[str]
    fs: ClassVar[str] = ""
    """File system that the image has to have; empty where the program makes it itself."""

    def point(self, volume: Volume) -> str:
        """Where it is mounted: outside of all that is seen, which would hide it."""
        return f"/{volume.container}"

    def start(self, volume: Volume) -> list[list[str]]:  # noqa: ARG002 - for those whose containers stand
        """Commands that make a container stand."""
        return []

    def stop(self, volume: Volume) -> list[str]:  # noqa: ARG002 - for those whose containers stand
        """The command that ends it."""
        return []

    @abstractmethod
    def enter(self, volume: Volume) -> list[str]:
        """Words before a command that make it run inside."""


class Shifter(Program):
    """A file of its own for each command, gone with it; what the site mounts into every container is all that is seen."""

    name = "shifter"

    def point(self, volume: Volume) -> str:  # noqa: ARG002 - every image has it, and others cannot be made
        return "/tmp"  # noqa: S108 - inside

    def enter(self, volume: Volume) -> list[str]:
        root = [f"--image={volume.root}"] if volume.root else []
        cache = f"perNodeCache=size={volume.size}b,bs={volume.block}b,fs=xfs,method=loop"
        return ["shifter", *root, f"--volume={volume.image}:{self.point(volume)}:{cache}", *volume.options]


class Apptainer(Program):
    """An instance a node: the kernel or fuse2fs mounts the file, as the site's Apptainer is set up."""

    name = "apptainer"
    fs = "ext3"

    def start(self, volume: Volume) -> list[list[str]]:
        seen = [word for path in volume.seen for word in ("--bind", str(path))]
        image = ["--bind", f"{volume.image}:{self.point(volume)}:image-src=/"]
        arguments = ["apptainer", "instance", "start", *seen, *image, *volume.options]
        return [[*arguments, volume.root, volume.container]]

    def stop(self, volume: Volume) -> list[str]:
        return ["apptainer", "instance", "stop", volume.container]

    def enter(self, volume: Volume) -> list[str]:
        return ["apptainer", "exec", f"instance://{volume.container}"]


class PodmanHpc(Program):
    """A container a node, in which fuse2fs of its root mounts the file."""

    name = "podman-hpc"
    fs = "ext4"

    def start(self, volume: Volume) -> list[list[str]]:
        seen = [f"--volume={path}:{path}" for path in outermost([*volume.seen, Path(volume.image).parent])]
        allowed = ["--network=host", "--device=/dev/fuse", "--cap-add=SYS_ADMIN"]
        arguments = ["podman-hpc", "run", "--detach", "--rm", f"--name={volume.container}", *allowed, *seen]
        mount = ["fuse2fs", "-o", "fakeroot", volume.image]
        inside = ["podman-hpc", "exec", volume.container]
        return [
            [*arguments, *volume.options, volume.root, "sleep", "infinity"],
            [*inside, "mkdir", self.point(volume)],
            [*inside, *mount, self.point(volume)],
        ]

    def stop(self, volume: Volume) -> list[str]:
        return ["podman-hpc", "rm", "--force", "--time=0", volume.container]

    def enter(self, volume: Volume) -> list[str]:
        return ["podman-hpc", "exec", "--env=*", volume.container]


PROGRAMS: Mapping[str, Program] = {one.name: one for one in (Shifter(), Apptainer(), PodmanHpc())}


def files(program: Program, volume: Volume) -> str:
    """The directory inside that is used, beside lost+found."""
    return f"{program.point(volume)}/files"


def wrapper(program: Program, volume: Volume) -> tuple[str, ...]:
    """Words before a command that make it run inside, where that directory is."""
    return (*program.enter(volume), "sh", "-c", _MADE, "weft", files(program, volume))


def require(program: Program, nodes: Sequence[Node]) -> None:
    """Raises UsageError naming the nodes that do not have it."""
    asked = ["sh", "-c", 'command -v "$0"', program.name]
    found = everywhere(nodes, lambda node: node.run(asked, check=False).code == 0)
    if lacking := [node.name for node, there in zip(nodes, found, strict=True) if not there]:
        raise UsageError(
            f"{', '.join(lacking)}: there is no program {program.name}, which is to mount the image",
            hint="is it a module here? without by=, weft mounts it, as root or with fuse2fs",
        )


@contextmanager
def running(
    program: Program, volumes: Mapping[str, Volume], nodes: Sequence[Node], work: Work
) -> Iterator[None]:
    """The containers of all nodes, for the length of a `with`."""

    def start(node: Node) -> None:
        volume = volumes[node.name]
        # what is in a node's own namespaces ends with them, and its numbers mean others outside
        if (arguments := program.stop(volume)) and not node.prefix:
            node.note(work.lease, "container", shlex.join(arguments))
        try:
            for arguments in program.start(volume):
                node.run(arguments, timeout=_START)
        except WeftError as error:
            raise StorageError(f"{node.name}: {error.message}", tail=error.tail, hint=error.hint) from error

    def stop(node: Node) -> None:
        if arguments := program.stop(volumes[node.name]):
            node.run(arguments, check=False)

    try:
        everywhere(nodes, start)
        yield
    finally:
        everywhere(nodes, stop)


def outermost(paths: Sequence[Path]) -> list[Path]:
    """Paths without those that lie in another of them."""
    found: list[Path] = []
    for path in sorted(set(paths)):
        if not any(path.is_relative_to(one) for one in found):
            found.append(path)
    return found
