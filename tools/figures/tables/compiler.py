"""What it saves that Java's second compiler begins later."""

from collections.abc import Sequence

from figures.rows import Row
from figures.shown import estimate, spread, table, valid
from weft.report.draw.interval import interval

JAVA = ", as Java does"
"""The end of the names of rows with Java's own thresholds."""


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each engine and method: seconds with both thresholds, and their ratio within each round."""
    seconds: dict[str, dict[int, float]] = {}
    for row in valid(rows):
        seconds.setdefault(row["cell"]["row"], {})[row["repeat"]] = row["measures"]["seconds"]
    body = []
    for name in sorted(one for one in seconds if not one.endswith(JAVA)):
        later, java = seconds[name], seconds.get(name + JAVA, {})
        ratios = [later[number] / java[number] for number in sorted(later.keys() & java.keys())]
        body.append([name, spread(java.values()), spread(later.values()), interval(estimate(ratios))])
    return table(["seconds of", "Java's thresholds", "weft's", "over Java's, within each round"], body)
