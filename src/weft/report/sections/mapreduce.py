"""The counters of MapReduce jobs: bytes by file system, spilled records, shuffle, CPU, from the job history."""

import re

from weft.analysis.summary.summary import Summary
from weft.report.draw.blocks import Number, Section, Table
from weft.text.numbers import amount, size

_LEFT_OUT = re.compile(r"(SLOTS|VCORES|MB)_MILLIS|(MEMORY|HEAP)_BYTES")
"""Products with time, and sums of per-task values."""

_NOTE = (
    "Summed by Hadoop over successful tasks. A file system's bytes are those that the tasks themselves read and"
    " wrote, including map output and spills. They exclude what the shuffle service reads of the map output, the I/O of"
    " HDFS's daemons, and the loading of programs. A reduce task's fetch wait, in the table of stages, begins"
    " with the start of its JVM."
)


def job_counters(summary: Summary) -> Section:
    """One row per nonzero counter, for map tasks, reduce tasks and both."""
    if not summary.mapreduce:
        ran = "hadoop" in summary.engines
        unseen = {"MapReduce's counters": "no job left its history"} if ran else {}
        return Section("mapreduce", "MapReduce's counters", unseen=unseen)
    columns = ["counter", *map(Number, ("map", "reduce", "total"))]
    rows = [
        (_words(name), *(_value(name, of[key]) for key in ("map", "reduce", "total")))
        for name, of in sorted(summary.mapreduce.items())
        if any(of.values()) and not _LEFT_OUT.search(name)
    ]
    return Section("mapreduce", "MapReduce's counters", [Table(columns, rows, _NOTE)])


def _words(name: str) -> str:
    group, _, own = name.rpartition(".")
    side = {"FileInputFormatCounter": "INPUT ", "FileOutputFormatCounter": "OUTPUT "}.get(group, "")
    return (side + own).replace("_", " ").lower()


def _value(name: str, value: int) -> str:
    if "BYTES" in name:
        return size(value)
    if "MILLI" in name:
        return amount(value / 1e3, "s")
    return amount(value)
