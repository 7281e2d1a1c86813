"""The table of the highest rates of Nexmark's queries."""

from typing import Any

from figures import tables


def row(engine: str, rate: float, used: float, **more: Any) -> dict[str, Any]:
    facts = {f"p99_at_{level}_seconds": time for level, time in (("0.5", 0.1), ("0.8", 0.2), ("0.95", 0.4))}
    cell = {"query": "q5", "engine": engine}
    return {"cell": cell, "verdict": "VALID", "rate": rate, "used": used, "cores": 2, "facts": facts, **more}


def test_rates_are_per_core_that_workers_were_busy_on_and_per_core_of_the_node() -> None:
    wrong = row("flink", 90_000, 1, verdict="INVALID")
    assert tables.TABLES["nexmark"].lines([row("flink", 30_000, 1.5), wrong, row("spark", 8_000, 0.8)])[
        2:
    ] == [
        "| q5 | Flink | 30.0 | 1.50 | 20.0 | 15.0 | 0.10 | 0.20 | 0.40 | 22 |",
        "| q5 | Spark | 8.00 | 0.80 | 10.0 | 4.00 | 0.10 | 0.20 | 0.40 |  |",
    ]
