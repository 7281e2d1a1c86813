"""What a machine can do at most: the ceilings of its nodes, storages, network and schedulers.

`weft calibrate` measures them; the same fields can be written by hand as a machine file (TOML). What belongs to a node
(`nodes`, storages of scope `host`, `links`) multiplies with the nodes; what all nodes share (storages of scope
`shared`, `schedulers`) does not. Sizes are bytes, times seconds, rates per second.
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

FORMAT = 1
"""Number of this format; a calibration of another one is refused."""
CALLERS = (1, 4, 16, 64)
"""Numbers of simultaneous callers with which file operations are measured, over all nodes together."""

FileOperation = Literal["open", "create", "stat", "lookup", "unlink", "read", "write"]
"""open: of an existing file, with its close; create: open of a new file, with its close; stat: of files that were just
opened, which caches may answer; lookup: stat of names that do not exist; read and write: of 4 KiB."""
Direction = Literal["read", "write"]


class Fixed(BaseModel):
    """A frozen piece of a calibration, in which an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Measured(Fixed):
    """One value, and where it is from."""

    value: float = Field(ge=0)
    source: str
    """What measured it, or the document of a machine file."""
    spread: float = Field(default=0.0, ge=0)
    """Half the range of the repetitions, relative to `value`, which is their median."""


class CalibratedHost(Fixed):
    """A machine that was measured, and by what it is recognized."""

    name: str
    processor: str
    """Its model, as in /proc/cpuinfo."""
    cores: int = Field(ge=1)
    memory: int = Field(ge=0)
    kernel: str
    """Its release, as in `uname -r`."""
    boot: str
    """/proc/sys/kernel/random/boot_id, which changes at each start."""


class NodeRates(Fixed):
    """The ceilings of one node; all nodes are measured at the same time."""

    name: str
    host: str
    cores: int = Field(ge=1)
    memory: int = Field(ge=0)
    memory_bandwidth: Measured
    """Bytes per second that its cores together read and write when they copy memory."""
    sort: Measured
    """Bytes per second and core: records of 100 bytes, from memory to memory, by all its cores."""
    serialize: Measured
    """Bytes per second and core: records encoded to bytes and decoded again."""


class OperationRate(Fixed):
    """File operations of one kind, by a number of simultaneous callers."""

    operation: FileOperation
    callers: int = Field(ge=1)
    """Threads over all nodes together, each with its own files."""
    per_second: float = Field(ge=0)
    """Of all callers together."""
    latency: float = Field(ge=0)
    """Mean seconds of one."""
    p99: float = Field(default=0.0, ge=0)
    """Seconds that one in 100 takes longer than."""


class TransferRate(Fixed):
    """Sequential reading or writing of large files in blocks of 1 MiB, by a number of simultaneous callers."""

    operation: Direction
    callers: int = Field(ge=1)
    bytes_per_second: float = Field(ge=0)
    """Of all callers together."""
    cached: bool = False
    """Whether pages in the memory of the nodes may answer: reads of what was just written, writes without sync."""


class StorageRates(Fixed):
    """The ceilings of one storage, used by all measured nodes together."""

    storage: str
    """Its name in reports: delayed:lustre."""
    settings: Mapping[str, Any] = {}
    """Its table in a spec, without paths."""
    file_system: str = ""
    """Type and device of the file system that the files were on, as `df` prints them."""
    emulated: str = ""
    """What is emulated, as text; empty if nothing is."""
    scope: Literal["host", "shared"]
    """host: each host has its own, so that more hosts do more; shared: one service for all nodes."""
    hosts: int = Field(default=1, ge=1)
    """Hosts that used it together in this measurement."""
    nodes: int = Field(default=1, ge=1)
    source: str
    created: float = Field(default=0.0, ge=0)
    """Seconds since the epoch."""
    operations: tuple[OperationRate, ...] = ()
    transfers: tuple[TransferRate, ...] = ()
    sort: Measured | None = None
    """Bytes per second of all nodes together: records of 100 bytes, from files to files."""

    def rates(self, operation: str) -> list[OperationRate]:
        """The measurements of one file operation, by number of callers."""
        return sorted(
            (row for row in self.operations if row.operation == operation), key=lambda row: row.callers
        )

    def per_second(self, operation: str) -> float | None:
        """The most that were done per second, at any number of callers; None if not measured."""
        return max((row.per_second for row in self.rates(operation)), default=None)

    def latency(self, operation: str) -> float | None:
        """Seconds of one operation of a single caller, without others; None if not measured."""
        return next((row.latency for row in self.rates(operation)), None)

    def bandwidth(self, operation: str, *, cached: bool = False, callers: int | None = None) -> float | None:
        """The most bytes per second at any number of callers, or at the given one; None if not measured."""
        return max(
            (
                row.bytes_per_second
                for row in self.transfers
                if row.operation == operation
                and row.cached == cached
                and (callers is None or row.callers == callers)
            ),
            default=None,
        )


class LinkRates(Fixed):
    """The network from one node to another."""

    source_node: str
    target_node: str
    bandwidth: Measured
    """Bytes per second."""
    round_trip: Measured
    """Seconds of a request and an answer of 64 bytes each."""


class LimitedLink(Fixed):
    """A link of virtual nodes with a limited rate: what was asked for, and what arrived."""

    rate: str
    """As in `nodes.rate`: 1gbit; empty for a link without a limit."""
    connections: int = Field(ge=1)
    """TCP connections that sent at the same time."""
    wanted: float = Field(ge=0)
    """Bits per second; 0 for a link without a limit."""
    got: float = Field(ge=0)
    """Bits per second on the link, with the headers of each packet."""

    @property
    def share(self) -> float:
        """What arrived, of what was asked for; 0 without a limit."""
        return self.got / self.wanted if self.wanted else 0.0


class SchedulerRates(Fixed):
    """How many empty tasks an engine's scheduler starts."""

    engine: str
    slots: int = Field(ge=1)
    tasks_per_second: Measured


class Calibration(Fixed):
    """One calibration of a machine."""

    format: int = FORMAT
    weft: str = ""
    created: float = Field(default=0.0, ge=0)
    """Seconds since the epoch."""
    machine: str
    """Its name: of the host, of the Slurm cluster, or of a machine file."""
    asked: str = ""
    """The nodes in short form: virtual:2."""
    network: Mapping[str, str] = {}
    """What of the nodes' settings decides the network between them: kind, rate, fabric."""
    hosts: tuple[CalibratedHost, ...] = ()
    nodes: tuple[NodeRates, ...]
    storages: tuple[StorageRates, ...] = ()
    links: tuple[LinkRates, ...] = ()
    rates: tuple[LimitedLink, ...] = ()
    schedulers: tuple[SchedulerRates, ...] = ()
