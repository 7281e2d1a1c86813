"""No nodes: one node that represents this process's machine, for engines and workloads that start nothing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import Field

from weft.adapters.nodes.base import Nodes
from weft.host.work import Work, WorkDirectory
from weft.layout.node import Node
from weft.text.fields import MOST


class NullNodes(Nodes):
    """A name without processes."""

    kind: Literal["null"] = "null"
    count: int = Field(default=1, ge=1, le=MOST, description="number of names")

    def sketch(self, site: WorkDirectory) -> list[Node]:
        return [
            Node(f"node{i}", "127.0.0.1", 1, 1 << 30, site.directory / f"node{i}")
            for i in range(1, self.count + 1)
        ]

    @contextmanager
    def acquire(self, work: Work, visible: Sequence[Path]) -> Iterator[list[Node]]:  # noqa: ARG002 - nothing to show
        yield self.sketch(work)

    def limits(self) -> list[str]:
        return ["null nodes start no process; nothing that they report was measured"]
