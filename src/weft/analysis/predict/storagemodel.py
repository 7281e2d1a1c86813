"""A storage as a prediction needs it: what its operations take alone, and what it does at most."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

UNLIMITED = math.inf
_ASK_NOTHING = frozenset({"seek", "mmap"})
"""Calls of data that reach no storage: they change what the kernel knows of an open file."""


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
    directory_rate: float = UNLIMITED
    """Metadata operations of work 1 per second, of names in one directory."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """By operation: its work; 1 where not named."""
    directory_weights: Mapping[str, float] = field(default_factory=dict)
    """By operation: its work on the directory of its name; none where not named."""
    latencies: tuple[float, ...] = ()
    """Other latencies that what is known of it allows as well."""
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
    attribute_cache: float = 0.0
    """Share of the calls for attributes of a file that is being read that its client answers without a server."""
    emulator: float = 0.0
    """Processor seconds that the nodes' host needs for each call, where it emulates this storage."""
    source: str = ""

    def work(self, operation: str) -> float:
        """Seconds of a server that an operation takes."""
        return self.weights.get(operation, 1.0) / self.rate

    def directory_work(self, operation: str) -> float:
        """Seconds of its directory that an operation takes, in which no other changes it."""
        return self.directory_weights.get(operation, 0.0) / self.directory_rate

    def delay(self, operation: str) -> float:
        """Seconds of an operation without load."""
        return self.latency * self.trips.get(operation, 1.0)

    def data_delay(self, operation: str) -> float:
        """Seconds of a call that moves data without load, besides its bytes."""
        return self.calls.get(operation, 0.0 if operation in _ASK_NOTHING else self.call)
