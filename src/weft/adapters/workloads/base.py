"""What an engine has to do, and what a correct result is."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from weft.facts.checked import NOBODY, PROGRAM, CheckedBy
from weft.facts.roles import Role
from weft.layout.job import Job
from weft.layout.jvm import core
from weft.layout.plan import Command, Layout

Outcome = Mapping[str, Any]
"""The contents of a program's JSON file."""


@dataclass(frozen=True)
class Checker:
    """A program that checks a result without the engine."""

    program: str
    """Its main class, or its module."""
    reads: str
    """What of the run it reads, and what it compares that with."""
    mutants: tuple[str, ...]
    """Wrong results that it is tested to refuse: one by words of its test's name, a set of them by the name of its Java enum.

    `without` and a constant of the enum follow where that one leaves the result right.
    """
    tests: tuple[str, ...]
    """Which files have these tests, without endings; a set is tested by a method, whose name follows that of its file."""


@dataclass(frozen=True)
class Judgement:
    """Whether the result is correct, why not, and how many bytes the measured part read and wrote."""

    valid: bool
    reason: str
    bytes_in: int
    bytes_out: int
    seconds: float | None = None
    """Duration of the engine's call, measured by the program; excludes the start of the driver."""
    facts: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, ran: Outcome, reason: str, facts: Mapping[str, Any], *, valid: object = True) -> "Judgement":
        """The verdict on a job that reports its bytes and seconds itself."""
        right = bool(valid) and not reason
        return cls(right, reason, ran.get("bytes_in", 0), ran.get("bytes_out", 0), ran.get("seconds"), facts)


@dataclass(frozen=True)
class Prepared:
    """Where the measured work finds its input."""

    layout: Layout
    outcomes: Sequence[Outcome] = ()
    """Of the programs that generated it, in their order."""


@dataclass(frozen=True)
class Results:
    """What the programs of the three phases reported."""

    prepared: Sequence[Outcome]
    ran: Outcome
    checked: Sequence[Outcome] = ()


class ClusterUse(BaseModel, ABC):
    """What a cluster is for: a workload, or its user's own commands."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    positional: ClassVar[str] = "size"
    lists: ClassVar[frozenset[str]] = frozenset()
    kind: str
    engines: ClassVar[tuple[str, ...]] = ()
    """Supported engines."""
    roles: ClassVar[tuple[str, ...]] = ("scratch",)
    """Storage roles in use."""
    optional: ClassVar[frozenset[str]] = frozenset()
    """Those in use if they are requested."""
    checker: ClassVar[Checker | None] = None
    """What checks its result; None if there is only an exit code."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Services that the run must have."""
    keeps_input: ClassVar[bool] = False
    """Whether its input follows from the arguments of the programs that make it, is in its directory only, and stays as it is."""
    own_data: ClassVar[bool] = False
    """Whether each of its tasks has as much data of its own, so that more tasks are more data."""
    libraries: ClassVar[Mapping[str, str]] = {}
    """By engine: the distribution with jars that its job needs besides the engine's."""
    time_limit: ClassVar[float] = 3600.0
    """Seconds after which its work is ended, if the user gives no other limit."""

    @property
    def measured(self) -> "Workload | None":
        """The workload; None for a cluster of its user's own commands, which several engines can share."""
        return None

    @property
    def named_roles(self) -> frozenset[str]:
        """Optional roles without which it cannot run, because its arguments name their directories."""
        return frozenset()

    @property
    def checked_by(self) -> CheckedBy:
        """Who checks its result, as records have it."""
        return PROGRAM if self.checker else NOBODY

    def checked_on(self, engine: str) -> CheckedBy:  # noqa: ARG002 - for workloads whose checker is an engine
        """The same, where an engine runs it."""
        return self.checked_by

    @property
    def runs_on(self) -> tuple[str, ...]:
        """Engines that support it with these parameters."""
        return self.engines

    @property
    def takes(self) -> Mapping[Role, int]:
        """Bytes that its files take at least, by role; nothing where that is not known before."""
        return {}

    @property
    def amount(self) -> Mapping[str, float]:
        """The key that says how much data all its tasks have together, with its value, so that twice as much is twice the work;
        nothing where no key does."""
        return {}

    @property
    def tasks_key(self) -> str:
        """The key that fixes the number of its tasks, or of those that read a shuffle."""
        return "partitions"

    @property
    def unpredicted(self) -> str:
        """Why its time does not follow from its work, as a clause; empty if it does."""
        return ""

    @property
    def paths(self) -> list[Path]:
        """Existing files and directories of the user that every node must see."""
        return []

    @property
    def own_program(self) -> Path | None:
        """The program of the user that its job is, if it is one."""
        return None

    @property
    def purpose(self) -> str:
        """Its description in `weft ps`."""
        return f"run {self.kind}"

    def require_files(self) -> None:
        """Raises ValueError if files that it reads are not those that it needs; asked where the nodes share this host's files."""

    def require_engine(self, kind: str) -> None:
        """Raises MisreadError if an engine does not run it with these parameters."""

    def require_layout(self, layout: Layout) -> None:
        """Raises UsageError if it cannot run with these parameters on so many nodes and slots."""

    @property
    def compressed(self) -> bool:
        """Whether a cluster that is started for it compresses what is shuffled, where that is no setting of a job."""
        return True

    def generated(self, layout: Layout) -> Mapping[Path, str]:  # noqa: ARG002
        """Generated files that its programs read, beside those of the engine: text by path."""
        return {}


class Workload(ClusterUse):
    """Parameters of a workload. All methods are pure; `run.py` executes what they return."""

    @property
    def measured(self) -> "Workload":
        return self

    def prepare(self, layout: Layout) -> Sequence[Command]:  # noqa: ARG002 - for workloads with an input
        """Programs that generate the input, run concurrently on their nodes."""
        return []

    @abstractmethod
    def job(self, prepared: Prepared) -> Job:
        """The measured work."""

    def check(self, prepared: Prepared) -> Sequence[Command]:  # noqa: ARG002 - for users' own jobs
        """Programs that check the result without the engine, run one after another."""
        return []

    @abstractmethod
    def judge(self, results: Results) -> Judgement:
        """The verdict on the result, from the results of the three phases."""


def all_facts(ran: Outcome, found: Outcome) -> dict[str, Any]:
    """All that a job and its checker reported, except for verdicts and the times of phases."""
    both = {**ran, **found}
    return {key: value for key, value in both.items() if key not in {"valid", "reason", "phases"}}


def answer(layout: Layout) -> Path:
    """The file for what a job found; its checker reads it."""
    return layout.outcome("answer.txt")


def flags(values: Mapping[str, object]) -> list[str]:
    """The arguments of a program: --KEY VALUE for each."""
    return [word for key, value in values.items() for word in (f"--{key}", str(value))]


def shares(layout: Layout, parts: int, span: str = "part-") -> dict[int, dict[str, int]]:
    """By number of a node with a share of so many parts: its first one and the one after its last, as options."""
    edges = [parts * i // len(layout.nodes) for i in range(len(layout.nodes) + 1)]
    return {
        i: {f"{span}from": begin, f"{span}to": end}
        for i, (begin, end) in enumerate(pairwise(edges))
        if begin < end
    }


def generators(
    layout: Layout, main_class: str, parts: int, options: Mapping[str, object], span: str = "part-"
) -> list[Command]:
    """A generator on each node, for its share of so many parts; `span`: what the options of its share begin with."""
    nodes = layout.nodes
    return [
        program(
            layout,
            f"generate-{nodes[i].name}",
            main_class,
            {**options, **share, "threads": nodes[i].cores},
            node=i,
        )
        for i, share in shares(layout, parts, span).items()
    ]


def program(
    layout: Layout,
    name: str,
    main_class: str,
    options: Mapping[str, object],
    *,
    node: int = 0,
    heap: int = 512 << 20,
) -> Command:
    """A Java program of weft's core jar on a node, which writes its result to the record."""
    on, outcome = layout.nodes[node], layout.outcome(f"{name}.json")
    argv = [
        str(layout.java),
        f"-Xmx{heap >> 20}m",
        "-XX:+UseSerialGC",
        *core(layout),
        f"io.weft.core.{main_class}",
    ]
    return Command(
        name, on, [*argv, *flags({**options, "outcome": outcome})], layout.environment(on), outcome
    )


def heap_of(threads: int) -> int:
    """Bytes of heap of a program, each of whose threads compares a buffer of 1 MB with another."""
    return max(512 << 20, (256 << 20) + threads * (4 << 20))


def engine_job(
    layout: Layout,
    name: str,
    main_class: str,
    options: Mapping[str, object],
    arguments: Sequence[str] = (),
    **more: Any,
) -> Job:
    """A job of weft's own for the engine, which learns on how many nodes it runs, and writes its result to the record.

    `arguments`: those that are not KEY VALUE; `more`: further fields of the job.
    """
    outcome = layout.outcome()
    own = flags({**options, "executors": len(layout.nodes), "outcome": outcome})
    return Job(name, main_class, [*arguments, *own], outcome, **more)
