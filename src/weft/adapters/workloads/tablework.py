"""What workloads of SQL queries share: the engine's job, weft's programs on tables, and the verdict on each query."""

import json
import random
import statistics
import sys
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

import weft
from weft.adapters.workloads.base import Checker, Judgement, Outcome, Prepared, Workload, engine_job
from weft.facts import engines
from weft.facts.checked import SAME, CheckedBy
from weft.facts.enginefacts import Sql
from weft.facts.roles import ROLES
from weft.layout.job import Dependencies, Job
from weft.layout.jvm import core
from weft.layout.plan import Command, Layout
from weft.text.fields import Count, Duration

_SQL = {name: facts.sql for name, facts in engines.ALL.items() if facts.sql}
ENGINES = tuple(dict.fromkeys(("spark", *_SQL)))
"""The first is the default."""
LIBRARIES: Mapping[str, str] = {name: sql.library for name, sql in _SQL.items() if sql.library}
COLUMNS = "columns.tsv"
"""Names and types of the columns of all tables."""
_LEAST = 512 << 20
_COUNTED = ("bytes_in", "bytes_read", "bytes_written", "shuffle_bytes", "disk_bytes_spilled")


class Queries(Workload):
    """Queries on tables that weft generates, one after another; DuckDB answers them too."""

    checker = Checker(
        "weft.tables.check",
        "the result of each query, every value, by DuckDB on the same files, which have as many rows as were made",
        (
            "each mutant of an ordered answer",
            "a lost, a repeated and a changed row",
            "an empty table",
        ),
        ("test_tables", "test_tpcds"),
    )
    lists: ClassVar[frozenset[str]] = frozenset({"queries"})
    engines = ENGINES
    libraries: ClassVar[Mapping[str, str]] = LIBRARIES
    roles = ROLES

    repeats: Count = Field(default=1, description="how often each query runs, each time in another order")
    limit: Duration | None = Field(
        default=None, gt=0, description="longest time of a query, which then counts as failed; default: none"
    )
    seed: int = Field(
        default=0, ge=0, le=1 << 30, description="seed of the order, and of what weft generates itself"
    )

    @property
    @abstractmethod
    def names(self) -> Sequence[str]:
        """The queries."""

    @property
    @abstractmethod
    def tables(self) -> Sequence[str]:
        """Their tables: a directory of the input each."""

    @abstractmethod
    def texts(self, layout: Layout) -> Path:
        """The directory with NAME.sql for each query, and the columns of their tables."""

    def checked_on(self, engine: str) -> CheckedBy:
        sql = engines.of(engine).sql
        return SAME if sql and sql.itself else self.checked_by

    @property
    def order(self) -> list[str]:
        """The queries as they run: all of them in a random order, as often as requested."""
        names, shuffle = list(self.names), random.Random(self.seed)  # noqa: S311 - an order
        return [name for _ in range(self.repeats) for name in shuffle.sample(names, len(names))]

    def job(self, prepared: Prepared) -> Job:
        layout = prepared.layout
        texts = self.texts(layout)
        tables = {name: f"{layout.places['input'].path}/{name}" for name in self.tables}
        arguments = table_options(tables)
        arguments += [word for name in self.names for word in ("--query", f"{name}={texts / name}.sql")]
        arguments += ["--keep-going", "--standard"]
        options = {
            "order": ",".join(self.order),
            "output": layout.places["output"].path,
            "columns": texts / COLUMNS,
            **({"limit-seconds": repr(self.limit)} if self.limit else {}),
        }
        needed = Dependencies(jars=[str(jar) for jar in layout.libraries])
        return engine_job(layout, self.kind, "Sql", options, arguments, dependencies=needed)

    def check(self, prepared: Prepared) -> Sequence[Command]:
        layout = prepared.layout
        options = ["--input", layout.places["input"].path, "--results", layout.places["output"].path]
        options += ["--queries", str(self.texts(layout)), "--labels", ",".join(rounds(self.order))]
        return [table_program(layout, "answers", "check", options)]

    def judged(
        self, ran: Outcome, checked: Sequence[Outcome], rows: Mapping[str, int], facts: Mapping[str, Any]
    ) -> Judgement:
        """The verdict on all executions; `rows`: how many each table must have."""
        labels, answers = rounds(self.order), checked[0]["answers"]
        wrong = wrong_queries(labels, ran, answers)
        queries = by_query(ran, answers, wrong)
        found = {
            "right": f"{len(labels) - len(wrong)} of {len(labels)}",
            "geometric_mean_seconds": geometric_mean(queries),
            **facts,
            "duckdb": checked[0]["duckdb"],
            "queries": queries,
        }
        moved = [sum(row.get(key, 0) for row in ran.get("queries", [])) for key in ("bytes_in", "bytes_out")]
        why = other_tables(rows, checked[0]["tables"]) or reason(wrong, len(labels))
        return Judgement(not why, why, moved[0], moved[1], ran.get("seconds"), found)


def dialect(layout: Layout) -> Sql:
    """How the run's engine runs queries."""
    return engines.of(layout.engine).sql or Sql()


def table_program(
    layout: Layout, name: str, module: str, arguments: Sequence[str], *, node: int = 0
) -> Command:
    """A program of weft.tables on a node, with its cores and half of its memory."""
    on = layout.nodes[node]
    outcome = layout.outcome(f"{name}.json")
    argv = [sys.executable, "-P", "-m", f"weft.tables.{module}", *arguments]
    argv += ["--threads", str(max(1, int(on.cores))), "--memory", str(max(_LEAST, on.memory // 2))]
    argv += ["--scratch", str(on.directory / "duckdb" / name), "--outcome", str(outcome)]
    argv += _copier(layout)
    environment = {**layout.environment(on), "PYTHONPATH": str(Path(weft.__file__).resolve().parents[1])}
    return Command(name, on, argv, environment, outcome)


def _copier(layout: Layout) -> list[str]:
    """What copies tables and results where no program in Python reaches them, if they are there."""
    if not layout.uris:
        return []
    java = [str(layout.java), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    return ["--copier", json.dumps([*java, *core(layout), "io.weft.hadoop.CopyFiles"])]


def table_options(tables: Mapping[str, str]) -> list[str]:
    """The options of a program that reads tables: the path of each, by name."""
    return [word for name, path in tables.items() for word in ("--table", f"{name}={path}")]


def rounds(order: Sequence[str]) -> list[str]:
    """The label of each execution: its query and the number of its repeat."""
    seen: dict[str, int] = {}
    labels = []
    for name in order:
        seen[name] = seen.get(name, 0) + 1
        labels.append(f"{name}-{seen[name]}")
    return labels


def other_tables(expected: Mapping[str, int], found: Mapping[str, int]) -> str:
    """Why answers on these tables say nothing: the check found other tables, or an empty one."""
    return "; ".join(
        f"the table {name} has {found.get(name, 0)} rows" + (f" instead of {rows}" if rows else "")
        for name, rows in expected.items()
        if not rows or found.get(name) != rows
    )


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
            "empty": answers.get(rows[0]["label"], {}).get("empty", True),
            "checksum": _checksums(answers.get(row["label"], {}) for row in rows),
            **{key: round(statistics.median(row[key] for row in rows)) for key in _COUNTED if key in rows[0]},
            "answer": next((wrong[row["label"]] for row in rows if row["label"] in wrong), "right"),
        }
        for name, rows in grouped.items()
    ]


def _checksums(answers: Iterable[Mapping[str, Any]]) -> str:
    """That of the rows of all repeats, or all of them if they differ."""
    return ", ".join(dict.fromkeys(str(answer["checksum"]) for answer in answers if "checksum" in answer))


def geometric_mean(queries: Sequence[Mapping[str, Any]]) -> float | None:
    """Of the medians of all queries with a right answer, as in TPC-DS's power test; None without any."""
    seconds = [row["seconds"] for row in queries if row["answer"] == "right" and row["seconds"] > 0]
    return round(statistics.geometric_mean(seconds), 3) if seconds else None
