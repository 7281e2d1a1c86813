"""tpcds: queries of TPC-DS, one after another; data, texts and answers by DuckDB's TPC-DS extension."""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from weft.layout.places import Role
from weft.layout.plan import Command, Job, Layout
from weft.tables import texts
from weft.text.fields import MOST
from weft.workloads import tablework
from weft.workloads.base import PROGRAM, CheckedBy, Judgement, Outcome, Workload

_BYTES = 250_000_000
"""Bytes of the tables for each unit of the scale, at least."""


def _known(value: str) -> str:
    texts.chosen(value)
    return value


class Tpcds(Workload):
    """The queries of a decision-support benchmark, on tables in Parquet."""

    kind: Literal["tpcds"] = "tpcds"
    checked_by: ClassVar[CheckedBy] = PROGRAM
    positional: ClassVar[str] = "scale"
    lists: ClassVar[frozenset[str]] = frozenset({"queries"})
    engines: ClassVar[tuple[str, ...]] = ("spark",)
    roles: ClassVar[tuple[Role, ...]] = ("input", "output", "shuffle")

    scale: float = Field(
        default=1.0, ge=0.01, le=100_000, description="scale factor; 1 is about 1 GB of text"
    )
    queries: Annotated[str, AfterValidator(_known)] = Field(
        default="all", description="all, interactive20, or names: q3,q7"
    )
    repeats: int = Field(
        default=1, ge=1, le=MOST, description="how often each query runs, each time in another order"
    )
    seed: int = Field(default=0, ge=0, description="seed of the order")

    @property
    def takes(self) -> Mapping[Role, int]:
        return {"input": int(self.scale * _BYTES)}

    @property
    def order(self) -> list[str]:
        """The queries as they run: all of them in a random order, as often as requested."""
        names, shuffle = list(texts.chosen(self.queries)), random.Random(self.seed)  # noqa: S311 - an order
        return [name for _ in range(self.repeats) for name in shuffle.sample(names, len(names))]

    def generated(self, layout: Layout) -> Mapping[Path, str]:
        tablework.require_directories(layout, self.kind, "input", "output")
        return {}

    def prepare(self, layout: Layout) -> Sequence[Command]:
        options = ["--scale", repr(self.scale), "--output", layout.places["input"].path]
        options += ["--queries", str(_texts(layout))]
        return [tablework.table_program(layout, "generate", "generate", options)]

    def job(self, layout: Layout, prepared: Sequence[Outcome]) -> Job:  # noqa: ARG002
        outcome = layout.record / "outcomes" / "run.json"
        tables = [
            word
            for name in texts.TABLES
            for word in ("--table", f"{name}={layout.places['input'].path}/{name}")
        ]
        named = [
            word
            for name in texts.chosen(self.queries)
            for word in ("--query", f"{name}={_texts(layout) / name}.sql")
        ]
        arguments = [
            *tables,
            *named,
            "--order",
            ",".join(self.order),
            "--output",
            layout.places["output"].path,
        ]
        arguments += ["--keep-going", "--standard", "--executors", str(len(layout.nodes))]
        return Job("tpcds", "Sql", [*arguments, "--outcome", str(outcome)], outcome)

    def check(self, layout: Layout, prepared: Sequence[Outcome]) -> Sequence[Command]:  # noqa: ARG002
        options = ["--input", layout.places["input"].path, "--results", layout.places["output"].path]
        options += ["--queries", str(_texts(layout)), "--labels", ",".join(tablework.rounds(self.order))]
        return [tablework.table_program(layout, "answers", "check", options)]

    def judge(self, prepared: Sequence[Outcome], ran: Outcome, checked: Sequence[Outcome]) -> Judgement:
        labels, answers = tablework.rounds(self.order), checked[0]["answers"]
        wrong = tablework.wrong_queries(labels, ran, answers)
        queries = tablework.by_query(ran, answers, wrong)
        facts: dict[str, Any] = {
            "scale": self.scale,
            "right": f"{len(labels) - len(wrong)} of {len(labels)}",
            "geometric_mean_seconds": tablework.geometric_mean(queries),
            "table_rows": prepared[0]["rows"],
            "table_bytes": prepared[0]["bytes"],
            "duckdb": checked[0]["duckdb"],
            "queries": queries,
        }
        moved = [sum(row.get(key, 0) for row in ran.get("queries", [])) for key in ("bytes_in", "bytes_out")]
        return Judgement(
            not wrong, tablework.reason(wrong, len(labels)), moved[0], moved[1], ran.get("seconds"), facts
        )


def _texts(layout: Layout) -> Path:
    """The texts stay in the record."""
    return layout.record / "queries"
