"""What a stream's state costs by the storage of its files and of its checkpoints: latencies, and calls on the files of checkpoints."""

from collections.abc import Sequence

from figures.rows import Row
from figures.shown import spread, table, valid

_STATES = {"heap": "heap", "rocksdb": "RocksDB"}
_LATENCIES = ("latency_median_seconds", "latency_p99_seconds")


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each engine, kind of state and storage."""
    found: dict[tuple[str, str, str], list[Row]] = {}
    for row in valid(rows):
        cell = row["cell"]
        found.setdefault((cell["engine"], cell["workload.state"], cell["storage"]), []).append(row)
    body = [
        [
            engine.capitalize(),
            _STATES[state],
            f"`{storage}`",
            *(spread(row["facts"].get(key) for row in here) for key in _LATENCIES),
            spread((row["measures"].get("output_calls") for row in here), lambda value: f"{value:,.0f}"),
        ]
        for (engine, state, storage), here in sorted(found.items())
    ]
    return table(
        [
            "engine",
            "state",
            "scratch and output on",
            "median latency, s",
            "99 %, s",
            "file calls of checkpoints",
        ],
        body,
    )
