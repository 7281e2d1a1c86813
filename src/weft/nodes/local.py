"""Separate processes on this machine, one loopback address a node; needs no privilege."""

import fcntl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from weft import machine, settings
from weft.errors import NodeError
from weft.nodes.base import Node, Nodes
from weft.work import Site, Work


class LocalNodes(Nodes):
    """Nodes that share the machine's network, memory and CPUs, told apart by address."""

    kind: Literal["local"] = "local"

    def sketch(self, site: Site) -> list[Node]:
        return self._named(site, "127.87.N")

    def _named(self, site: Site, subnet: str) -> list[Node]:
        cores, memory = machine.share(self.count, self.cores, self.memory)
        return [
            Node(f"node{i}", f"{subnet}.{i}", cores, memory, site.directory / f"node{i}")
            for i in range(1, self.count + 1)
        ]

    @contextmanager
    def acquire(self, work: Work, visible: Sequence[Path]) -> Iterator[list[Node]]:  # noqa: ARG002 - all is visible
        with _subnet() as subnet:
            nodes = self._named(work, subnet)
            for node in nodes:
                work.make(node.name)
            yield nodes

    def limits(self) -> list[str]:
        return [
            "local nodes share the machine: CPU and memory shares are not enforced, and the network is loopback",
        ]


@contextmanager
def _subnet() -> Iterator[str]:
    """A /24 of 127.0.0.0/8 that no other running weft command of this user has."""
    directory = settings.state() / "subnets"
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    for third in range(1, 255):
        with (directory / str(third)).open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield f"127.87.{third}"
            return
    raise NodeError("254 local clusters of this user are running already", hint="stop one, or run `weft gc`")
