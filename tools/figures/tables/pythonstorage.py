"""What a file system below the scratch directory costs engines of Python."""

from collections.abc import Sequence

from figures.rows import Row
from figures.shown import spread, table, valid
from weft.text.units import show_size


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each engine and storage: seconds, files opened and bytes written in it, and what `weft explain` says."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in valid(rows):
        found.setdefault((str(row["cell"]["engine"]), str(row["cell"]["scratch"])), []).append(row)
    body = []
    for (engine, scratch), here in sorted(found.items()):
        measures = [row["measures"] for row in here]
        body.append(
            [
                f"`{engine}`",
                f"`{scratch}`",
                spread(each.get("seconds") for each in measures),
                spread((each.get("opens") for each in measures), lambda value: f"{value:,.0f}"),
                spread((each.get("bytes_written") for each in measures), show_size),
                here[-1]["sentence"],
            ]
        )
    return table(
        ["engine", "scratch", "seconds", "opens", "written", "`weft explain`, of the last run"], body
    )
