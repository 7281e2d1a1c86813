"""Scratch without load on the metadata server: the preload library keeps all files of a node in a few segment files.

`pool:/lustre/me` needs no root and no daemon. For the scratch role the library serves the whole directory; for the
input role it caches descriptors and attributes of files that are read repeatedly.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere, one_a_host
from weft.adapters.storage.stacked import StackedStorage
from weft.errors import UsageError
from weft.facts.roles import Role
from weft.host.provision.native import PRELOAD
from weft.host.work import Work, WorkDirectory
from weft.layout.members import Members
from weft.layout.node import Node
from weft.layout.places import Place
from weft.text.fields import Size, SizeOrNone

_MOST_MEMORY = 256 << 20
"""Bytes of a node's memory that a pool uses by default."""


class PoolStorage(StackedStorage):
    """Many files kept in a few large ones."""

    kind: Literal["pool"] = "pool"
    native: ClassVar[bool] = True
    preloaded: ClassVar[bool] = True

    segment: Size = Field(
        default=1 << 30, ge=1 << 20, description="size of a segment file on the backing storage"
    )
    cache: SizeOrNone | None = Field(
        default=None,
        description="memory of a node for small files, 0 for none; default: a sixteenth of the node's, 256 MiB at most",
    )
    files: int = Field(default=1 << 20, ge=1 << 10, description="maximum number of files on a node")

    @property
    def no_mmap(self) -> str:
        return "a pool keeps many files in one, which a mapping of memory bypasses"

    def sketch(self, role: Role, nodes: Members, work: WorkDirectory) -> Place:
        return self._over(self.on.sketch(role, nodes, work), role, nodes, work)

    def _over(self, below: Place, role: Role, nodes: Sequence[Node], work: WorkDirectory) -> Place:
        """The pool's own place, on that of its backing storage."""
        if role == "output":
            raise UsageError(
                "output: a pool is local to a node, but all nodes must see the output",
                hint="use it for --scratch or --input",
            )
        preload = {"LD_PRELOAD": str(work.native / PRELOAD)}
        if role == "input":
            own = {"WEFT_POOL_PREFIXES": below.path, **preload}
            text = f"pooled opens of {below.description}"
            environment = dict.fromkeys((node.name for node in nodes), own)
            return dataclasses.replace(below, storage="pool", description=text, environment=environment)
        paths = {node.name: str(work.directory / node.name / "pool") for node in nodes}
        index = work.in_memory(f"pool-{role}")
        environment = {node.name: {**self._serve(node, paths, below, index), **preload} for node in nodes}
        text = f"pool of segment files on {below.description}"
        return dataclasses.replace(
            below, storage="pool", description=text, paths=paths, environment=environment
        )

    def _serve(self, node: Node, paths: dict[str, str], below: Place, index: Path) -> dict[str, str]:
        return {
            "WEFT_SCRATCH_PREFIX": paths[node.name],
            "WEFT_SCRATCH_STORE": below.paths[node.name],
            "WEFT_SCRATCH_INDEX": str(index / f"{node.name}.index"),
            "WEFT_SCRATCH_SEGMENT_BYTES": str(self.segment),
            "WEFT_SCRATCH_MEMORY": str(self._cache(node)),
            "WEFT_SCRATCH_MAX_FILES": str(self.files),
        }

    def memory(self, nodes: Sequence[Node]) -> Mapping[str, int]:
        return {node.name: self._cache(node) for node in nodes}

    def _cache(self, node: Node) -> int:
        return min(_MOST_MEMORY, node.memory // 16) if self.cache is None else self.cache

    @contextmanager
    def place(self, role: Role, nodes: Members, work: Work) -> Iterator[Place]:
        with self.on.place(role, nodes, work) as below:
            place = self._over(below, role, nodes, work)
            if role != "input":
                index = work.in_memory(f"pool-{role}")
                everywhere(one_a_host(nodes), lambda node: access(node).claim(index, work))
                everywhere(nodes, lambda node: access(node).make(Path(place.paths[node.name])))
            yield place
