"""sql-join: the join and the aggregation of the 2009 comparison of MapReduce and databases, on typed tables."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from weft.adapters.workloads import tablework
from weft.adapters.workloads.base import Judgement, Results, flags, shares
from weft.layout.plan import Command, Layout

_TEXTS = {
    "join": """SELECT sourceIP, avg(CAST(pageRank AS DOUBLE)) AS averagePageRank, sum(adRevenue) AS totalRevenue
FROM rankings
JOIN uservisits ON pageURL = destURL
WHERE visitDate >= DATE '1999-01-01' AND visitDate <= DATE '2000-01-01'
GROUP BY sourceIP
ORDER BY totalRevenue DESC
""",
    "aggregation": """SELECT sourceIP, sum(adRevenue) AS totalRevenue
FROM uservisits
GROUP BY sourceIP
""",
}

_COLUMNS = """rankings\tpageURL\tSTRING
rankings\tpageRank\tINT
rankings\tavgDuration\tINT
uservisits\tsourceIP\tSTRING
uservisits\tdestURL\tSTRING
uservisits\tvisitDate\tDATE
uservisits\tadRevenue\tDECIMAL(9,6)
uservisits\tuserAgent\tSTRING
uservisits\tcountryCode\tSTRING
uservisits\tlanguageCode\tSTRING
uservisits\tsearchWord\tSTRING
uservisits\tduration\tINT
"""


def _known(value: str) -> str:
    names = value.split(",")
    if not set(names) <= set(_TEXTS) or len(set(names)) < len(names):
        raise ValueError(f"{value!r} is none of {', '.join(_TEXTS)}, or both with a comma")
    return value


class SqlJoin(tablework.Queries):
    """Visits of a year joined with ranks of pages, by source, ordered by revenue."""

    kind: Literal["sql-join"] = "sql-join"
    positional = "visits"
    engines = (*tablework.ENGINES, "dask", "ray")
    keeps_input = True

    visits: int = Field(default=1_000_000, ge=1, le=10**11, description="rows of uservisits")
    pages: int | None = Field(
        default=None, ge=1, le=10**11, description="rows of rankings; default: visits / 10"
    )
    sources: int | None = Field(
        default=None, ge=1, le=1 << 32, description="addresses of sources; default: visits / 100"
    )
    queries: Annotated[str, AfterValidator(_known)] = Field(
        default="join", description="join, aggregation, or both with a comma"
    )

    @property
    def amount(self) -> Mapping[str, float]:
        fixed = self.pages or self.sources
        return {} if fixed else {"visits": self.visits}

    @property
    def names(self) -> Sequence[str]:
        return self.queries.split(",")

    @property
    def tables(self) -> Sequence[str]:
        return ("rankings", "uservisits")

    @property
    def _pages(self) -> int:
        return self.pages or max(1, self.visits // 10)

    def texts(self, layout: Layout) -> Path:
        return layout.directory / "queries"

    def generated(self, layout: Layout) -> Mapping[Path, str]:
        files = {self.texts(layout) / f"{name}.sql": _TEXTS[name] for name in self.names}
        columns = {self.texts(layout) / tablework.COLUMNS: _COLUMNS}
        return {**files, **columns}

    def prepare(self, layout: Layout) -> Sequence[Command]:
        from weft.tables import visits  # noqa: PLC0415 - numpy and polars, for this workload alone

        parts = visits.parts(self.visits, self._pages)
        fixed = {
            "visits": self.visits,
            "pages": self._pages,
            "sources": self.sources or max(1, self.visits // 100),
            "seed": self.seed,
            "output": layout.places["input"].path,
        }
        return [
            tablework.table_program(
                layout, f"generate-{layout.nodes[i].name}", "visits", flags({**fixed, **share}), node=i
            )
            for i, share in shares(layout, parts).items()
        ]

    def judge(self, results: Results) -> Judgement:
        made = {
            key: sum(outcome[key] for outcome in results.prepared)
            for key in ("rankings", "uservisits", "bytes")
        }
        rows = {"rankings": self._pages, "uservisits": self.visits}
        facts = {"rankings": made["rankings"], "uservisits": made["uservisits"], "table_bytes": made["bytes"]}
        return self.judged(results.ran, results.checked, rows, facts)
