"""What settings of an engine gain: rows of a study, each next to the one without them."""

from collections.abc import Sequence

from figures.rows import Row
from figures.tables.ratios import over

_NONE = "none"


def lines(rows: Sequence[Row]) -> list[str]:
    """The table of a study whose rows are named `spark stock`, and `spark stock, SETTING`."""
    return over("settings", _NONE, ["result"])([{**row, "cell": _cell(row["cell"]["row"])} for row in rows])


def _cell(name: str) -> dict[str, str]:
    of, _, settings = name.partition(", ")
    return {"row": of, "settings": settings or _NONE}
