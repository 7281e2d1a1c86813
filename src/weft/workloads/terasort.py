"""TeraSort: records of Hadoop's TeraGen in total order."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from weft.layout.places import Role
from weft.layout.plan import Command, Job, Layout
from weft.workloads.base import PROGRAM, CheckedBy, Judgement, Outcome, program
from weft.workloads.terarecords import TeraRecords, total


class TeraSort(TeraRecords):
    """Sort generated records into one total order."""

    kind: Literal["terasort"] = "terasort"
    checked_by: ClassVar[CheckedBy] = PROGRAM
    method: Literal["stock", "raw", "kryo"] = Field(
        default="stock",
        description="stock: the engine's own sort (Spark: repartitionByRange and sortWithinPartitions, Flink: sortPartition, Hadoop: its example); raw: weft's sorter, the limit of this engine's data path; kryo: Spark's older sortByKey",
    )

    @property
    def takes(self) -> Mapping[Role, int]:
        return {"input": self.size, "output": self.size}

    def job(self, layout: Layout, prepared: Sequence[Outcome]) -> Job:  # noqa: ARG002
        outcome = layout.record / "outcomes" / "run.json"
        arguments = ["--input", layout.places["input"].path, "--output", layout.places["output"].path]
        arguments += [
            "--partitions",
            str(self.reducers(layout)),
            "--method",
            self.method,
            "--outcome",
            str(outcome),
        ]
        arguments += ["--executors", str(len(layout.nodes))]
        return Job("terasort", "TeraSort", arguments, outcome)

    def check(self, layout: Layout, prepared: Sequence[Outcome]) -> Sequence[Command]:
        arguments = [
            "--input",
            layout.places["output"].path,
            "--rows",
            str(self.rows),
            "--checksum",
            total(prepared),
        ]
        return [
            program(
                layout,
                "validate",
                "io.weft.core.TeraValidate",
                [*arguments, "--threads", str(layout.head.cores)],
            )
        ]

    def judge(self, prepared: Sequence[Outcome], ran: Outcome, checked: Sequence[Outcome]) -> Judgement:
        found = checked[0]
        generated = sum(outcome["rows"] for outcome in prepared)
        reason = str(found.get("reason", ""))
        if generated != self.rows:
            reason = f"the generator produced {generated} rows instead of {self.rows}"
        facts = {
            "rows": found.get("rows"),
            "checksum": found.get("checksum"),
            "partitions": ran.get("partitions"),
            "method": ran.get("method"),
        }
        valid = bool(found["valid"]) and not reason
        return Judgement(
            valid, reason, ran.get("bytes_in", 0), ran.get("bytes_out", 0), ran.get("seconds"), facts
        )
