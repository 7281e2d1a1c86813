"""What weft's options for Java change: rows of a study, each next to the one with Java's own defaults."""

from collections.abc import Callable, Sequence

from figures.rows import Row
from figures.tables.ratios import over

JAVA = ", as Java does"
"""The end of the names of rows with Java's own defaults."""


def lines(axis: str) -> Callable[[Sequence[Row]], list[str]]:
    """The table of a study; `axis` is what the options set."""
    return lambda rows: over(axis, "Java's", ["result"])(
        [{**row, "cell": _cell(axis, row["cell"]["row"])} for row in rows]
    )


def _cell(axis: str, name: str) -> dict[str, str]:
    return {"row": name.removesuffix(JAVA), axis: "Java's" if name.endswith(JAVA) else "weft's"}
