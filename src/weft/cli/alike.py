"""Finds what other runs tell of a record."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from weft.errors import UsageError
from weft.host import settings
from weft.model.prediction import variation
from weft.record import history, record
from weft.record.record import Stored
from weft.report import leftout, projection
from weft.report.projection import Recorded


def of(
    stored: Stored, same: Sequence[str], wanted: Callable[[Mapping[str, Any]], bool] = lambda _: True
) -> list[Recorded]:
    """The newest other runs without a wrong answer whose summary has the same values of some keys, as predictions read them."""
    found = [
        other
        for other in record.all_records(settings.runs())
        if other.directory != stored.directory
        and other.verdict in {"VALID", "UNCHECKED"}
        and all(other.head.get(key) == stored.head.get(key) for key in same)
        and wanted(other.head)
    ]
    readable = []
    for other in found[-leftout.MOST :]:
        try:
            readable.append(projection.read(other))
        except UsageError:
            continue
    return readable


def deviation(stored: Stored) -> float:
    """How much equal runs on the host of a record differ."""
    host = str(stored.head.get("host"))
    return variation.deviation(history.equal_runs(record.all_records(settings.runs()), host))
