"""How far the clocks of a run's hosts are from that of weft's machine, in its record, so that readings of all hosts have one time."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere, one_a_host
from weft.errors import WeftError
from weft.layout.node import Node
from weft.layout.plan import Layout
from weft.record.record import Record

_ASKED = 5
"""Questions to each host: the one that took least time says most."""


@contextmanager
def noted(layout: Layout, record: Record) -> Iterator[None]:
    """Note them before and after: clocks drift apart."""
    note(layout, record)
    try:
        yield
    finally:
        note(layout, record)


def note(layout: Layout, record: Record) -> None:
    """An event with the offset of each node on another host, and how far it may be wrong, in seconds. A host that is silent has none."""
    away = one_a_host([node for node in layout.all_nodes if node.host])
    if not away:
        return
    by_host = dict(zip((node.host for node in away), everywhere(away, offset), strict=True))
    found = {node.name: by_host[node.host] for node in layout.all_nodes if node.host}
    record.note("clocks", offsets={name: known for name, known in found.items() if known})


def offset(node: Node) -> tuple[float, float] | None:
    """By how much a host's clock is ahead of this machine's, and how far that may be wrong; None if it does not answer."""
    found = []
    with suppress(WeftError):
        for _ in range(_ASKED):
            began = time.time()
            clock = float(access(node).ask("clock", {}, timeout=10)["clock"])
            ended = time.time()
            found.append(((ended - began) / 2, clock - (began + ended) / 2))
    if not found:
        return None
    within, ahead = min(found)
    return round(ahead, 6), round(within, 6)
