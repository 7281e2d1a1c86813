"""Separate processes on this machine, one loopback address per node; needs no privilege."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from weft.adapters.nodes.base import Nodes
from weft.errors import NodeError
from weft.host import machine
from weft.host.work import Work, WorkDirectory
from weft.layout.node import Node


class LocalNodes(Nodes):
    """Nodes that share the machine's network, memory and CPUs, and differ by address."""

    kind: Literal["local"] = "local"

    def sketch(self, site: WorkDirectory) -> list[Node]:
        return self._named(site, "127.87.N")

    def _named(self, site: WorkDirectory, subnet: str) -> list[Node]:
        cores, memory = machine.share(self.count, self.cores, self.memory)
        return [
            Node(f"node{i}", f"{subnet}.{i}", cores, memory, site.directory / f"node{i}")
            for i in range(1, self.count + 1)
        ]

    @contextmanager
    def acquire(self, work: Work, visible: Sequence[Path]) -> Iterator[list[Node]]:  # noqa: ARG002 - everything is visible
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
    """A /24 of 127.0.0.0/8 that no other running weft command on this machine uses.

    A name in the abstract socket namespace is the lock: the kernel releases it with its owner.
    """
    for third in range(1, 255):
        with socket.socket(socket.AF_UNIX) as lock:
            try:
                lock.bind(f"\0weft-127.87.{third}")
            except OSError:
                continue
            yield f"127.87.{third}"
            return
    raise NodeError(
        "254 local clusters are already running on this machine", hint="stop one, or run `weft clean`"
    )
