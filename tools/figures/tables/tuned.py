"""What settings of an engine gain: rows of a study, each next to the one without them."""

from collections.abc import Sequence

from figures.rows import Row
from figures.tables.ratios import over

_NONE = "none"


def lines(rows: Sequence[Row]) -> list[str]:
    """The table of a study whose rows are named `spark stock`, and `spark stock, SETTING`; each has settings of its own."""
    cells = [{**row, "cell": _cell(row["cell"]["row"])} for row in rows]
    names = dict.fromkeys(row["cell"]["row"] for row in cells)
    tables = [
        over("settings", _NONE, ["result"])([row for row in cells if row["cell"]["row"] == name])
        for name in sorted(names)
    ]
    head = 2
    return [*(tables[0][:head] if tables else []), *(line for each in tables for line in each[head:])]


def _cell(name: str) -> dict[str, str]:
    of, _, settings = name.partition(", ")
    return {"row": of, "settings": settings or _NONE}
