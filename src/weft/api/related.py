"""Finds what other runs tell of a record."""

from collections.abc import Callable, Sequence

from weft.analysis.predict import correction, holdout
from weft.analysis.predict.projection import Recorded
from weft.api import growing
from weft.errors import UsageError
from weft.host import settings
from weft.record import history, record
from weft.record.head import Head
from weft.record.record import Stored


def of(
    stored: Stored, same: Sequence[str], wanted: Callable[[Head], bool] = lambda _: True
) -> list[Recorded]:
    """The newest other runs without a wrong answer whose summary has the same values of some keys, as predictions read them.

    None of a log: two of the same name may have done anything.
    """
    if stored.head.imported is not None:
        return []
    found = [
        other
        for other in record.all_records(settings.runs())
        if other.directory != stored.directory
        and other.verdict in {"VALID", "UNCHECKED"}
        and all(getattr(other.head, key) == getattr(stored.head, key) for key in same)
        and wanted(other.head)
    ]
    readable = []
    for other in found[-holdout.MOST :]:
        try:
            readable.append(growing.read(other))
        except UsageError:
            continue
    return readable


def deviation(stored: Stored) -> float:
    """How much equal runs on the host of a record differ."""
    return correction.deviation(history.equal_runs(record.all_records(settings.runs()), stored.head.host))
