"""Stores nothing: paths that nothing may write, for engines and workloads that write nothing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from weft.adapters.storage.base import Storage
from weft.facts.roles import Role
from weft.host.work import Work, WorkDirectory
from weft.layout.node import Node
from weft.layout.places import Place


class NullStorage(Storage):
    """A place without a file."""

    kind: Literal["null"] = "null"

    def sketch(self, role: Role, nodes: Sequence[Node], work: WorkDirectory) -> Place:  # noqa: ARG002 - nothing is made
        return Place("null", "nothing", {node.name: "/dev/null" for node in nodes}, shared=True)

    @contextmanager
    def place(self, role: Role, nodes: Sequence[Node], work: Work) -> Iterator[Place]:
        yield self.sketch(role, nodes, work)
