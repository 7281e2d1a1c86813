"""What it saves that Java's JIT compiler C2 begins later."""

from collections.abc import Sequence

from figures.rows import Row
from figures.tables.ratios import over

JAVA = ", as Java does"
"""The end of the names of rows with Java's own thresholds."""


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each row of the study without that end, next to the one with it, within each round."""
    return over("thresholds", "Java's", ["result"])(
        [{**row, "cell": _cell(row["cell"]["row"])} for row in rows]
    )


def _cell(name: str) -> dict[str, str]:
    return {"row": name.removesuffix(JAVA), "thresholds": "Java's" if name.endswith(JAVA) else "weft's"}
