"""A user's own job: weft runs and analyses it, but cannot check its result."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from weft.adapters.workloads.base import NOBODY, Judgement, Prepared, Results, Workload
from weft.facts import engines
from weft.layout.plan import Dependencies, Job
from weft.text.executes import Executes, Settings


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
    checked_by = NOBODY
    positional = "program"
    engines = tuple(dict.fromkeys(("spark", *(name for name, facts in engines.ALL.items() if facts.command))))

    program: Annotated[Path, Executes("it is the job")] = Field(description="a .py or .jar file")
    arguments: Annotated[tuple[str, ...], Executes("arguments of the job")] = Field(
        default=(), description="arguments of the job"
    )
    main_class: Annotated[str, Executes("the job")] = Field(default="", description="main class of a jar")
    py_files: Annotated[Listed, Executes("code of the job")] = Field(
        default=(), description="Python modules and archives that it imports"
    )
    jars: Annotated[Listed, Executes("code of the job")] = Field(default=(), description="jars that it uses")
    files: Annotated[Listed, Executes("files beside the job")] = Field(
        default=(), description="files for the working directory of every task"
    )
    conf: Settings = Field(default_factory=dict, description="settings of the engine for this job only")
    options: Annotated[tuple[str, ...], Executes("options of the engine's submit command")] = Field(
        default=(), description="other options of the engine's submit command"
    )
    directory: Annotated[Path, Executes("Python and Java load what is in it")] = Field(
        default_factory=Path.cwd, description="working directory of the job"
    )

    @property
    def paths(self) -> list[Path]:
        """What every node must see."""
        dependencies = [Path(word) for word in (*self.py_files, *self.jars, *self.files) if "://" not in word]
        return [self.program, self.directory, *dependencies]

    @property
    def own_program(self) -> Path | None:
        return self.program

    def job(self, prepared: Prepared) -> Job:
        return Job(
            self.program.name,
            str(self.program),
            self.arguments,
            options=self.options,
            dependencies=Dependencies(self.main_class, self.py_files, self.jars, self.files, self.conf),
            directory=self.directory,
            output=prepared.layout.outcome("stdout"),
        )

    def judge(self, results: Results) -> Judgement:  # noqa: ARG002 - nobody checks it
        return Judgement(valid=True, reason="", bytes_in=0, bytes_out=0)
