"""A mount for the length of a `with`: in a node's own mount namespace, or once for all nodes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from weft import shell
from weft.errors import StorageError, WeftError
from weft.nodes.base import Node
from weft.work import Site, Work


def mount_point(site: Site, node: Node | None, name: str) -> Path:
    """Where a mount of that name appears: on one node, or (None) on all of them."""
    return site.directory / ("shared" if node is None else node.name) / name


@contextmanager
def mounted(work: Work, node: Node | None, name: str, argv: Sequence[str]) -> Iterator[Path]:
    """Run a mount command (its last word, the mount point, is added) and undo it at the end."""
    point = mount_point(work, node, name)
    point.mkdir(parents=True, mode=0o700)
    run = shell.run if node is None else node.run
    work.lease.note("mount", path=str(point))
    try:
        run([*argv, str(point)])
    except WeftError as error:
        where = "" if node is None else f"{node.name}: "
        raise StorageError(
            f"{where}cannot mount {name}: {error.message}", tail=error.tail, hint=error.hint
        ) from error
    try:
        yield point
    finally:
        run(["umount", "-l", str(point)], check=False)
