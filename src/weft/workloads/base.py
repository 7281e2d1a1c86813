"""What is asked of the engine, and what a right answer is."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict

from weft.layout.jvm import core
from weft.layout.places import Role
from weft.layout.plan import Command, Job, Layout

Outcome = Mapping[str, Any]
"""What a program left in its JSON file."""


CheckedBy = Literal["an independent program", "the job against the generator's formula", ""]
"""Who says that a result is right; empty where nobody but an exit code does."""
PROGRAM: Final = "an independent program"
JOB: Final = "the job against the generator's formula"
NOBODY: Final = ""


@dataclass(frozen=True)
class Judgement:
    """Whether the result is right, why not, and how many bytes went in and out of the measured part."""

    valid: bool
    reason: str
    bytes_in: int
    bytes_out: int
    seconds: float | None = None
    """Of the engine call alone, by the program's own clock; the driver's start is outside."""
    facts: Mapping[str, Any] = field(default_factory=dict)


class Workload(BaseModel, ABC):
    """Parameters of a piece of work. All methods are pure; `run.py` does what they say."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    positional: ClassVar[str] = "size"
    lists: ClassVar[frozenset[str]] = frozenset()
    kind: str
    engines: ClassVar[tuple[str, ...]] = ()
    """Engines it is offered on."""
    roles: ClassVar[tuple[str, ...]] = ("shuffle",)
    """Roles of storage that it uses."""
    checked_by: ClassVar[CheckedBy]
    """Who says that its result is right."""

    @property
    def takes(self) -> Mapping[Role, int]:
        """Bytes that its files take at least, by role; nothing where that is not known before."""
        return {}

    @property
    def paths(self) -> list[Path]:
        """Existing files and directories of its user that every node has to see."""
        return []

    @property
    def purpose(self) -> str:
        """What `weft ps` says of a command that does it."""
        return f"run {self.kind}"

    @abstractmethod
    def prepare(self, layout: Layout) -> Sequence[Command]:
        """Programs that make the input, to be run at once on their nodes."""

    @abstractmethod
    def job(self, layout: Layout, prepared: Sequence[Outcome]) -> Job:
        """The measured work."""

    @abstractmethod
    def check(self, layout: Layout, prepared: Sequence[Outcome]) -> Sequence[Command]:
        """Programs that examine the result, independent of the engine, to be run one after another."""

    @abstractmethod
    def judge(self, prepared: Sequence[Outcome], ran: Outcome, checked: Sequence[Outcome]) -> Judgement:
        """The verdict on the result, from what the three phases left."""


def program(
    layout: Layout,
    name: str,
    main_class: str,
    arguments: Sequence[str],
    *,
    node: int = 0,
    heap: int = 512 << 20,
) -> Command:
    """A Java program of weft's core jar on a node, leaving its outcome in the record."""
    on = layout.nodes[node]
    outcome = layout.record / "outcomes" / f"{name}.json"
    argv = [
        str(layout.java),
        f"-Xmx{heap >> 20}m",
        "-XX:+UseSerialGC",
        *core(layout),
        main_class,
    ]
    return Command(name, on, [*argv, *arguments, "--outcome", str(outcome)], layout.environment(on), outcome)
