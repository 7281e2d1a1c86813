"""tpcds: queries of TPC-DS, one after another; data, texts and answers by DuckDB's TPC-DS extension."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from weft.adapters.workloads import tablework
from weft.adapters.workloads.base import Judgement, Results
from weft.facts.roles import Role
from weft.layout.plan import Command, Layout
from weft.tables import texts

_BYTES = 250_000_000
"""Bytes of the tables for each unit of the scale, at least."""


def _known(value: str) -> str:
    texts.chosen(value)
    return value


class Tpcds(tablework.Queries):
    """The queries of a decision-support benchmark, on tables in Parquet."""

    kind: Literal["tpcds"] = "tpcds"
    positional = "scale"

    scale: float = Field(
        default=1.0, ge=0.01, le=100_000, description="scale factor; 1 is about 1 GB of text"
    )
    queries: Annotated[str, AfterValidator(_known)] = Field(
        default="all", description="all, interactive20, or names: q3,q7"
    )

    @property
    def amount(self) -> Mapping[str, float]:
        return {"scale": self.scale}

    @property
    def takes(self) -> Mapping[Role, int]:
        return {"input": int(self.scale * _BYTES)}

    @property
    def names(self) -> Sequence[str]:
        return texts.chosen(self.queries)

    @property
    def tables(self) -> Sequence[str]:
        return texts.TABLES

    def texts(self, layout: Layout) -> Path:
        return layout.record / "queries"

    def prepare(self, layout: Layout) -> Sequence[Command]:
        options = ["--scale", repr(self.scale), "--output", layout.places["input"].path]
        options += ["--queries", str(self.texts(layout))]
        options += ["--casts"] if tablework.dialect(layout).casts else []
        return [tablework.table_program(layout, "generate", "generate", options)]

    def judge(self, results: Results) -> Judgement:
        made = results.prepared[0]
        facts = {"scale": self.scale, "table_rows": made["rows"], "table_bytes": made["bytes"]}
        rows = {name: table["rows"] for name, table in made["tables"].items()}
        return self.judged(results.ran, results.checked, rows, facts)
