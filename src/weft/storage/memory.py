"""Files in memory (tmpfs), bounded so that a full shuffle fails there and not in the node."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Literal

from pydantic import Field

from weft.errors import StorageError
from weft.nodes.base import Node
from weft.places import SHARED_ROLES, Place, Role
from weft.storage.base import Storage, make_directories, spread
from weft.storage.mounting import mount_point, mounted
from weft.units import Size, show_size
from weft.work import Site, Work

_SHM = Path("/dev/shm")  # noqa: S108 - the machine's tmpfs is what is meant


class MemoryStorage(Storage):
    """tmpfs of a fixed size; a plain directory in /dev/shm where mounting is not allowed."""

    kind: Literal["memory"] = "memory"
    positional = "size"
    size: Size | None = Field(
        default=None, description="bound of each mount; default: half of the memory of its nodes"
    )

    def sketch(self, role: Role, nodes: Sequence[Node], site: Site) -> Place:
        shared = role in SHARED_ROLES
        if os.geteuid() != 0:
            paths = spread(_SHM / f"weft-{site.name}-{role}", role, nodes)
            return Place(
                "memory",
                "directory in /dev/shm (not bounded: mounting needs root)",
                paths,
                shared=shared,
                durable=False,
            )
        paths = {
            node.name: str(mount_point(site, None if shared else node, f"memory-{role}")) for node in nodes
        }
        return Place(
            "memory", f"tmpfs of {show_size(self._bytes(role, nodes))}", paths, shared=shared, durable=False
        )

    def _bytes(self, role: Role, nodes: Sequence[Node]) -> int:
        return self.size or sum(node.memory for node in (nodes if role in SHARED_ROLES else nodes[:1])) // 2

    @contextmanager
    def place(self, role: Role, nodes: Sequence[Node], work: Work) -> Iterator[Place]:
        place = self.sketch(role, nodes, work)
        if os.geteuid() != 0:
            _refuse_when_full(role, self._bytes(role, nodes) * (1 if place.shared else len(nodes)))
            make_directories(_SHM / f"weft-{work.name}-{role}", place, work)
            yield place
            return
        tmpfs = ["mount", "-t", "tmpfs", "-o", f"size={self._bytes(role, nodes)},mode=0700", f"weft-{role}"]
        with ExitStack() as mounts:
            for node in [None] if place.shared else nodes:
                mounts.enter_context(mounted(work, node, f"memory-{role}", tmpfs))
            yield place


def _refuse_when_full(role: Role, asked: int) -> None:
    free = shutil.disk_usage(_SHM).free
    if free < asked:
        raise StorageError(
            f"{role}: /dev/shm has {show_size(free)} free, {show_size(asked)} are asked for",
            hint="ask for less: memory:1G",
        )
