"""Which nodes are compute nodes, and which belong to each service, by its name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

from weft.layout.node import Network, Node


@dataclass(frozen=True)
class Members(Sequence[Node]):
    """The compute nodes, and the nodes of services."""

    nodes: Sequence[Node]
    own: Mapping[str, Sequence[Node]] = field(default_factory=dict)
    """By name of the service."""
    networks: Mapping[str, Network] = field(default_factory=dict)
    """By name of the service: the network on which it is reached; default: the compute nodes' own."""

    @overload
    def __getitem__(self, index: int) -> Node: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Node]: ...
    def __getitem__(self, index: int | slice) -> Node | Sequence[Node]:
        return self.nodes[index]

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def servers(self) -> list[Node]:
        """The nodes that belong to services."""
        return [node for nodes in self.own.values() for node in nodes]

    def of(self, service: str) -> "Members":
        """The nodes of a service's daemons, its own or the compute nodes, with their addresses on its network."""
        network = self.networks.get(service, "compute")
        nodes = [node.on(network) for node in self.own.get(service) or self.nodes]
        return Members(nodes, self.own, self.networks)
