"""Image files that a container program mounts for users who may not mount: visible only inside the container.

The arguments follow the programs' documentation: Shifter's `perNodeCache` volumes (src/VolumeMap.c), Apptainer's
image mounts and instances (user guide, "Bind Paths and Mounts"), and for podman-hpc, which has no such volumes, fuse2fs
inside a container with /dev/fuse.
"""

import shlex
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere
from weft.errors import StorageError, UsageError, WeftError
from weft.host.work import Work
from weft.layout.node import Node
from weft.text.arguments import repeat

_START = 120.0
"""Seconds within which a container must start: its root image may have to be unpacked."""
_MADE = 'mkdir -p -m 0700 "$1" && shift && exec "$@"'
"""Create a directory and exec the command."""


@dataclass(frozen=True)
class Volume:
    """A file system of one node, and its container."""

    container: str
    image: str
    """Its file; for a program that creates its own, the directory for it."""
    size: int
    block: int
    """Both in bytes."""
    root: str = ""
    """The container's root image, as the program names it."""
    options: Sequence[str] = ()
    """Further arguments of the site."""
    seen: Sequence[Path] = ()
    """Directories that are visible inside under the same path."""


class Program(ABC):
    """The arguments of one program. All processes of a node share a running container."""

    name: ClassVar[str]
    fs: ClassVar[str] = ""
    """File system that the image must have; empty if the program creates it."""

    def point(self, volume: Volume) -> str:
        """Its mount point: outside all visible directories, which it would hide."""
        return f"/{volume.container}"

    def start(self, volume: Volume) -> list[list[str]]:  # noqa: ARG002 - for those with running containers
        """Commands that start a container."""
        return []

    def stop(self, volume: Volume) -> list[str]:  # noqa: ARG002 - for those with running containers
        """The command that stops it."""
        return []

    @abstractmethod
    def enter(self, volume: Volume) -> list[str]:
        """Arguments before a command that make it run inside."""


class Shifter(Program):
    """A separate file for each command, removed with it; only what the site mounts into every container is visible."""

    name = "shifter"

    def point(self, volume: Volume) -> str:  # noqa: ARG002 - every image has it, and others cannot be created
        return "/tmp"  # noqa: S108 - inside

    def enter(self, volume: Volume) -> list[str]:
        root = [f"--image={volume.root}"] if volume.root else []
        cache = f"perNodeCache=size={volume.size}b,bs={volume.block}b,fs=xfs,method=loop"
        return ["shifter", *root, f"--volume={volume.image}:{self.point(volume)}:{cache}", *volume.options]


class Apptainer(Program):
    """One instance per node: the kernel or fuse2fs mounts the file, depending on the site's configuration of Apptainer."""

    name = "apptainer"
    fs = "ext3"

    def start(self, volume: Volume) -> list[list[str]]:
        seen = repeat("--bind", volume.seen)
        image = ["--bind", f"{volume.image}:{self.point(volume)}:image-src=/"]
        arguments = ["apptainer", "instance", "start", *seen, *image, *volume.options]
        return [[*arguments, volume.root, volume.container]]

    def stop(self, volume: Volume) -> list[str]:
        return ["apptainer", "instance", "stop", volume.container]

    def enter(self, volume: Volume) -> list[str]:
        return ["apptainer", "exec", f"instance://{volume.container}"]


class PodmanHpc(Program):
    """One container per node, in which fuse2fs of its root image mounts the file."""

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
    """Arguments before a command that make it run inside, where that directory is."""
    return (*program.enter(volume), "sh", "-c", _MADE, "weft", files(program, volume))


def require(program: Program, nodes: Sequence[Node]) -> None:
    """Raises UsageError, which names the nodes without the program."""
    asked = ["sh", "-c", 'command -v "$0"', program.name]
    found = everywhere(nodes, lambda node: access(node).run(asked, check=False).code == 0)
    if lacking := [node.name for node, there in zip(nodes, found, strict=True) if not there]:
        raise UsageError(
            f"{', '.join(lacking)}: {program.name} is not on PATH; it must mount the image",
            hint="load its module, if there is one; without by=, weft mounts the image itself, as root or with fuse2fs",
        )


@contextmanager
def running(
    program: Program, volumes: Mapping[str, Volume], nodes: Sequence[Node], work: Work
) -> Iterator[None]:
    """The containers of all nodes, for the length of a `with` block."""

    def start(node: Node) -> None:
        volume = volumes[node.name]
        # processes in a node's own namespaces end with them, and their IDs are different outside
        if (arguments := program.stop(volume)) and not node.prefix:
            access(node).note(work.lease, "container", shlex.join(arguments))
        try:
            for arguments in program.start(volume):
                access(node).run(arguments, timeout=_START)
        except WeftError as error:
            raise StorageError(f"{node.name}: {error.message}", tail=error.tail, hint=error.hint) from error

    def stop(node: Node) -> None:
        if arguments := program.stop(volumes[node.name]):
            access(node).run(arguments, check=False)

    try:
        everywhere(nodes, start)
        yield
    finally:
        everywhere(nodes, stop)


def outermost(paths: Sequence[Path]) -> list[Path]:
    """Paths that are not inside another one of them."""
    found: list[Path] = []
    for path in sorted(set(paths)):
        if not any(path.is_relative_to(one) for one in found):
            found.append(path)
    return found
