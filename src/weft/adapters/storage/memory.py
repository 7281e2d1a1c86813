"""Files in memory (tmpfs) with a size limit, so that too large a shuffle fails there and does not exhaust the node."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import Field

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere, one_a_host
from weft.adapters.storage.base import Storage, make_directories, require_this_machine, spread
from weft.adapters.storage.mounting import mount_point, mounted, mounted_on
from weft.errors import StorageError, UsageError
from weft.facts.roles import SHARED_ROLES, Role
from weft.host import machine
from weft.host.work import Work, WorkDirectory
from weft.layout.node import Node
from weft.layout.places import ExpectedMount, Place
from weft.text.fields import Size
from weft.text.units import show_size

_SHM = Path("/dev/shm")  # noqa: S108 - the machine's tmpfs is what is meant


class MemoryStorage(Storage):
    """tmpfs of a fixed size; an ordinary directory in /dev/shm if mounting is not allowed."""

    kind: Literal["memory"] = "memory"
    positional = "size"
    size: Size | None = Field(
        default=None, description="size of each mount; default: half of the memory of its nodes"
    )

    def require(self, role: Role) -> None:
        if self.size is not None and self.size > machine.memory():
            raise UsageError(
                f"{role}: {show_size(self.size)} do not fit into the {show_size(machine.memory())} of memory of this machine",
                hint="ask for less: memory:1G",
            )

    def sketch(self, role: Role, nodes: Sequence[Node], work: WorkDirectory) -> Place:
        shared = role in SHARED_ROLES
        if not access(nodes[0]).privileged():
            paths = spread(work.in_memory(role), role, nodes)
            return Place(
                "memory",
                "directory in /dev/shm (no size limit: mounting needs root)",
                paths,
                shared=shared,
                expected={
                    name: (ExpectedMount(path, "tmpfs", mounted=False),) for name, path in paths.items()
                },
            )
        paths = {
            node.name: str(mount_point(work, None if shared else node, f"memory-{role}")) for node in nodes
        }
        size = self._bytes(role, nodes)
        expected = {name: (ExpectedMount(path, "tmpfs", size),) for name, path in paths.items()}
        return Place("memory", f"tmpfs of {show_size(size)}", paths, shared=shared, expected=expected)

    def _bytes(self, role: Role, nodes: Sequence[Node]) -> int:
        return self.size or sum(node.memory for node in (nodes if role in SHARED_ROLES else nodes[:1])) // 2

    @contextmanager
    def place(self, role: Role, nodes: Sequence[Node], work: Work) -> Iterator[Place]:
        place = self.sketch(role, nodes, work)
        if place.shared:
            require_this_machine("memory", role, nodes)
        if not access(nodes[0]).privileged():
            mounts = 1 if place.shared else len(nodes) // len(one_a_host(nodes))
            asked = self._bytes(role, nodes) * mounts
            everywhere(one_a_host(nodes), lambda node: _refuse_when_full(node, role, asked))
            make_directories(work.in_memory(role), place, nodes, work)
            yield place
            return
        tmpfs = ["mount", "-t", "tmpfs", "-o", f"size={self._bytes(role, nodes)},mode=0700", f"weft-{role}"]
        name = f"memory-{role}"
        with mounted(work, name, tmpfs) if place.shared else mounted_on(nodes, work, name, lambda _: tmpfs):
            yield place


def _refuse_when_full(node: Node, role: Role, asked: int) -> None:
    blocks, size = access(node).run(["stat", "--file-system", "--format=%a %S", str(_SHM)]).out.split()
    free = int(blocks) * int(size)
    if free < asked:
        where = f"{node.name}: " if node.host else ""
        raise StorageError(
            f"{where}{role}: /dev/shm has {show_size(free)} free, but {show_size(asked)} were requested",
            hint="request less: memory:1G",
        )
