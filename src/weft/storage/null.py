"""Stores nothing: paths that nothing may write, for engines and workloads that write nothing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from weft.host.work import Work, WorkDirectory
from weft.layout.places import Place, Role
from weft.nodes.base import Node
from weft.storage.base import Storage


class NullStorage(Storage):
    """A place without a file."""

    kind: Literal["null"] = "null"

    def sketch(self, role: Role, nodes: Sequence[Node], work: WorkDirectory) -> Place:  # noqa: ARG002 - nothing is made
        return Place("null", "nothing", {node.name: "/dev/null" for node in nodes}, shared=True)

    @contextmanager
    def place(self, role: Role, nodes: Sequence[Node], work: Work) -> Iterator[Place]:
        yield self.sketch(role, nodes, work)
