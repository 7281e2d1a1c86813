"""The replay of a trace on two platforms: quantiles of the jobs' times and slowdowns."""

from collections.abc import Sequence

from figures.rows import Row
from figures.shown import table, valid

_LEVELS = ("smallest", "10 %", "25 %", "half", "75 %", "90 %", "99 %", "largest")
_WHAT = {
    "job_seconds": "seconds of a job",
    "slowdown": "slowdown over running alone",
    "lag": "seconds behind the schedule",
}


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each run and distribution."""
    body = [
        [f"{title}, `{row['cell']['platform']}`", *(f"{value:.2g}" for value in row["facts"][key])]
        for key, title in _WHAT.items()
        for row in valid(rows)
    ]
    return table(["", *_LEVELS], body)
