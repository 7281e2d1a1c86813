"""Each measurement of a calibration, on nodes that have been acquired."""

import statistics
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from weft.adapters.nodes.access import access
from weft.adapters.storage.base import Storage, label
from weft.analysis.read.calibration import (
    CalibratedHost,
    LinkRates,
    Measured,
    NodeRates,
    OperationRate,
    StorageRates,
    TransferRate,
)
from weft.layout.node import Node
from weft.layout.places import Place
from weft.run.calibration.program import Gauge
from weft.run.ceilings import machines

_SORT = 64 << 20
"""Bytes of records per core that are sorted, unless a node has less than 16 times that."""
_LARGE = 256 << 20
"""Most bytes of large files per measurement, over all nodes together."""
_ROOM = 0.25
"""Share of a storage's free space that is used at most."""
_LINKS = 4
"""Pairs of nodes between which the network is measured."""


def nodes(on: Sequence[Node], hosts: Sequence[CalibratedHost], gauge: Gauge) -> list[NodeRates]:
    """Memory and cores of every node, all at the same time."""
    here = next((host.name for host in hosts), "")
    found = gauge.on({
        node: ["compute", "--threads", str(node.cores), "--bytes", str(_sort_bytes(node))] for node in on
    })  # fmt: skip
    return [_node(node, node.host or here, rates) for node, rates in zip(on, found, strict=True)]


def _sort_bytes(node: Node) -> int:
    return min(_SORT * node.cores, node.memory // 16)


def _node(node: Node, host: str, rates: dict[str, Any]) -> NodeRates:
    by = f"gauge compute, {node.cores} thread(s), all nodes at once"
    return NodeRates(
        name=node.name,
        host=host,
        cores=node.cores,
        memory=node.memory,
        memory_bandwidth=_median(rates["memory"], f"{by}: copy of 64 MiB a thread"),
        sort=_median([rate / node.cores for rate in rates["sort"]], f"{by}: {_sort_bytes(node) >> 20} MiB"),
        serialize=_median([rate / node.cores for rate in rates["serialize"]], by),
    )


def _median(values: Sequence[float], source: str) -> Measured:
    middle = statistics.median(values)
    return Measured(value=middle, source=source, spread=(max(values) - min(values)) / 2 / (middle or 1.0))


def storage(
    config: Storage,
    place: Place,
    on: Sequence[Node],
    rates: Sequence[OperationRate | TransferRate],
    sort: float,
) -> StorageRates:
    """What was measured of a storage, with what it is recognized by."""
    where = machines.backing(on[0], config, place.paths[on[0].name])
    return StorageRates(
        storage=label(config),
        settings=machines.settings_of(config),
        file_system=where,
        emulated=place.emulated,
        scope="shared" if machines.shared(config, where) else "host",
        hosts=len({node.host for node in on}),
        nodes=len(on),
        source=f"gauge calls, transfer and sort on {len(on)} node(s) at once, in {place.description}",
        created=time.time(),
        operations=tuple(rate for rate in rates if isinstance(rate, OperationRate)),
        transfers=tuple(rate for rate in rates if isinstance(rate, TransferRate)),
        sort=Measured(value=sort, source="gauge sort, all cores of all nodes, with sync"),
    )


def calls(callers: int, seconds: float, on: Sequence[Node], gauge: Gauge) -> list[OperationRate]:
    """File operations by a number of callers over all nodes together."""
    found = gauge.on({
        node: ["calls", *_in(node, gauge), "--callers", str(own), "--seconds", str(seconds)]
        for node, own in zip(on, spread(callers, len(on)), strict=True)
        if own
    })  # fmt: skip
    return [_together(each) for each in zip(*found, strict=True)]


def _in(node: Node, gauge: Gauge) -> list[str]:
    return ["--directory", gauge.storage.paths[node.name]]


def spread(callers: int, count: int) -> list[int]:
    """Callers of each node."""
    return [callers // count + (number < callers % count) for number in range(count)]


def _together(rates: Sequence[dict[str, Any]]) -> OperationRate:
    """One operation, by the callers of all nodes."""
    count = sum(rate["count"] for rate in rates)
    return OperationRate(
        operation=rates[0]["operation"],
        callers=sum(rate["callers"] for rate in rates),
        per_second=count / _passed(rates),
        latency=sum(rate["latency"] * rate["count"] for rate in rates) / count,
        p99=max(rate["p99"] for rate in rates),
    )


def _passed(rates: Sequence[dict[str, Any]]) -> float:
    """Seconds from the first node's begin to the last one's end: a node that began late does not add to the rate."""
    return float(max(rate["ended"] for rate in rates) - min(rate["began"] for rate in rates))


def transfers(callers: int, on: Sequence[Node], gauge: Gauge) -> list[TransferRate]:
    """Large files by a number of callers over all nodes together."""
    share = int(min(_LARGE, _free(on[0], gauge.storage) * _ROOM)) // callers
    found = gauge.on({
        node: ["transfer", *_in(node, gauge), "--callers", str(own), "--bytes", str(share * own)]
        for node, own in zip(on, spread(callers, len(on)), strict=True)
        if own
    })  # fmt: skip
    return [
        TransferRate(
            operation=each[0]["operation"],
            callers=sum(rate["callers"] for rate in each),
            bytes_per_second=sum(rate["bytes"] for rate in each) / _passed(each),
            cached=each[0]["cached"],
        )
        for each in zip(*found, strict=True)
    ]


def sort(on: Sequence[Node], gauge: Gauge) -> float:
    """Bytes per second of all nodes together that are sorted from files to files."""
    size = int(min(_LARGE, _free(on[0], gauge.storage) * _ROOM)) // (2 * len(on))
    rates = gauge.on({
        node: ["sort", *_in(node, gauge), "--threads", str(node.cores), "--bytes", str(size)]
        for node in on
    })  # fmt: skip
    return float(sum(rate["bytes"] for rate in rates) / _passed(rates))


def _free(node: Node, place: Place) -> int:
    """Free bytes of a node's directory; what cannot be asked has enough."""
    done = access(node).run(["df", "--output=avail", "--block-size=1", place.paths[node.name]], check=False)
    words = done.out.split()
    return int(words[-1]) if not done.code and words[-1:] and words[-1].isdigit() else _LARGE * 4


def links(on: Sequence[Node], gauge: Gauge) -> list[LinkRates]:
    """The network from nodes to the next one, one pair after another."""
    return [_link(one, other, gauge) for one, other in pairs(on)]


def pairs(on: Sequence[Node]) -> list[tuple[Node, Node]]:
    """Each node and the next, up to a number of pairs."""
    ring = [*on, *on[:1]] if len(on) > 2 else on
    return list(pairwise(ring))[:_LINKS]


def _link(one: Node, other: Node, gauge: Gauge) -> LinkRates:
    with gauge.serving(other) as address:
        (found,) = gauge.on({one: ["link", "--address", address]})
    connections, best = max(found["bandwidth"], key=lambda pair: float(pair[1]))
    by = "gauge link over TCP"
    return LinkRates(
        source_node=one.name,
        target_node=other.name,
        bandwidth=Measured(value=best, source=f"{by}, {connections} connection(s)"),
        round_trip=Measured(value=found["round_trip"], source=f"{by}, median"),
    )
