"""The core tests of spark-perf, each with a result that is computed from its generator.

Definitions from databricks/spark-perf (commit 6e4f26d), at a smaller default scale.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

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
from weft.text.shorthand import MisreadError

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
    checker = Checker(
        "PerfValidate",
        "the answer: counts, sums of hashes, and a hash of the keys in order of each partition; by records that are made again",
        (
            "records lost, repeated, changed or out of order",
            "values swapped between records",
            "a wrong sum",
            "counts of lost records",
            "a task lost while another one is repeated",
        ),
        ("PerfValidateTest",),
    )
    positional = "records"
    engines = ("spark",)

    records: int = Field(default=1_000_000, ge=1, le=1 << 42, description="total number of records")
    unique_keys: int = Field(default=20_000, ge=1, le=(1 << 31) - 9, description="different keys")
    key_length: int = Field(default=10, ge=1, le=10_000, description="characters of a key, padded with zeros")
    unique_values: int = Field(default=1_000_000, ge=1, le=(1 << 31) - 1, description="different values")
    value_length: int = Field(
        default=10, ge=1, le=10_000, description="characters of a value, padded with zeros"
    )
    partitions: Count | None = Field(default=None, description="partitions of the data; default: 4 per slot")
    reduce_tasks: Count | None = Field(
        default=None, description="partitions after the shuffle; default: as before it"
    )
    tasks: Count = Field(default=2000, description="empty tasks of scheduling-throughput")
    seed: int = Field(default=5, ge=0, description="seed of the generator")

    @model_validator(mode="after")
    def _keys_sort_as_their_numbers(self) -> "SparkPerf":
        """Texts of different lengths have another order than their numbers, by which the result is checked."""
        longest = len(str(self.unique_keys - 1))
        if self.kind == "sort-by-key" and self.key_length < longest:
            raise MisreadError(
                f"sort-by-key: {self.unique_keys} different keys have up to {longest} characters, more than key_length={self.key_length}",
                hint=f"set key_length to {longest} or more, or unique_keys to {10**self.key_length} or less",
            )
        return self

    @property
    def tasks_key(self) -> str:
        return "tasks" if self.kind == "scheduling-throughput" else "partitions"

    @property
    def amount(self) -> Mapping[str, float]:
        return {} if self.kind == "scheduling-throughput" else {"records": self.records}

    def asked(self, layout: Layout) -> dict[str, Any]:
        """The options that decide what the job finds."""
        return {
            "test": self.kind,
            "records": self.records,
            "unique-keys": self.unique_keys,
            "unique-values": self.unique_values,
            "partitions": self.partitions or 4 * layout.slots,
            "tasks": self.tasks,
            "seed": self.seed,
            "answer": answer(layout),
        }

    def job(self, prepared: Prepared) -> Job:
        options = self.asked(prepared.layout)
        own = {
            "key-length": self.key_length,
            "value-length": self.value_length,
            "reduce-tasks": self.reduce_tasks or options["partitions"],
        }
        return engine_job(prepared.layout, self.kind, "SparkPerf", {**options, **own})

    def check(self, prepared: Prepared) -> Sequence[Command]:
        layout = prepared.layout
        heap = (1 << 28) + 16 * self.unique_keys
        return [program(layout, "validate", "PerfValidate", self.asked(layout), heap=heap)]

    def judge(self, results: Results) -> Judgement:
        ran, found = results.ran, results.checked[0]
        facts = all_facts(ran, found)
        moved = self.records * (self.key_length + self.value_length)
        return Judgement(found["valid"], str(found.get("reason", "")), moved, 0, ran.get("seconds"), facts)
