"""A user's own job: weft runs and analyses it; only a command of the user can check its result."""

import json
import math
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from weft.adapters.workloads import tablework
from weft.adapters.workloads.base import Judgement, Prepared, Results, Workload
from weft.facts import engines
from weft.facts.checked import NOBODY, OWN, CheckedBy
from weft.facts.roles import SHARED_ROLES
from weft.layout.job import Dependencies, Job
from weft.layout.plan import Command, Layout
from weft.text.executes import Executes, Settings
from weft.text.fields import LEAST_HEAP, Listed, Size

STDOUT = "stdout"
"""The file of the record with what the job printed."""
_URI = re.compile(r"[A-Za-z][\w+.-]*:/")
"""How one begins: hdfs://HOST/..., and as Spark has them also local:/... and file:/..."""


def _found(value: Any) -> Any:
    """Paths of a comma-separated list, made absolute; a URI such as hdfs://... is not changed, nor is #NAME behind one."""
    paths = [word for word in value.split(",") if word] if isinstance(value, str) else value
    return [word if _URI.match(word) else _there(word) for word in paths]


def _there(word: str) -> str:
    name, mark, alias = word.partition("#")
    if not Path(name).exists():
        raise ValueError(f"file not found: {name}")
    return f"{Path(name).resolve()}{mark}{alias}"


Files = Annotated[tuple[str, ...], BeforeValidator(_found)]
"""Files in the form of spark-submit: a.py,b.zip."""


def _split(value: Any) -> Any:
    """A command as a list, as a shell would split it; no shell runs it."""
    if not isinstance(value, str):
        return value
    try:
        return shlex.split(value)
    except ValueError as error:
        raise ValueError(f"{value!r} is not a command: {str(error).lower()}") from error


class OwnJob(Workload):
    """A Python file or a jar with the options and arguments of the engine's own submit command."""

    kind: Literal["own-job"] = "own-job"
    time_limit = math.inf  # nobody but its user knows how long it takes
    positional = "program"
    engines = tuple(dict.fromkeys(("spark", *(name for name, facts in engines.ALL.items() if facts.command))))
    optional: ClassVar[frozenset[str]] = SHARED_ROLES

    program: Annotated[Path, Executes("it is the job")] = Field(description="a .py or .jar file")
    name: str = Field(default="", description="name of the job; default: that of its file")
    arguments: Annotated[tuple[str, ...], Executes("arguments of the job")] = Field(
        default=(),
        description="arguments of the job; {input} and {output} are the directories of these roles",
    )
    main_class: Annotated[str, Executes("the job")] = Field(default="", description="main class of a jar")
    py_files: Annotated[Files, Executes("code of the job")] = Field(
        default=(), description="Python modules and archives that it imports"
    )
    jars: Annotated[Files, Executes("code of the job")] = Field(default=(), description="jars that it uses")
    packages: Annotated[tuple[str, ...], Listed, Executes("code of the job")] = Field(
        default=(), description="jars that it uses, by their Maven coordinates: GROUP:ARTIFACT:VERSION"
    )
    files: Annotated[Files, Executes("files that the job is given")] = Field(
        default=(), description="files for the working directory of every task"
    )
    archives: Annotated[Files, Executes("files that the job is given")] = Field(
        default=(), description="archives that are unpacked in the working directory of every task: FILE#NAME"
    )
    conf: Settings = Field(default_factory=dict, description="settings of the engine for this job only")
    driver_memory: Size | None = Field(
        default=None, ge=LEAST_HEAP, description="heap of its driver; default: the engine's"
    )
    options: Annotated[tuple[str, ...], Executes("options of the engine's submit command")] = Field(
        default=(), description="other options of the engine's submit command"
    )
    stage: Files = Field(default=(), description="files and directories that are copied to {input} before")
    verify: Annotated[tuple[str, ...], BeforeValidator(_split), Executes("it checks the result")] = Field(
        default=(), description="command that ends with exit code 0 if the result is right"
    )
    directory: Annotated[Path, Executes("Python and Java load what is in it")] = Field(
        default_factory=Path.cwd, description="working directory of the job"
    )

    @property
    def checked_by(self) -> CheckedBy:
        return OWN if self.verify else NOBODY

    @property
    def paths(self) -> list[Path]:
        """What every node must see."""
        named = (*self.py_files, *self.jars, *self.files, *self.archives, *self.stage)
        return [
            self.program,
            self.directory,
            *(Path(word.partition("#")[0]) for word in named if not _URI.match(word)),
        ]

    @property
    def own_program(self) -> Path | None:
        return self.program

    @property
    def named_roles(self) -> frozenset[str]:
        staged = ["{input}"] if self.stage else []
        return named([*self.arguments, *self.verify, *staged]) & SHARED_ROLES

    def prepare(self, layout: Layout) -> Sequence[Command]:
        if not self.stage:
            return []
        words = ["--to", layout.places["input"].path]
        words += [word for path in self.stage for word in ("--from", f"{Path(path).name}={path}")]
        return [tablework.table_program(layout, "stage", "stage", words)]

    def job(self, prepared: Prepared) -> Job:
        return Job(
            self.name or self.program.name,
            str(self.program),
            _filled(self.arguments, prepared.layout),
            options=self.options,
            dependencies=Dependencies(
                self.main_class, self.py_files, self.jars, self.files, self.conf,
                archives=self.archives, packages=self.packages, driver_memory=self.driver_memory,
            ),
            directory=self.directory,
            output=prepared.layout.outcome(STDOUT),
        )  # fmt: skip

    def check(self, prepared: Prepared) -> Sequence[Command]:
        """The user's own command, on the head node."""
        if not self.verify:
            return []
        words = ["--command", json.dumps(_filled(self.verify, prepared.layout))]
        words += ["--directory", str(self.directory)]
        return [tablework.table_program(prepared.layout, "check", "owncheck", words)]

    def judge(self, results: Results) -> Judgement:
        found = results.checked[0] if results.checked else {}
        facts = {"check": dict(found)} if found else {}
        return Judgement(not found.get("reason"), found.get("reason", ""), 0, 0, facts=facts)


def named(words: Sequence[str]) -> frozenset[str]:
    """What the marks in them name: roles, and what the job printed."""
    return frozenset(mark for mark in (*SHARED_ROLES, STDOUT) if any(f"{{{mark}}}" in word for word in words))


def _filled(words: Sequence[str], layout: Layout) -> list[str]:
    """With the directories of the roles that were requested, and the file of what the job printed."""
    known: Mapping[str, str] = {
        **{f"{{{role}}}": place.path for role, place in layout.places.items() if role in SHARED_ROLES},
        "{stdout}": str(layout.outcome(STDOUT)),
    }
    return [_replaced(word, known) for word in words]


def _replaced(word: str, known: Mapping[str, str]) -> str:
    for mark, text in known.items():
        word = word.replace(mark, text)
    return word
