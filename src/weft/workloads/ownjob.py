"""A user's own job: weft runs it and explains it, and cannot say whether its answer is right."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from weft.plan import Command, Job, Layout
from weft.workloads.base import Judgement, Outcome, Workload


class OwnJob(Workload):
    """A Python file or a jar with the options and arguments of the engine's own submit command."""

    kind: Literal["own-job"] = "own-job"
    positional: ClassVar[str] = "program"
    engines: ClassVar[tuple[str, ...]] = ("spark",)

    program: Path = Field(description="a .py or .jar file")
    arguments: tuple[str, ...] = Field(default=(), description="arguments of the job")
    options: tuple[str, ...] = Field(
        default=(), description="options of spark-submit: --class, --jars, --py-files, --conf ..."
    )
    directory: Path = Field(default_factory=Path.cwd, description="working directory of the job")

    def prepare(self, layout: Layout) -> Sequence[Command]:  # noqa: ARG002 - the job's input is its own matter
        return []

    def job(self, layout: Layout, prepared: Sequence[Outcome]) -> Job:  # noqa: ARG002
        output = layout.record / "outcomes" / "stdout"
        return Job(
            self.program.name, str(self.program), self.arguments, None, self.options, self.directory, output
        )

    def check(self, layout: Layout, prepared: Sequence[Outcome]) -> Sequence[Command]:  # noqa: ARG002 - unknown
        return []

    def judge(self, prepared: Sequence[Outcome], ran: Outcome, checked: Sequence[Outcome]) -> Judgement:  # noqa: ARG002
        return Judgement(valid=True, reason="", bytes_in=0, bytes_out=0, checked=False)
