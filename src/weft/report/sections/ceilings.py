"""A calibration as tables: what nodes, network and storages can do at most."""

import time
from collections.abc import Mapping, Sequence
from typing import get_args

from weft.analysis.read.calibration import (
    CALLERS,
    Calibration,
    Direction,
    FileOperation,
    LimitedLink,
    StorageRates,
)
from weft.facts.io500.phases import CREATE, DELETE, PHASES, READ, UNITS, WRITE
from weft.report.draw.blocks import Block, Number, Section, Table, Words
from weft.text.numbers import NONE
from weft.text.units import show_size

_REACH = 1.25
"""What a link without a limit must carry at least, so that a limit decides: times the limit."""


def sections(calibration: Calibration, fitness: str = "") -> list[Section]:
    """Everything that was measured. `fitness`: whether it is still of the machine, as a sentence."""
    known = [Words(words) for words in (when(calibration), fitness) if words]
    return [
        Section("machine", f"Calibration of {calibration.machine}", [*known, *_hosts(calibration)]),
        Section("nodes", "Nodes", [_nodes(calibration)]),
        *([Section("network", "Network", [_links(calibration)])] if calibration.links else []),
        *([Section("rates", "Limited links", [_rates(calibration.rates)])] if calibration.rates else []),
        *(
            [Section("schedulers", "Schedulers", [_schedulers(calibration)])]
            if calibration.schedulers
            else []
        ),
        *(Section("storage", f"Storage {one.storage}", _storage(one)) for one in calibration.storages),
    ]


def when(calibration: Calibration) -> str:
    """When it was made, and on which nodes."""
    date = time.strftime("%Y-%m-%d %H:%M", time.localtime(calibration.created))
    return f"Measured {date} on {calibration.asked or 'unknown nodes'} by weft {calibration.weft}."


def _hosts(calibration: Calibration) -> list[Block]:
    titles = ["host", "CPU", Number("cores"), Number("memory"), "kernel"]
    rows = [
        (host.name, host.processor, str(host.cores), show_size(host.memory), host.kernel)
        for host in calibration.hosts
    ]
    return [Table(titles, rows)]


def _nodes(calibration: Calibration) -> Table:
    titles = ("cores", "memory bandwidth", "sort, each core", "encode and decode, each core")
    rows = [
        (node.name, str(node.cores), *(f"{show_size(one.value)}/s" for one in (node.memory_bandwidth, node.sort, node.serialize)))
        for node in calibration.nodes
    ]  # fmt: skip
    note = "All nodes at once. Records of 100 bytes are sorted from memory to memory."
    return Table(["node", *map(Number, titles)], rows, note)


def _links(calibration: Calibration) -> Table:
    rows = [
        (f"{link.source_node} to {link.target_node}", f"{show_size(link.bandwidth.value)}/s", latency(link.round_trip.value))
        for link in calibration.links
    ]  # fmt: skip
    return Table(["nodes", Number("bandwidth"), Number("round trip")], rows)


def _rates(rows: Sequence[LimitedLink]) -> Table:
    """A row for each rate: what arrived with each number of connections, of what was asked for."""
    known = sorted({row.connections for row in rows})
    by = {(row.rate, row.connections): row for row in rows}
    lines = [
        (rate or "no limit", *(_arrived(by.get((rate, count))) for count in known))
        for rate in dict.fromkeys(row.rate for row in rows)
    ]
    note = "Bits per second on the link, with the headers of packets, and their share of the rate."
    if far := out_of_reach(rows):
        note += f" {', '.join(far)}: near or above what the CPUs drive without a limit."
    return Table(["rate", *_counted("connection", known)], lines, note)


def out_of_reach(rows: Sequence[LimitedLink]) -> list[str]:
    """Rates that as many connections hardly reach without a limit: processors, and not the link, decide there."""
    most = {row.connections: row.got for row in rows if not row.rate}
    return [
        f"{row.rate} with {_counted('connection', [row.connections])[0]}"
        for row in rows
        if row.wanted * _REACH > most.get(row.connections, float("inf"))
    ]


def _arrived(row: LimitedLink | None) -> str:
    if row is None:
        return NONE
    got = f"{row.got / 1e9:.3f} Gbit/s"
    return f"{got}  {row.share:.1%}" if row.wanted else got


def _schedulers(calibration: Calibration) -> Table:
    rows = [
        (one.engine, str(one.slots), f"{one.tasks_per_second.value:,.0f}") for one in calibration.schedulers
    ]
    return Table(["engine", Number("slots"), Number("empty tasks per second")], rows)


def _storage(storage: StorageRates) -> list[Block]:
    users = "one service for all nodes" if storage.scope == "shared" else "each host has its own"
    about = f"{storage.file_system or 'its own calls'}, {users}; {storage.source}."
    emulated: list[Block] = [Words(f"Emulated: {storage.emulated}.", "warn")] if storage.emulated else []
    return [*emulated, _calls(storage), *_large(storage), *_as_io500(storage), Words(about, "quiet")]


def _calls(storage: StorageRates) -> Table:
    known = sorted({row.callers for row in storage.operations} or set(CALLERS))
    cells = {
        (row.operation, row.callers): f"{row.per_second:,.0f}  {latency(row.latency)}"
        for row in storage.operations
    }
    rows = [
        (name, *(cells.get((name, callers), NONE) for callers in known)) for name in get_args(FileOperation)
    ]
    note = "open and create include the close; lookup is a stat of a name that does not exist; read and write are of 4 KiB."
    return Table(["per second, and latency", *_counted("caller", known)], rows, note)


def _counted(what: str, counts: Sequence[int]) -> list[Number]:
    """1 caller, 4 callers."""
    return [Number(f"{count} {what}{'s' if count > 1 else ''}") for count in counts]


def _large(storage: StorageRates) -> list[Block]:
    known = sorted({row.callers for row in storage.transfers})
    names = {
        ("write", True): "write",
        ("write", False): "write, with sync",
        ("read", True): "read again",
        ("read", False): "read, not cached",
    }
    rows = [
        (words, *(_rate(storage.bandwidth(operation, cached=cached, callers=callers)) for callers in known))
        for (operation, cached), words in names.items()
    ]
    table = Table(["large files", *_counted("caller", known)], rows)
    if storage.sort is None:
        return [table]
    return [table, Words(f"Sort from files to files, all nodes together: {show_size(storage.sort.value)}/s.")]


_CALLS: Mapping[str, FileOperation] = {CREATE: "create", DELETE: "unlink"}
_LARGE: Mapping[str, Direction] = {WRITE: "write", READ: "read"}
"""By phase of IO500: the measurement of the same calls."""
AS_IO500 = (*_CALLS, *_LARGE)
"""The phases."""


def _as_io500(one: StorageRates) -> list[Block]:
    """What IO500 measures by the same calls, with its names and units."""
    rates = {
        (phase, row.callers): row.per_second
        for phase, operation in _CALLS.items()
        for row in one.rates(operation)
    }
    rates |= {
        (phase, row.callers): row.bytes_per_second
        for phase, direction in _LARGE.items()
        for row in one.transfers
        if row.operation == direction and not row.cached
    }
    known = sorted({callers for _, callers in rates})
    rows = []
    for phase in AS_IO500:
        unit = PHASES[phase][0]
        values = (rates.get((phase, callers)) for callers in known)
        rows.append(
            (f"{phase}, {unit}", *(NONE if each is None else f"{each / UNITS[unit]:.3f}" for each in values))
        )
    note = (
        "The same calls as IO500's, for seconds instead of minutes; ior-easy-read drops a file's pages, IO500 has another process read it."
        " The other phases are not measured here: they are of files of other processes, or of all files in one directory."
    )
    return [Table(["in IO500's terms", *_counted("caller", known)], rows, note)] if rates else []


def _rate(value: float | None) -> str:
    return NONE if value is None else f"{show_size(value)}/s"


def latency(seconds: float) -> str:
    """2.1 ms, 45 us."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 0.9995:  # less would be shown as 1e+03 of the next unit
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"
