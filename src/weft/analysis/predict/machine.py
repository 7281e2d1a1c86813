"""A machine as a prediction needs it: what its nodes have, and what they share."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

UNLIMITED = math.inf


@dataclass(frozen=True)
class StorageModel:
    """A storage, as the work of tasks meets it. What is unlimited is not known to have a limit."""

    name: str
    shared: bool = True
    """One for all nodes; otherwise each node has its own."""
    latency: float = 0.0
    """Seconds of one metadata operation without load."""
    rate: float = UNLIMITED
    """Metadata operations of work 1 per second, of all servers together."""
    servers: int = 1
    """Metadata servers behind one queue."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """By operation: its work; 1 where not named."""
    trips: Mapping[str, float] = field(default_factory=dict)
    """By operation: its latency over `latency`; 1 where not named."""
    bandwidth: float = UNLIMITED
    """Bytes per second of all nodes together if shared, otherwise of each node."""
    client_bandwidth: float = UNLIMITED
    """Bytes per second of one node."""
    call: float = 0.0
    """Seconds of one read or write without load, besides its bytes."""
    calls: Mapping[str, float] = field(default_factory=dict)
    """By operation, such as read: what is known better than `call`."""
    emulator: float = 0.0
    """Processor seconds that the nodes' host needs for each call, where it emulates this storage."""
    source: str = ""

    def work(self, operation: str) -> float:
        """Seconds of a server that an operation takes."""
        return self.weights.get(operation, 1.0) / self.rate

    def delay(self, operation: str) -> float:
        """Seconds of an operation without load."""
        return self.latency * self.trips.get(operation, 1.0)

    def data_delay(self, operation: str) -> float:
        """Seconds of a call that moves data without load, besides its bytes."""
        return self.calls.get(operation, self.call)


@dataclass(frozen=True)
class Machine:
    """A machine, or as much of it as is known."""

    name: str
    cores: int = 0
    """Of a node; 0: as in the record."""
    speed: float = 1.0
    """Of a core, over one of the record's machine."""
    memory: int = 0
    """Bytes of a node; 0: not known."""
    link: float = UNLIMITED
    """Bytes per second that a node receives."""
    round_trip: float = 0.0
    """Seconds between two nodes and back."""
    processors: int = 0
    """Processors that all nodes share, where nodes are virtual; 0: nodes have their own."""
    capped: bool = False
    """Whether each node gets at most its own number of them."""
    launches: Mapping[str, float] = field(default_factory=dict)
    """By engine: tasks per second that its driver starts at most."""
    storages: Mapping[str, StorageModel] = field(default_factory=dict)
    mounts: Mapping[str, str] = field(default_factory=dict)
    """By directory: the storage that is mounted there."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """By key: where its value is from."""
