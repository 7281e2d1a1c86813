"""The tables of Nexmark: the highest rates of its queries, and how streams went on after a process was killed."""

from typing import Any

from figures import tables


def row(engine: str, rate: float, used: float, **more: Any) -> dict[str, Any]:
    facts = {f"p99_at_{level}_seconds": time for level, time in (("0.5", 0.1), ("0.8", 0.2), ("0.95", 0.4))}
    cell = {"query": "q5", "engine": engine}
    found = {"cell": cell, "commit": "abc1234", "verdict": "VALID", "rate": rate, "used": used}
    return {**found, "cores": 2, "facts": facts, **more}


def test_rates_are_per_core_that_workers_were_busy_on_and_per_core_of_the_node() -> None:
    wrong = row("flink", 90_000, 1, verdict="INVALID")
    assert tables.TABLES["nexmark"].lines(
        [row("flink", 30_000, 1.5, missed=33_000), wrong, row("spark", 8_000, 0.8)]
    )[2:] == [
        "| q5 | Flink | 30.0 | 33.0 | 1.50 | 20.0 | 15.0 | 0.10 | 0.20 | 0.40 | 22 | abc1234 |",
        "| q5 | Spark | 8.00 | - | 0.80 | 10.0 | 4.00 | 0.10 | 0.20 | 0.40 |  | abc1234 |",
    ]


def test_a_rate_that_was_not_sustained_is_shown_only_if_every_search_has_one() -> None:
    missed = row("flink", 30_000, 1.5, missed=33_000)
    for others, shown in (([missed], "33.0 (33.0 to 33.0)"), ([missed, row("flink", 60_000, 1.5)], "-")):
        (line,) = tables.TABLES["nexmark"].lines([missed, *others])[2:]
        assert line.split(" | ")[3] == shown


def test_a_median_over_searches_of_several_commits_names_them() -> None:
    found = [
        row("flink", 30_000, 1.5),
        row("flink", 40_000, 1.5, commit="def5678"),
        row("flink", 50_000, 1.5),
    ]
    (line,) = tables.TABLES["nexmark"].lines(found)[2:]
    assert line.endswith("| 22 | abc1234, def5678 |")


def killed(seconds: float | None, repeated: int = 0, **more: Any) -> dict[str, Any]:
    cell = {"query": "q8", "engine": "flink", "killed": "worker"}
    one = {"before": 0.5, "seconds": seconds, "highest": 9.0, "behind": 12_000}
    row = {"cell": cell, "verdict": "VALID", "rate": 20_000, "facts": {"repeated": repeated}, "recovery": one}
    return {**row, **more}


def test_recoveries_are_those_of_right_answers_and_what_never_recovered_is_counted() -> None:
    wrong = {"cell": killed(1)["cell"], "verdict": "INVALID", "reason": "lost"}
    found = [killed(8.0, 3), killed(12.0, 5), killed(None, 4), wrong]
    assert tables.TABLES["nexmark-recovery"].lines(found)[2:] == [
        (
            "| q8 | Flink | TaskManager | 3 of 4 | 20.0 (20.0 to 20.0) | 4 (3 to 5) | 0.50 (0.50 to 0.50)"
            " | 10.0 (8.00 to 12.0), 1 of 3 never | 9.00 (9.00 to 9.00) | 12.0 (12.0 to 12.0) |"
        )
    ]


def test_a_cell_without_a_right_answer_has_no_figures() -> None:
    cell = {"query": "q5", "engine": "spark", "killed": "broker"}
    assert tables.TABLES["nexmark-recovery"].lines([{"cell": cell, "verdict": "INVALID"}])[2:] == [
        "| q5 | Spark | broker | 0 of 1 | - | - | - | - | - | - |"
    ]


def test_states_are_by_engine_kind_and_storage_with_the_calls_on_checkpoints() -> None:
    def state(kind: str, storage: str, median: float) -> dict[str, Any]:
        cell = {"engine": "spark", "workload.state": kind, "storage": storage}
        facts = {"latency_median_seconds": median, "latency_p99_seconds": 2 * median}
        return {"cell": cell, "verdict": "VALID", "facts": facts, "measures": {"output_calls": 12_345}}

    assert tables.TABLES["nexmark-state"].lines([state("rocksdb", "memory", 2), state("heap", "disk", 1)])[
        2:
    ] == [
        "| Spark | heap | `disk` | 1.00 | 2.00 | 12,345 |",
        "| Spark | RocksDB | `memory` | 2.00 | 4.00 | 12,345 |",
    ]
