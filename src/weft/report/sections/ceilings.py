"""A calibration as tables: what nodes, network and storages can do at most."""

import time
from collections.abc import Mapping, Sequence

from weft.analysis.read.calibration import CALLERS, Calibration, LimitedLink, OperationRate, StorageRates
from weft.report.draw.blocks import Block, Column, Section, Table, Words
from weft.text.numbers import NONE
from weft.text.units import show_size

_REACH = 1.25
"""What a link without a limit must carry at least, so that a limit decides: times the limit."""
_OPERATIONS = ("open", "create", "stat", "lookup", "unlink", "read", "write")


def sections(found: Calibration, fitness: str = "") -> list[Section]:
    """Everything that was measured. `fitness`: whether it is still of the machine, as a sentence."""
    known = [Words(words) for words in (when(found), fitness) if words]
    return [
        Section("machine", f"Calibration of {found.machine}", [*known, *_hosts(found)]),
        Section("nodes", "Nodes", [_nodes(found)]),
        *([Section("network", "Network", [_links(found)])] if found.links else []),
        *([Section("rates", "Limited links", [_rates(found.rates)])] if found.rates else []),
        *([Section("schedulers", "Schedulers", [_schedulers(found)])] if found.schedulers else []),
        *(Section("storage", f"Storage {one.storage}", _storage(one)) for one in found.storages),
    ]


def when(found: Calibration) -> str:
    """When it was made, and on which nodes."""
    date = time.strftime("%Y-%m-%d %H:%M", time.localtime(found.created))
    return f"Measured {date} on {found.asked or 'unknown nodes'} by weft {found.weft}."


def _hosts(found: Calibration) -> list[Block]:
    titles = [Column("host"), Column("processor"), Column("cores", number=True)]
    rows = [
        (host.name, host.processor, str(host.cores), show_size(host.memory), host.kernel)
        for host in found.hosts
    ]
    return [Table([*titles, Column("memory", number=True), Column("kernel")], rows)]


def _nodes(found: Calibration) -> Table:
    titles = ("cores", "memory bandwidth", "sort, each core", "encode and decode, each core")
    rows = [
        (node.name, str(node.cores), *(f"{show_size(one.value)}/s" for one in (node.memory_bandwidth, node.sort, node.serialize)))
        for node in found.nodes
    ]  # fmt: skip
    note = "All nodes at once. Records of 100 bytes are sorted from memory to memory."
    return Table([Column("node"), *(Column(title, number=True) for title in titles)], rows, note)


def _links(found: Calibration) -> Table:
    rows = [
        (f"{link.source_node} to {link.target_node}", f"{show_size(link.bandwidth.value)}/s", latency(link.round_trip.value))
        for link in found.links
    ]  # fmt: skip
    return Table([Column("nodes"), Column("bandwidth", number=True), Column("round trip", number=True)], rows)


def _rates(rows: Sequence[LimitedLink]) -> Table:
    """A row for each rate: what arrived with each number of connections, of what was asked for."""
    known = sorted({row.connections for row in rows})
    titles = [f"{count} connection{'s' if count > 1 else ''}" for count in known]
    by = {(row.rate, row.connections): row for row in rows}
    lines = [
        (rate or "no limit", *(_arrived(by.get((rate, count))) for count in known))
        for rate in dict.fromkeys(row.rate for row in rows)
    ]
    note = "Bits per second on the link, with the headers of packets, and their share of the rate."
    if far := out_of_reach(rows):
        note += f" {', '.join(far)}: near or above what the processors drive without a limit."
    return Table([Column("rate"), *(Column(title, number=True) for title in titles)], lines, note)


def out_of_reach(rows: Sequence[LimitedLink]) -> list[str]:
    """Rates that as many connections hardly reach without a limit: processors, and not the link, decide there."""
    most = {row.connections: row.got for row in rows if not row.rate}
    return [
        f"{row.rate} with {row.connections} connection{'s' if row.connections > 1 else ''}"
        for row in rows
        if row.wanted * _REACH > most.get(row.connections, float("inf"))
    ]


def _arrived(row: LimitedLink | None) -> str:
    if row is None:
        return NONE
    got = f"{row.got / 1e9:.3f} Gbit/s"
    return f"{got}  {row.share:.1%}" if row.wanted else got


def _schedulers(found: Calibration) -> Table:
    rows = [(one.engine, str(one.slots), f"{one.tasks_per_second.value:,.0f}") for one in found.schedulers]
    return Table(
        [Column("engine"), Column("slots", number=True), Column("empty tasks per second", number=True)], rows
    )


def _storage(one: StorageRates) -> list[Block]:
    users = "one service for all nodes" if one.scope == "shared" else "each host has its own"
    about = f"{one.file_system or 'its own calls'}, {users}; {one.source}."
    emulated: list[Block] = [Words(f"Emulated: {one.emulated}.", "warn")] if one.emulated else []
    return [*emulated, _calls(one), *_large(one), Words(about, "quiet")]


def _calls(one: StorageRates) -> Table:
    known = sorted({row.callers for row in one.operations} or set(CALLERS))
    titles = [Column("per second, and latency")]
    titles += [Column(f"{callers} caller{'s' if callers > 1 else ''}", number=True) for callers in known]
    rows = [(name, *(_cell(_by_callers(one, name), callers) for callers in known)) for name in _OPERATIONS]
    return Table(
        titles,
        rows,
        "open and create include the close; lookup is a stat of a name that does not exist; read and write are of 4 KiB.",
    )


def _by_callers(one: StorageRates, name: str) -> Mapping[int, OperationRate]:
    return {row.callers: row for row in one.rates(name)}


def _cell(rates: Mapping[int, OperationRate], callers: int) -> str:
    row = rates.get(callers)
    return f"{row.per_second:,.0f}  {latency(row.latency)}" if row else NONE


def _large(one: StorageRates) -> list[Block]:
    known = sorted({row.callers for row in one.transfers})
    titles = [Column("large files")]
    titles += [Column(f"{callers} caller{'s' if callers > 1 else ''}", number=True) for callers in known]
    names = {
        ("write", True): "write",
        ("write", False): "write, with sync",
        ("read", True): "read again",
        ("read", False): "read, not cached",
    }
    rows = [
        (words, *(_rate(one.bandwidth(operation, cached=cached, callers=callers)) for callers in known))
        for (operation, cached), words in names.items()
    ]
    table = Table(titles, rows)
    if one.sort is None:
        return [table]
    return [table, Words(f"Sort from files to files, all nodes together: {show_size(one.sort.value)}/s.")]


def _rate(value: float | None) -> str:
    return NONE if value is None else f"{show_size(value)}/s"


def latency(seconds: float) -> str:
    """2.1 ms, 45 us."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"
