"""Lustre's counters, real or emulated: operations of clients, requests to the metadata server, faults."""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from weft.analysis.read.part import Part
from weft.analysis.summary.summary import Summary
from weft.report.draw.blocks import Block, Listing, Number, Section, Table, Words
from weft.report.sections.unasked import unasked
from weft.text.numbers import NONE, amount, size

_LAYERS = {"llite": "seen by the client", "mdc": "requests to the metadata server"}


class LustreOperation(Part):
    """One line of Lustre's stats: the sum has this unit, bytes or microseconds."""

    count: int
    unit: str
    sum: int


class LustreRole(Part):
    """Counters of a role of storage at the end of the work, by client, layer and operation."""

    emulated: str
    clients: Mapping[str, Mapping[str, Mapping[str, LustreOperation]]]
    faults: Mapping[str, Any]


_READINGS = TypeAdapter(dict[str, LustreRole])
"""By role of storage."""


def lustre_counters(summary: Summary) -> Section:
    """One table per role, or how to enable the probe."""
    roles = _READINGS.validate_python(summary.readings.get("lustre", {}))
    if not roles:
        return Section("lustre", "Lustre's counters", unseen=unasked(summary, "lustre", "Lustre's counters"))
    blocks: list[Block] = []
    for role, found in sorted(roles.items()):
        if found.emulated:
            blocks.append(Words(f"{role}: {found.emulated}.", "warn"))
        blocks.append(_table(role, found.clients))
        if faults := _faults(found.faults):
            blocks.append(Listing(faults, "warn"))
    return Section("lustre", "Lustre's counters", blocks)


def _table(role: str, clients: Mapping[str, Mapping[str, Mapping[str, LustreOperation]]]) -> Table:
    titles = ("count", "bytes", "time", "mean time", "clients")
    columns = ["files", "operation", "where", *map(Number, titles)]
    sums: dict[tuple[str, str], dict[str, float]] = {}
    for layers in clients.values():
        for layer, counters in layers.items():
            for name, values in counters.items():
                into = sums.setdefault((layer, name), {"count": 0, "bytes": 0, "usec": 0, "clients": 0})
                into["count"] += values.count
                into["clients"] += 1
                into["bytes" if values.unit == "bytes" else "usec"] += values.sum
    rows = [
        (
            role,
            name,
            _LAYERS.get(layer, layer),
            amount(each["count"]),
            size(each["bytes"]) if each["bytes"] else NONE,
            amount(each["usec"] / 1e6, "s") if each["usec"] else NONE,
            f"{each['usec'] / each['count'] / 1e3:.2f} ms" if each["usec"] and each["count"] else NONE,
            amount(each["clients"]),
        )
        for (layer, name), each in sorted(sums.items(), key=lambda item: (item[0][0], -item[1]["count"]))
    ]
    note = "Counts of the client until the last program ended, without operations that its caches answered."
    return Table(columns, rows, note)


def _faults(found: Mapping[str, Any]) -> list[str]:
    return [
        f"fault {each['spec']}: injected {each['injected']} times"
        for each in found.get("faults", [])
        if isinstance(each, Mapping) and {"spec", "injected"} <= set(each)
    ]


SECTION = lustre_counters
