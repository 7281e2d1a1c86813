"""TeraCount: TeraSort's shuffle without the sort, to separate the cost of moving from that of sorting."""

from collections.abc import Sequence
from typing import Literal

from weft.adapters.workloads.base import (
    Checker,
    Judgement,
    Prepared,
    Results,
    answer,
    engine_job,
    program,
)
from weft.adapters.workloads.terarecords import TeraRecords
from weft.layout.job import Job
from weft.layout.plan import Command


class TeraCount(TeraRecords):
    """Move generated records into their range partitions and count them there."""

    kind: Literal["teracount"] = "teracount"
    checker = Checker(
        "TeraCountValidate",
        "the answer: of each partition the number of records, the sum of their hashes, the lowest and the highest key; by records that are made again",
        (
            "records lost, repeated, changed or in another range",
            "values swapped between records",
            "a wrong range table",
        ),
        ("TeraCountValidateTest",),
    )
    roles = ("input", "scratch")

    def job(self, prepared: Prepared) -> Job:
        layout = prepared.layout
        options = {
            "input": layout.places["input"].path,
            "partitions": self.reducers(layout),
            "answer": answer(layout),
        }
        return engine_job(layout, "teracount", "TeraCount", options)

    def check(self, prepared: Prepared) -> Sequence[Command]:
        layout = prepared.layout
        options = {
            "rows": self.rows,
            "seed": self.seed,
            "partitions": self.reducers(layout),
            "threads": layout.head.cores,
            "answer": answer(layout),
        }
        return [program(layout, "validate", "TeraCountValidate", options)]

    def judge(self, results: Results) -> Judgement:
        ran, found = results.ran, results.checked[0]
        facts = {key: found.get(key) for key in ("rows", "checksum", "largest_partition_rows")}
        facts["partitions"] = ran.get("partitions")
        return Judgement.of(ran, str(found.get("reason", "")), facts, valid=found["valid"])
