"""What workloads of SQL queries share: weft's programs on tables, and the verdict on each query."""

import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import weft
from weft.errors import UsageError
from weft.layout.places import Role
from weft.layout.plan import Command, Layout
from weft.workloads.base import Outcome

_LEAST = 512 << 20
_COUNTED = ("bytes_in", "shuffle_bytes", "disk_bytes_spilled")


def table_program(layout: Layout, name: str, module: str, arguments: Sequence[str]) -> Command:
    """A program of weft.tables on the head node, with its cores and half of its memory."""
    head = layout.head
    outcome = layout.record / "outcomes" / f"{name}.json"
    argv = [sys.executable, "-P", "-m", f"weft.tables.{module}", *arguments]
    argv += ["--threads", str(max(1, int(head.cores))), "--memory", str(max(_LEAST, head.memory // 2))]
    argv += ["--scratch", str(head.directory / "duckdb"), "--outcome", str(outcome)]
    environment = {**layout.environment(head), "PYTHONPATH": str(Path(weft.__file__).resolve().parents[1])}
    return Command(name, head, argv, environment, outcome)


def require_directories(layout: Layout, kind: str, *roles: Role) -> None:
    """Raises UsageError if DuckDB cannot read and write the files of these roles."""
    for role in roles:
        if "://" in layout.places[role].path:
            raise UsageError(
                f"{kind}: DuckDB cannot use {role} on {layout.places[role].storage}, which has no directory",
                hint=f"use a storage with a directory: --{role} disk, mount:DIR, delayed:lustre",
            )


def rounds(order: Sequence[str]) -> list[str]:
    """The label of each execution: its query and the number of its repeat."""
    seen: dict[str, int] = {}
    labels = []
    for name in order:
        seen[name] = seen.get(name, 0) + 1
        labels.append(f"{name}-{seen[name]}")
    return labels


def wrong_queries(labels: Sequence[str], ran: Outcome, answers: Mapping[str, Any]) -> dict[str, str]:
    """By label of an execution: why it failed, or the first row of its result that is wrong."""
    done = {row["label"]: row for row in ran.get("queries", [])}
    found = {}
    for label in labels:
        if label not in done:
            found[label] = "it was not run"
        elif done[label]["failure"]:
            found[label] = done[label]["failure"]
        elif why := answers.get(label, {"wrong": "its result was not checked"})["wrong"]:
            found[label] = why
    return found


def reason(wrong: Mapping[str, str], total: int) -> str:
    """How many executions are wrong, and the first; empty if none is."""
    if not wrong:
        return ""
    label, why = next(iter(wrong.items()))
    return f"{len(wrong)} of {total} executions are wrong, first {label}: {why}"


def by_query(ran: Outcome, answers: Mapping[str, Any], wrong: Mapping[str, str]) -> list[dict[str, Any]]:
    """A row of the report for each query: the median of its repeats, and what the engine counted for one."""
    grouped: dict[str, list[Mapping[str, Any]]] = {}
    for row in ran.get("queries", []):
        grouped.setdefault(row["query"], []).append(row)
    return [
        {
            "query": name,
            "seconds": round(statistics.median(row["seconds"] for row in rows), 3),
            "slowest": round(max(row["seconds"] for row in rows), 3),
            "rows": answers.get(rows[0]["label"], {}).get("rows", 0),
            **{key: round(statistics.median(row[key] for row in rows)) for key in _COUNTED if key in rows[0]},
            "answer": next((wrong[row["label"]] for row in rows if row["label"] in wrong), "right"),
        }
        for name, rows in grouped.items()
    ]


def geometric_mean(queries: Sequence[Mapping[str, Any]]) -> float | None:
    """Of the medians of all queries, as in TPC-DS's power test; None without any."""
    seconds = [row["seconds"] for row in queries if row["seconds"] > 0]
    return round(statistics.geometric_mean(seconds), 3) if seconds else None
