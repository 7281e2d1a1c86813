"""bench/queries: what the records of several runs say of each query, as a table."""

import json
import os
import runpy
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from figures import rows

from weft.errors import UsageError, WeftError
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


def shown(name: str, **more: Any) -> dict[str, Any]:
    """As `weft show --json` prints it."""
    about = {"id": name, "engine": "duckdb", "host": os.uname().nodename, "verdict": "INVALID", "reason": ""}
    when = {"created": "2026-11-26T05:19:19+0000", "commit": "1454a0f456f3"}
    facts = {"scale": 0.1, "queries": [{"query": "q1", "answer": "right", "rows": 3}]}
    return {**about, **when, "facts": facts, **more}


def commands(ran: str, **records: dict[str, Any]) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Stand-ins for `weft run`, which prints this, and `weft show`; the newest record is of somebody else."""

    def answer(argv: list[str], **_: Any) -> "subprocess.CompletedProcess[str]":
        if argv[1] == "run":
            assert "--json" in argv
            return subprocess.CompletedProcess(argv, 1, ran)
        return subprocess.CompletedProcess(argv, 0, json.dumps(records[argv[2]]))

    return answer


def test_the_answers_of_a_failed_run_are_those_of_its_own_record(monkeypatch: pytest.MonkeyPatch) -> None:
    records = {"mine": shown("mine"), "last": shown("other")}
    monkeypatch.setattr(subprocess, "run", commands('{"id": "mine"}', **records))
    assert QUERIES["run"]("duckdb", [])["id"] == "mine"
    monkeypatch.setattr(subprocess, "run", commands("", last=shown("other")))
    with pytest.raises(WeftError, match="the run on duckdb has no record"):
        QUERIES["run"]("duckdb", [])
    broken = shown("mine", facts={}, reason="no heap")
    monkeypatch.setattr(subprocess, "run", commands('{"id": "mine"}', mine=broken))
    with pytest.raises(WeftError, match="mine has no answers: no heap"):
        QUERIES["run"]("duckdb", [])


def test_a_row_has_the_time_the_commit_and_the_scale_of_its_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "FOLDER", tmp_path)
    QUERIES["keep"]([shown("a")], "try")
    (row,) = rows.read("try")
    assert row["cell"] == {"engine": "duckdb", "scale": "0.1"}
    assert (row["time"], row["commit"]) == ("2026-11-26T05:19:19+0000", "1454a0f456f3")
    QUERIES["keep"]([shown("b"), shown("c")], "try")
    assert [row["run"] for row in rows.read("try")] == ["b", "c"]
    with pytest.raises(UsageError, match="another machine"):
        QUERIES["keep"]([shown("d", host="elsewhere")], "try")
