"""Counters of Cray DVS: requests to its servers and calls of programs, by mount."""

from pydantic import TypeAdapter

from weft.analysis.read.part import Part
from weft.analysis.summary.summary import Summary
from weft.report.draw.blocks import Number, Section, Table
from weft.report.sections.unasked import unasked
from weft.text.numbers import amount, seconds

_TITLE = "Counters of Cray DVS"


class DvsOperation(Part):
    """What was counted of an operation during the run, and the longest in seconds since the mount."""

    requests: bool
    """Whether it counts requests to the servers of DVS, not calls of programs."""
    ok: int
    errors: int
    longest: float


_READINGS = TypeAdapter(dict[str, dict[str, DvsOperation]])
"""By mount and operation."""


def dvs_counters(summary: Summary) -> Section:
    """One row for each operation that was counted, requests first."""
    mounts = _READINGS.validate_python(summary.readings.get("dvs", {}))
    if not mounts:
        asked = "dvs" in summary.probes
        return Section("dvs", _TITLE, unseen=unasked(summary, "dvs", _TITLE) if asked else {})
    columns = ["mount", "operation", "where", *map(Number, ("count", "errors", "longest, s"))]
    found = [(place, *one) for place, counters in mounts.items() for one in counters.items()]
    found.sort(key=lambda row: (row[0], not row[2].requests, -row[2].ok))
    where = {True: "requests to servers", False: "calls of programs"}
    rows = [
        (
            place,
            name,
            where[each.requests],
            amount(each.ok),
            amount(each.errors),
            seconds(each.longest),
        )
        for place, name, each in found
    ]
    note = (
        "Counted on the whole machine during the run; the longest is since the mount. DVS has no sums of times and no bytes:"
        " `fileops` times the calls of this run's processes."
    )
    return Section("dvs", _TITLE, [Table(columns, rows, note)])


SECTION = dvs_counters
