"""A user's own job: weft runs and analyses it, but cannot check its result."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from weft.layout.plan import Command, Dependencies, Job, Layout
from weft.workloads.base import NOBODY, CheckedBy, Judgement, Outcome, Workload


def _found(value: Any) -> Any:
    """Paths of a comma-separated list, made absolute; a URI such as hdfs://... is not changed."""
    paths = [word for word in value.split(",") if word] if isinstance(value, str) else value
    return [word if "://" in word else str(_there(Path(word))) for word in paths]


def _there(path: Path) -> Path:
    if not path.exists():
        raise ValueError(f"file not found: {path}")
    return path.resolve()


Listed = Annotated[tuple[str, ...], BeforeValidator(_found)]
"""Files in the form of spark-submit: a.py,b.zip."""


class OwnJob(Workload):
    """A Python file or a jar with the options and arguments of the engine's own submit command."""

    kind: Literal["own-job"] = "own-job"
    checked_by: ClassVar[CheckedBy] = NOBODY
    positional: ClassVar[str] = "program"
    engines: ClassVar[tuple[str, ...]] = ("spark", "hadoop", "flink")

    program: Path = Field(description="a .py or .jar file")
    arguments: tuple[str, ...] = Field(default=(), description="arguments of the job")
    main_class: str = Field(default="", description="main class of a jar")
    py_files: Listed = Field(default=(), description="Python modules and archives that it imports")
    jars: Listed = Field(default=(), description="jars that it uses")
    files: Listed = Field(default=(), description="files for the working directory of every task")
    conf: dict[str, str] = Field(default_factory=dict, description="settings of the engine for this job only")
    options: tuple[str, ...] = Field(default=(), description="other options of the engine's submit command")
    directory: Path = Field(default_factory=Path.cwd, description="working directory of the job")

    @property
    def paths(self) -> list[Path]:
        """What every node must see."""
        dependencies = [Path(word) for word in (*self.py_files, *self.jars, *self.files) if "://" not in word]
        return [self.program, self.directory, *dependencies]

    @property
    def own_program(self) -> Path | None:
        return self.program

    def prepare(self, layout: Layout) -> Sequence[Command]:  # noqa: ARG002 - the job has its own input
        return []

    def job(self, layout: Layout, prepared: Sequence[Outcome]) -> Job:  # noqa: ARG002
        return Job(
            self.program.name,
            str(self.program),
            self.arguments,
            options=self.options,
            dependencies=Dependencies(self.main_class, self.py_files, self.jars, self.files, self.conf),
            directory=self.directory,
            output=layout.record / "outcomes" / "stdout",
        )

    def check(self, layout: Layout, prepared: Sequence[Outcome]) -> Sequence[Command]:  # noqa: ARG002 - unknown
        return []

    def judge(self, prepared: Sequence[Outcome], ran: Outcome, checked: Sequence[Outcome]) -> Judgement:  # noqa: ARG002
        return Judgement(valid=True, reason="", bytes_in=0, bytes_out=0)
