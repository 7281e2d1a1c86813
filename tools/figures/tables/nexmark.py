"""The highest rates of Nexmark's queries, per core, next to published ones."""

from collections.abc import Sequence

from figures.rows import Row
from figures.shown import spread, table, valid
from weft.text.numbers import NONE

PUBLISHED = {
    "q0": 155_020,
    "q1": 157_940,
    "q2": 175_210,
    "q3": 152_120,
    "q5": 22_140,
    "q7": 12_330,
    "q8": 146_140,
    "q11": 39_700,
}
"""Events per second and core that was busy, of Flink 1.13 (README of nexmark/nexmark, commit 0c6d9cf)."""
_NAMES = {"flink": "Flink", "spark": "Spark"}
_LEVELS = ("0.5", "0.8", "0.95")


def lines(rows: Sequence[Row]) -> list[str]:
    """A line for each query and engine."""
    body = []
    for query, published in PUBLISHED.items():
        for engine, name in _NAMES.items():
            here = [row for row in valid(rows) if row["cell"] == {"query": query, "engine": engine}]
            if here:
                compared = f"{published / 1000:.0f}" if engine == "flink" else ""
                # a search of another commit may search in another way
                commits = ", ".join(dict.fromkeys(str(row["commit"]) for row in here))
                body.append([query, name, *_figures(here), compared, commits])
    titles = ["query", "engine", "thousand events/s", "not sustained at"]
    titles += ["cores busy", "per core busy", "per core of the node"]
    latencies = [f"99 % at {float(level) * 100:.0f} %, s" for level in _LEVELS]
    return table([*titles, *latencies, "Flink 1.13, per core busy", "commits"], body)


def _figures(here: Sequence[Row]) -> list[str]:
    return [
        spread(row["rate"] / 1000 for row in here),
        # a rate that only some of the searches missed would be shown next to the median of all of them
        spread(row["missed"] / 1000 for row in here) if all(row.get("missed") for row in here) else NONE,
        spread(row["used"] for row in here),
        spread(row["rate"] / 1000 / row["used"] for row in here),
        spread(row["rate"] / 1000 / row["cores"] for row in here),
        *(spread(row["facts"].get(f"p99_at_{level}_seconds") for row in here) for level in _LEVELS),
    ]
