"""Latencies of streams by engine and interval."""

from collections.abc import Sequence

from figures.rows import Row
from figures.shown import spread, table, valid

_RESULTS = {
    ("flink", "1s"): ("Flink", "windows of 1 s"),
    ("flink", "200ms"): ("Flink", "windows of 200 ms"),
    ("flink", "0"): ("Flink", "each record"),
    ("spark", "1s"): ("Spark", "micro-batches of 1 s"),
    ("spark", "200ms"): ("Spark", "micro-batches of 200 ms"),
    ("spark", "0"): ("Spark, real-time mode", "each record"),
}
"""By engine and interval, in the order of the table from the bottom."""


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each engine and kind of result."""
    body = []
    for (engine, interval), names in reversed(_RESULTS.items()):
        here = [
            row["measures"] | row["facts"]
            for row in valid(rows)
            if (row["cell"]["engine"], str(row["cell"]["interval"])) == (engine, interval)
        ]
        columns = ("latency_median_seconds", "latency_p99_seconds")
        body.append([*names, *(spread(each.get(key) for each in here) for key in columns)])
    return table(["engine", "result of", "median latency, s", "99 %, s"], body)
