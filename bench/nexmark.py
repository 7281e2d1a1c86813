"""Searches for the highest rate of Nexmark's queries that each engine sustains, and prints it per core beside published figures."""

import json
import os
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
from figures import cells
from figures.rows import Row

from weft.adapters.workloads.nexmarksql import TEXTS, WINDOWED
from weft.cli.guard import run_guarded
from weft.errors import WorkloadError

HERE = Path(__file__).parent
TABLE = "nexmark"
QUERIES = ("q1", "q5", "q7", "q8")
ENGINES = ("flink", "spark")
FIRST = {
    "flink": {"q1": 190_000, "q5": 220_000, "q7": 120_000, "q8": 280_000},
    "spark": {"q1": 160_000, "q5": 190_000, "q7": 90_000, "q8": 160_000},
}
"""Events per second with which a search begins; what two cores sustained in a search that began with half of it."""
_SINGLE_SECONDS = 10
"""Measured time of queries without windows."""
WORKERS = "TaskManagerRunner|CoarseGrainedExecutorBackend"
"""Processes that run tasks, as samples name them."""
_WINDOWS = {"flink": 4, "spark": 8}
"""In each measured time: the search needs four, and the micro-batches of a rate take more time to settle."""


def main() -> None:
    """A row for each query, engine and repetition that has none yet."""
    parser = cells.options("bench/nexmark", __doc__)
    parser.add_argument("--window", type=int, default=5, help="seconds of windows (default 5)")
    given = parser.parse_args()
    searches = [
        cells.cell({"query": query, "engine": engine}, partial(searched, query, engine, given.window))
        for query in QUERIES
        for engine in ENGINES
        if query in TEXTS[engine]
    ]
    cells.measure(TABLE, searches, given)


def searched(query: str, engine: str, window: int, _: int) -> Row:
    """A search, and what the processes that run tasks computed while the highest rate was offered."""
    seconds = _WINDOWS[engine] * window if query in WINDOWED else _SINGLE_SECONDS
    keys = {
        "queries": query,
        "rate": "max",
        "first_rate": FIRST[engine][query],
        "window": f"{window}s",
        "seconds": f"{seconds}s",
        "warmup": "10s",
    }
    words = [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
    found = run("run", "nexmark", "--engine", engine, "--nodes", "local:1", "--service", "kafka:1", *words)
    row = {"run": found["id"], "verdict": found["verdict"], "window": window, "seconds": seconds}
    if found["verdict"] != "VALID":
        return {**row, "reason": found["reason"]}
    record = Path(found["record"])
    collected = json.loads((record / "outcomes" / "collect.json").read_text())
    used = cores(record / "samples.parquet", collected["began"], collected["began"] + seconds)
    facts = {key: value for key, value in found["facts"].items() if isinstance(value, (int, float))}
    missed = [step["rate"] for step in collected["steps"] if not step["sustained"]]
    return {
        **row,
        "cores": os.cpu_count(),
        "rate": facts["offered_per_second"],
        "missed": min((rate for rate in missed if rate > facts["offered_per_second"]), default=None),
        "used": round(used, 3),
        "facts": facts,
    }


def cores(samples: Path, begin: float, end: float) -> float:
    """How many cores the processes that run tasks were busy on, on average."""
    text = """SELECT sum(last - first) FROM (
        SELECT min(value) AS first, max(value) AS last FROM read_parquet(?)
        WHERE counter IN ('cpu_user', 'cpu_system') AND regexp_matches(process, ?) AND t BETWEEN ? AND ?
        GROUP BY process, counter)"""
    with duckdb.connect() as connection:
        (seconds,) = connection.execute(text, [str(samples), WORKERS, begin, end]).fetchone() or (0.0,)
    return float(seconds or 0.0) / (end - begin)


def run(*arguments: str) -> Any:
    """What a run left; one that is INVALID too."""
    done = subprocess.run(
        [HERE.parent / "weft", *arguments, "--json"], check=False, stdout=subprocess.PIPE, text=True
    )
    if not done.stdout:
        raise WorkloadError("the run was ended before it had a verdict")
    return json.loads(done.stdout)


if __name__ == "__main__":
    run_guarded(main)
