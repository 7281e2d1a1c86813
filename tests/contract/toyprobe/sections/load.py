"""The load of each host at the end."""

from collections.abc import Mapping

from pydantic import TypeAdapter

from weft.analysis.read.part import Part
from weft.analysis.summary.summary import Summary
from weft.report.draw.blocks import Number, Section, Table
from weft.report.sections.unasked import unasked


class Load(Part):
    """Of one host, by the number of minutes over which it is the mean."""

    minutes: Mapping[str, float]


_READINGS = TypeAdapter(dict[str, Load])


def load_of_hosts(summary: Summary) -> Section:
    """One row per host."""
    found = _READINGS.validate_python(summary.readings.get("load", {}))
    if not found:
        return Section("load", "Load", unseen=unasked(summary, "load", "the load"))
    rows = [(host, *(f"{each:.2f}" for each in load.minutes.values())) for host, load in found.items()]
    return Section("load", "Load", [Table(["host", *map(Number, ("1", "5", "15"))], rows)])


SECTION = load_of_hosts
