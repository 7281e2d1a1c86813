"""The core tests of spark-perf, each with a result that is computed from its generator.

Definitions from databricks/spark-perf (commit 6e4f26d), at a smaller default scale.
"""

from typing import Any, Literal

from pydantic import Field

from weft.adapters.workloads.base import JOB, Judgement, Prepared, Results, Workload, engine_job
from weft.layout.plan import Job
from weft.text.fields import Count

SparkPerfTest = Literal[
    "scheduling-throughput",
    "aggregate-by-key",
    "aggregate-by-key-int",
    "aggregate-by-key-naive",
    "sort-by-key",
    "sort-by-key-int",
    "count",
    "count-with-filter",
]


class SparkPerf(Workload):
    """One test: data generated in memory and cached, then measured work on it."""

    kind: SparkPerfTest = Field(description="which test")
    checked_by = JOB
    positional = "records"
    engines = ("spark",)

    records: int = Field(default=1_000_000, ge=1, description="total number of records")
    unique_keys: int = Field(default=20_000, ge=1, description="different keys")
    key_length: Count = Field(default=10, description="characters of a key, padded with zeros")
    unique_values: int = Field(default=1_000_000, ge=1, description="different values")
    value_length: Count = Field(default=10, description="characters of a value, padded with zeros")
    partitions: Count | None = Field(default=None, description="partitions of the data; default: 4 per slot")
    reduce_tasks: Count | None = Field(
        default=None, description="partitions after the shuffle; default: as before it"
    )
    tasks: Count = Field(default=2000, description="empty tasks of scheduling-throughput")
    seed: int = Field(default=5, ge=0, description="seed of the generator")

    def job(self, prepared: Prepared) -> Job:
        layout = prepared.layout
        partitions = self.partitions or 4 * layout.slots
        options: dict[str, Any] = {
            "test": self.kind,
            "records": self.records,
            "unique-keys": self.unique_keys,
            "key-length": self.key_length,
            "unique-values": self.unique_values,
            "value-length": self.value_length,
            "partitions": partitions,
            "reduce-tasks": self.reduce_tasks or partitions,
            "tasks": self.tasks,
            "seed": self.seed,
        }
        return engine_job(layout, self.kind, "SparkPerf", options)

    def judge(self, results: Results) -> Judgement:
        ran = results.ran
        facts = {key: value for key, value in ran.items() if key not in {"valid", "reason", "phases"}}
        moved = self.records * (self.key_length + self.value_length)
        return Judgement(bool(ran["valid"]), str(ran.get("reason", "")), moved, 0, ran.get("seconds"), facts)
