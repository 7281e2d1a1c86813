"""bench/queries: what the records of several runs say of each query, as a table."""

import runpy
from typing import Any

from weft.host import settings

QUERIES = runpy.run_path(str(settings.SOURCE / "bench" / "queries.py"))


EMPTY = {"q2"}


def record(engine: str, **answers: str) -> dict[str, Any]:
    rows = [
        {"query": query, "answer": answer, "rows": 3, "empty": query in EMPTY}
        for query, answer in answers.items()
    ]
    return {"engine": engine, "facts": {"queries": rows}}


def table(*records: dict[str, Any]) -> list[str]:
    return QUERIES["lines"](QUERIES["answers"](records))


def test_only_queries_that_are_not_right_everywhere_have_a_row() -> None:
    assert table(
        record("spark", q1="right", q2="right", q10="right"),
        record("flink", q1="right", q10="SQL parse failed:\n a | b"),
        record("flink", q2="right"),
    ) == [
        "| query | spark | flink |",
        "| --- | --- | --- |",
        "| all | 3 of 3 right | 2 of 3 right |",
        "| right, with values | 2 | 1 |",
        "| right, but empty, or only nulls and zeros | 1 | 1 |",
        "| q10 | right | SQL parse failed: a \\| b |",
        "| others | 2 right | 2 right |",
    ]


def test_rows_are_in_the_order_of_the_queries_and_tell_what_was_not_run() -> None:
    found = table(record("spark", q10="late", ss_max="lost", q9="odd"), record("flink", q9="x" * 300))
    assert [row.split(" | ")[0] for row in found[5:]] == ["| q9", "| q10", "| ss_max"]
    assert found[5].endswith(f"| {'x' * 197}... |")
    assert "not run" in found[6]


def test_a_record_of_an_earlier_version_has_the_number_of_rows_alone() -> None:
    rows = [{"query": name, "answer": "right", "rows": count} for name, count in (("q1", 0), ("q2", 4))]
    found = table({"engine": "hive", "facts": {"queries": rows}})
    assert found[3:5] == ["| right, with values | 1 |", "| right, but empty, or only nulls and zeros | 1 |"]
