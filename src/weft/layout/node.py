"""A node as plain data: where commands run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Self

Network = Literal["compute", "storage"]
"""What traffic is for: engines and most services, or services that store files."""


@dataclass(frozen=True)
class Attachment:
    """A node's place on a further network: its address there, its interface, and its link (bytes a second each way)."""

    address: str
    interface: str
    link: float | None = None


@dataclass(frozen=True)
class Node:
    """Where commands run, as data: name, address, its share of cores and memory (bytes), a private directory.

    What is done on a node, such as to run a command, is done through `weft.adapters.nodes.access`.
    """

    name: str
    address: str
    cores: int
    memory: int
    directory: Path
    prefix: tuple[str, ...] = field(default=(), repr=False)
    """Arguments before a command that make it run on this node."""
    cgroups: tuple[Path, ...] = field(default=(), repr=False)
    """Control groups (absolute paths) of this node alone; empty if nodes share one."""
    network_pid: int | None = field(default=None, repr=False)
    """A process whose /proc/PID/net shows this node's own network; None if the node shares the host's."""
    host: str = ""
    """The host it is on; empty for the machine that runs weft."""
    link: float | None = None
    """Bytes a second that its link carries each way; None where nothing limits it, or nobody says how much it is."""
    storage: Attachment | None = None
    """Where it is on a network of its own for storage traffic; None if it has one network for all traffic."""
    enters: str = field(default="", repr=False)
    """The program in the prefix that remains as the parent of the command until it ends."""
    way: str = field(default="", repr=False)
    """How its host is reached, as `Reach.text` writes it; empty for the machine that runs weft."""
    root: bool = False
    """Whether commands on another host run as root."""
    interfaces: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """IPv4 address by interface, of another host."""

    @property
    def addresses(self) -> set[str]:
        """Source addresses of its connections."""
        return {self.address, *self.interfaces.values(), *([self.storage.address] if self.storage else [])}

    def on(self, network: Network) -> Self:
        """The same node as it is reached on a network: with one network only, always the same."""
        if network == "compute" or self.storage is None:
            return self
        return replace(self, address=self.storage.address, link=self.storage.link)


def fewest_cores(nodes: Sequence[Node]) -> int:
    """What each process has of an engine whose processes are all alike, one on a node."""
    return min(node.cores for node in nodes)
