"""Metrics of HDFS's daemons: operations of the NameNode, blocks and bytes of the DataNodes."""

from pydantic import TypeAdapter

from weft.analysis.summary.summary import Summary
from weft.report.draw.blocks import Number, Section, Table
from weft.report.sections.unasked import unasked
from weft.text.numbers import amount, size

_BYTES = "bytes_"
_READINGS = TypeAdapter(dict[str, dict[str, float]])
"""By daemon and counter."""


def hdfs_counters(summary: Summary) -> Section:
    """One row per counter, one column per daemon, or how to enable the probe."""
    title = "HDFS's counters"
    found = _READINGS.validate_python(summary.readings.get("hdfs", {}))
    if not found:
        on = any(storage.startswith("hdfs") for storage in summary.storages.values())
        return Section("hdfs", title, unseen=unasked(summary, "hdfs", title) if on else {})
    note = "From the start of the daemons until the last program ended; each copy of a block counts."
    tables = []
    for kind in ("namenode", "datanode"):
        daemons = {name: each for name, each in found.items() if name.startswith(kind)}
        keys = dict.fromkeys(key for each in daemons.values() for key in each)
        rows = [
            (key.replace("_", " "), *(_shown(key, each.get(key, 0)) for each in daemons.values()))
            for key in keys
        ]
        if rows:
            columns = ["counter", *map(Number, daemons)]
            tables.append(Table(columns, rows, note if kind == "datanode" else ""))
    return Section("hdfs", title, tables)


def _shown(key: str, value: float) -> str:
    return size(value) if key.startswith(_BYTES) else amount(value)


SECTION = hdfs_counters
