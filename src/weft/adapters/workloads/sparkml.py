"""Tests of MLlib from spark-perf, each with an answer that is computed without Spark.

Definitions from databricks/spark-perf (commit 6e4f26d), with data of sizes that a laptop takes.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from weft.adapters.workloads.base import (
    Checker,
    Judgement,
    Prepared,
    Results,
    Workload,
    all_facts,
    answer,
    engine_job,
    program,
)
from weft.layout.job import Job
from weft.layout.plan import Command, Layout
from weft.text.fields import Count

SparkMlTest = Literal[
    "summary-statistics",
    "pearson",
    "spearman",
    "chi-sq-feature",
    "chi-sq-gof",
    "chi-sq-mat",
    "svd",
    "pca",
    "block-matrix-mult",
    "fp-growth",
    "prefix-span",
    "naive-bayes",
    "glm-regression",
    "glm-classification",
    "decision-tree",
    "kmeans",
    "gmm",
    "pic",
    "als",
    "lda",
    "word2vec",
]
_SIZES: Mapping[str, tuple[int, int]] = {
    "summary-statistics": (200_000, 50),
    "pearson": (200_000, 50),
    "spearman": (100_000, 20),
    "chi-sq-feature": (200_000, 50),
    "chi-sq-gof": (5_000_000, 2),
    "chi-sq-mat": (2000, 2000),
    "svd": (100_000, 50),
    "pca": (100_000, 50),
    "block-matrix-mult": (2000, 1000),
    "fp-growth": (100_000, 1000),
    "prefix-span": (5000, 30),
    "naive-bayes": (200_000, 100),
    "glm-regression": (200_000, 50),
    "glm-classification": (200_000, 50),
    "decision-tree": (200_000, 20),
    "kmeans": (200_000, 20),
    "gmm": (100_000, 20),
    "pic": (20_000, 10),
    "als": (2000, 1000),
    "lda": (5000, 1000),
    "word2vec": (50_000, 1000),
}
"""By test: rows (vectors, baskets, sequences, numbers, vertices, users, documents, sentences) and columns (features and
label, different items, edges of a vertex, products, words)."""
_MATRICES = ("block-matrix-mult", "chi-sq-mat")
"""Tests whose rows are a side of a matrix: twice as many are not twice the work."""
_SUPPORT: Mapping[str, float] = {"fp-growth": 0.01, "prefix-span": 0.3}
_RANK: Mapping[str, int] = {"word2vec": 50}


class SparkMl(Workload):
    """One test: data made in memory from a seed and cached, then MLlib on it."""

    kind: SparkMlTest = Field(description="which test")
    checker = Checker(
        "ml.MlValidate",
        "the answer: all that the method found, and for als, decision-tree, pic and word2vec the count and the hashes of what it read; by the data, which is drawn again",
        (
            "a line of the answer lost, repeated or changed",
            "twenty percent of the data lost",
            "a wrong U",
        ),
        ("MlTest",),
    )
    positional = "rows"
    engines = ("spark",)

    rows: int | None = Field(
        default=None,
        ge=2,
        le=100_000_000,
        description="vectors, baskets, sequences, vertices, users, documents, sentences or numbers; "
        "default: by test, for seconds on a laptop",
    )
    columns: int | None = Field(
        default=None,
        ge=2,
        le=100_000,
        description="numbers of a vector, different items, words or products, or edges of a vertex; default: by test",
    )
    rank: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="singular values, principal components, hidden numbers of als, or numbers of a word's vector; "
        "default: 10, and 50 for word2vec",
    )
    block: int = Field(
        default=1024, ge=1, le=100_000, description="rows and columns of a block of block-matrix-mult"
    )
    support: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="share of baskets or sequences from which a pattern is frequent; default: 0.01 and 0.3",
    )
    longest: int = Field(default=3, ge=1, le=100, description="most items of a pattern of prefix-span")
    partitions: Count | None = Field(default=None, description="partitions of the data; default: 4 per slot")
    seed: int = Field(default=5, ge=0, description="seed of the data")

    @model_validator(mode="after")
    def _enough_rows(self) -> Self:
        rows, columns = (
            own or usual for own, usual in zip((self.rows, self.columns), _SIZES[self.kind], strict=True)
        )
        if self.kind == "svd" and rows < (found := min(self._of_rank, columns)):
            # Spark leaves out those that are zero, and the check would miss them
            raise ValueError(
                f"{rows} rows have no {found} singular values: ask for more rows, or rank={rows}"
            )
        return self

    @property
    def _of_rank(self) -> int:
        return self.rank or _RANK.get(self.kind, 10)

    @property
    def amount(self) -> Mapping[str, float]:
        return {} if self.kind in _MATRICES else {"rows": self.rows or _SIZES[self.kind][0]}

    def asked(self, layout: Layout) -> dict[str, Any]:
        """The options of the job, which decide what it finds."""
        rows, columns = _SIZES[self.kind]
        return {
            "test": self.kind,
            "rows": self.rows or rows,
            "columns": self.columns or columns,
            "rank": self._of_rank,
            "block": self.block,
            "support": self.support or _SUPPORT.get(self.kind, 0.01),
            "longest": self.longest,
            "partitions": self.partitions or 4 * layout.slots,
            "seed": self.seed,
            "answer": answer(layout),
        }

    def job(self, prepared: Prepared) -> Job:
        return engine_job(prepared.layout, self.kind, "SparkMl", self.asked(prepared.layout))

    def check(self, prepared: Prepared) -> Sequence[Command]:
        layout = prepared.layout
        heap = max(1 << 30, layout.head.memory // 2)
        return [program(layout, "validate", "ml.MlValidate", self.asked(layout), heap=heap)]

    def judge(self, results: Results) -> Judgement:
        ran, found = results.ran, results.checked[0]
        facts = all_facts(ran, found)
        return Judgement(found["valid"], str(found.get("reason", "")), 0, 0, ran.get("seconds"), facts)
