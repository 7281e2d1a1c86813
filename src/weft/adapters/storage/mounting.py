"""Mounts for the length of a `with` block: in each node's mount namespace or host, or once for all nodes of this machine."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere
from weft.errors import StorageError, WeftError
from weft.host import shell
from weft.host.work import Work, WorkDirectory
from weft.layout.node import Node


def mount_point(work: WorkDirectory, node: Node | None, name: str) -> Path:
    """Where a mount of that name is visible: on one node, or (None) on all of them."""
    return work.directory / ("shared" if node is None else node.name) / name


@contextmanager
def mounted(work: Work, name: str, argv: Sequence[str]) -> Iterator[Path]:
    """Run a mount command, with the mount point as its last argument, once for all nodes, and unmount at the end."""
    point = mount_point(work, None, name)
    point.mkdir(parents=True, mode=0o700)
    work.lease.note("mount", path=str(point))
    _mount(shell.run, [*argv, str(point)], name)
    try:
        yield point
    finally:
        shell.run(["umount", "-l", str(point)], check=False)


@contextmanager
def mounted_on(
    nodes: Sequence[Node], work: Work, name: str, argv: Callable[[Node], Sequence[str]]
) -> Iterator[None]:
    """The same on each node, concurrently, with one command per node."""

    def mount(node: Node) -> None:
        point = mount_point(work, node, name)
        access(node).make(point)
        access(node).note(work.lease, "mount", point)
        _mount(access(node).run, [*argv(node), str(point)], name, f"{node.name}: ")

    def unmount(node: Node) -> None:
        access(node).run(["umount", "-l", str(mount_point(work, node, name))], check=False)

    try:
        everywhere(nodes, mount)
        yield
    finally:
        everywhere(nodes, unmount)


def _mount(run: Callable[..., object], argv: Sequence[str], name: str, where: str = "") -> None:
    try:
        run(argv)
    except WeftError as error:
        raise StorageError(
            f"{where}cannot mount {name}: {error.message}", tail=error.tail, hint=error.hint
        ) from error
