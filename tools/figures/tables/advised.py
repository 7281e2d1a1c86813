"""Advice on jobs with a known defect: the first line, its predicted gain, and the real one."""

from collections.abc import Sequence

from figures.rows import Row
from figures.shown import spread, table
from weft.text.numbers import percent


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each job, and how often the remedy was first and the interval right."""
    body = [_line(row) for row in rows]
    tried = [row["tried"] for row in rows if row["tried"]]
    remedies = sum((row["lines"][0]["family"] if row["lines"] else "") == row["remedy"] for row in rows)
    sentence = (
        f"The first line was the remedy, or rightly none, in {remedies} of {len(rows)}; the real gain was in its interval in "
        f"{sum(one['held'] for one in tried)} of {len(tried)}."
    )
    return [
        *table(
            ["defect", "first line", "predicted", "interval", "real", "seconds without", "seconds with"], body
        ),
        "",
        sentence,
    ]


def _line(row: Row) -> list[str]:
    if not row["lines"]:
        return [row["cell"], "nothing is sure to help", "", "", "", "", ""]
    first, tried = row["lines"][0], row["tried"]
    found = (
        [percent(tried["real"]), spread(tried["old"]), spread(tried["new"])]
        if tried
        else ["not tried", "", ""]
    )
    interval = f"{percent(first['low'])} to {percent(first['high'])}"
    return [row["cell"], first["change"], percent(first["gain"]), interval, *found]
