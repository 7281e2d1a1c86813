"""What a storage created, read back on every node before anything uses it: the type and the size of its file systems."""

import fnmatch
import os
from collections.abc import Sequence

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere
from weft.errors import StorageError
from weft.facts.roles import Role
from weft.host.programs.mounts import mount_of
from weft.layout.node import Node
from weft.layout.places import ExpectedMount, Place
from weft.text.units import show_size

_READ = 'stat -f -c "%S %b" "$1" && cat /proc/self/mounts'
"""Block size and blocks of the file system of a path (statfs(2)), and all mounts (proc(5))."""
_ROUNDED = 1 << 16
"""Bytes by which a size may be rounded: pages of 64 KiB, the largest of common kernels."""


def require_expected(role: Role, place: Place, nodes: Sequence[Node]) -> None:
    """Raises StorageError, which names what was requested and what was found, if a file system is not as described."""
    expected = [node for node in nodes if place.expected.get(node.name)]

    def differences(node: Node) -> list[str]:
        found = [_difference(node, wanted) for wanted in place.expected[node.name]]
        return [f"{role} on {node.name}: {why}" for why in found if why]

    wrong = [why for each in everywhere(expected, differences) for why in each] if expected else []
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if wrong[1:] else ""
        raise StorageError(
            wrong[0] + more, hint="see `weft doctor`; another --scratch, --input or --output may work"
        )


def _difference(node: Node, expected: ExpectedMount) -> str:
    done = access(node).run(["sh", "-c", _READ, "sh", expected.path], check=False)
    if done.code != 0:
        return f"{expected.path} cannot be read: {' '.join(done.err.split())}"
    sizes, _, mounts = done.out.partition("\n")
    block, blocks = map(int, sizes.split())
    return difference(expected, mounts, block * blocks)


def difference(expected: ExpectedMount, mounts: str, size: int) -> str:
    """What is wrong with a file system of `size` bytes, as text; empty if nothing is. `mounts` is the mount table."""
    point, kind = mount_of(expected.path, os.fsencode(mounts))
    if not fnmatch.fnmatch(kind, expected.type):
        return f"{expected.path} was to be {expected.type}, but is {kind} (mounted at {point})"
    if expected.mounted and point != expected.path:
        return f"{expected.type} was to be mounted at {expected.path}, but is mounted at {point}"
    if expected.size is None:
        return ""
    least = int(expected.size * (1 - expected.overhead)) - _ROUNDED
    if not least <= size <= expected.size + _ROUNDED:
        return f"{expected.path} was to have {show_size(expected.size)}, but has {show_size(size)}"
    return ""
