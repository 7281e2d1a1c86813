"""Seconds of the SQL join by engine."""

from collections.abc import Sequence

from figures.rows import Row
from figures.shown import spread, table, valid

_NAMES = {
    "spark": "Spark SQL",
    "flink": "Flink SQL",
    "hive": "Hive by Tez",
    "hive:on=mr": "Hive by MapReduce",
}


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each engine."""
    body = []
    for engine, name in _NAMES.items():
        here = [row for row in valid(rows) if row["cell"]["engine"] == engine]
        taken = [row["measures"].get("seconds") for row in here]
        body.append([name, spread(taken), spread(row["phases"].get("start") for row in here)])
    return table(["engine", "seconds", "seconds until the cluster was ready"], body)
