"""TeraSort: records of Hadoop's TeraGen in total order."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from weft.adapters.workloads.base import Checker, Judgement, Prepared, Results, engine_job, program
from weft.adapters.workloads.terarecords import RECORD, TeraRecords, total
from weft.facts.roles import Role
from weft.layout.job import Dependencies, Job
from weft.layout.plan import Command, Layout
from weft.text.executes import Executes


class TeraSort(TeraRecords):
    """Sort generated records into one total order."""

    kind: Literal["terasort"] = "terasort"
    checker = Checker(
        "TeraValidate",
        "the output: the order of all keys, the number of records, the sums of their CRC32 and of their hashes; by those of the generator",
        (
            "Mutant",
            "values swapped between records",
        ),
        ("TeraValidateTest.rejectsAWrongOutputByName", "TeraValidateTest"),
    )
    engines = (*TeraRecords.engines, "limit", "dask", "ray")
    method: Literal["stock", "raw", "kryo"] = Field(
        default="stock",
        description="stock: the engine's own sort (Spark: repartitionByRange and sortWithinPartitions, Flink: sortPartition, Hadoop: its example); raw: weft's sorter, the limit of this engine's data path; kryo: Spark's older sortByKey",
    )

    sort: bool = Field(
        default=True,
        description="false: records are moved to the parts of their ranges but not sorted, for the cost of the rest; checked are count and checksum (Spark with method stock or raw, timely)",
    )

    program: Annotated[Path | None, Executes("it is the job")] = Field(
        default=None,
        description="a jar or Python file of your own that sorts, with the input and the output as its arguments; it is checked like any method (Spark, Hadoop, Flink)",
    )
    main_class: Annotated[str, Executes("the job")] = Field(default="", description="main class of that jar")

    @model_validator(mode="after")
    def _own_program_exists(self) -> Self:
        if self.program is not None and not self.program.is_file():
            raise ValueError(f"program: file not found: {self.program}")
        if self.main_class and self.program is None:
            raise ValueError("main_class belongs to program, and there is none")
        if self.program is not None and not self.sort:
            raise ValueError("sort=false is not for a program of your own")
        return self

    @model_validator(mode="after")
    def _method_can_leave_out_the_sort(self) -> Self:
        if not self.sort and self.method == "kryo":
            raise ValueError("sort=false needs method=stock or raw: sortByKey always sorts")
        return self

    @property
    def runs_on(self) -> tuple[str, ...]:
        if self.program is not None:
            return ("spark", "hadoop", "flink")
        if self.method == "kryo":
            return ("spark",)
        return self.engines if self.sort else ("spark", "timely")

    @property
    def compressed(self) -> bool:
        return self.method != "raw"

    @property
    def own_program(self) -> Path | None:
        return self.program

    @property
    def paths(self) -> list[Path]:
        return [] if self.program is None else [self.program]

    @property
    def takes(self) -> Mapping[Role, int]:
        return {"input": self.size, "output": self.size}

    def job(self, prepared: Prepared) -> Job:
        layout = prepared.layout
        if self.program is not None:
            return Job(
                "terasort",
                str(self.program.resolve()),
                [layout.places["input"].path, self._output(layout)],
                dependencies=Dependencies(self.main_class),
                output=layout.outcome("stdout"),
            )
        options = {
            "input": layout.places["input"].path,
            "output": layout.places["output"].path,
            "partitions": self.reducers(layout),
            "method": self.method,
            **({} if self.sort else {"sort": "false"}),
        }
        return engine_job(layout, "terasort", "TeraSort", options)

    def _output(self, layout: Layout) -> str:
        """Where the result is: programs on Hadoop's interfaces want a directory that is not there yet."""
        place = layout.places["output"].path
        return place if self.program is None else f"{place}/sorted"

    def check(self, prepared: Prepared) -> Sequence[Command]:
        layout = prepared.layout
        options = {
            "input": self._output(layout),
            "rows": self.rows,
            "checksum": total(prepared.outcomes),
            "hash": total(prepared.outcomes, "hash", 64),
            **({} if self.sort else {"order": "none"}),
            "threads": layout.head.cores,
        }
        return [program(layout, "validate", "TeraValidate", options)]

    def judge(self, results: Results) -> Judgement:
        ran = results.ran
        found = results.checked[0]
        generated = sum(outcome["rows"] for outcome in results.prepared)
        reason = str(found.get("reason", ""))
        if generated != self.rows:
            reason = f"the generator produced {generated} rows instead of {self.rows}"
        facts = {
            "rows": found.get("rows"),
            "checksum": found.get("checksum"),
            "partitions": ran.get("partitions"),
            "method": ran.get("method"),
        }
        if self.program is not None:
            facts["method"] = self.program.name
            ran = {"bytes_in": self.size, "bytes_out": found.get("rows", 0) * RECORD}
        if ran.get("sort", True) != self.sort:
            reason = f"the job ran with sort={str(ran.get('sort', True)).lower()}, asked was {str(self.sort).lower()}"
        if not self.sort:
            facts["sort"] = False
        return Judgement.of(ran, reason, facts, valid=found["valid"])
