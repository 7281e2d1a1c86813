"""What weft asks of a batch system: one class for each of them has what differs."""

import shlex
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

from weft.errors import NodeError

SUBMISSION = 180.0
"""Seconds for a program that submits: one that was stopped may have submitted already, and nobody would follow the job."""


class BatchJob(Protocol):
    """The current state of a job."""

    @property
    def number(self) -> int | str:
        """Its ID."""

    @property
    def fields(self) -> Mapping[str, str]:
        """What the batch system reports about it, as a record keeps it."""

    @property
    def nodes(self) -> str:
        """Its hosts as text; empty before it has some."""

    @property
    def exit_code(self) -> int:
        """Of its script; 128 + N after signal N."""

    @property
    def waiting(self) -> bool:
        """Whether it has not started."""

    @property
    def ending(self) -> bool:
        """Whether its script has ended, but not all of its nodes have reported so."""

    @property
    def ended(self) -> bool:
        """Whether it has ended."""

    @property
    def own_end(self) -> bool:
        """Whether it ended, or ends, because its script did."""

    @property
    def requeued(self) -> bool:
        """Whether it waits for a second start."""

    @property
    def hopeless(self) -> bool:
        """Whether it waits for something that will never happen."""

    def waits_for(self) -> str:
        """Why it has not started, as text."""

    def end(self) -> NodeError:
        """How it ended, if the batch system ended it or is about to."""


@dataclass(frozen=True)
class Known:
    """What is known of a job where it was submitted."""

    files: Path
    """By their stem."""
    last: BatchJob | None = None
    """What was last reported about it."""


@dataclass(frozen=True)
class Script:
    """What the script of a job consists of. `directives` are arguments of the program that submits it."""

    directives: Sequence[str]
    extra: Sequence[str]
    """Further directives of the site profile, with or without their prefix."""
    modules: Sequence[str]
    environment: Mapping[str, str]
    command: Sequence[str]
    folder: Path
    """For its output."""
    name: str
    stem: str = "JOB"
    """The name of its files there, where the batch system does not name them."""
    directory: Path | None = None
    """Where the command is called. A job of PBS or Grid Engine begins in the home directory."""


class Scheduler(ABC):
    """A batch system. Its programs are started by its own module only."""

    kind: ClassVar[str]
    title: ClassVar[str]
    """Its name for users."""
    prefix: ClassVar[str]
    """What a line of a script begins with that is a directive."""
    cancels: ClassVar[Sequence[str]]
    """The program that ends a job, with its arguments before the ID."""
    queue_hint: ClassVar[str]
    """Where a user sees queues and nodes."""
    start_hint: ClassVar[str]
    """Where a user may see when a job will start."""
    lingering: ClassVar[float] = 0.0
    """Seconds in which responding nodes end a job whose script has ended."""
    lost_hint: ClassVar[str] = ""
    """Where a user sees how a job ended that the batch system no longer knows."""
    reported: ClassVar[Sequence[str]] = ()
    """Fields of a job that its record keeps."""

    @abstractmethod
    def current(self) -> str:
        """The ID of the job in which this process runs; empty outside of jobs."""

    @abstractmethod
    def submit(self, script: Path) -> str:
        """Submit a script and return the job's ID. Raises NodeError with the reason of a refusal."""

    @abstractmethod
    def job(self, number: str, followed: Known | None = None) -> BatchJob | None:
        """A job, or None if it is no longer known. Raises WeftError if the batch system does not answer."""

    @abstractmethod
    def cancel(self, number: str) -> None:
        """Cancel a job, which may have ended already."""

    @abstractmethod
    def script(self, parts: Script) -> str:
        """The script of a job."""

    def stem(self, script: Path, number: str) -> str:  # noqa: ARG002 - another batch system names them otherwise
        """The name of a job's files in their directory, without the suffix."""
        return number

    def accounted(self, number: str) -> dict[str, str]:  # noqa: ARG002 - not every one has it
        """Accounting data about a job; empty if a site has no accounting."""
        return {}

    def gone(self, number: str) -> bool:
        """Whether a job is known not to run: its hosts are then no longer accessible."""
        now = self.job(number)
        return now is None or now.waiting or now.ended or now.ending

    def marked(self, directive: str) -> str:
        """A site's own directive as a line of a script."""
        return directive if directive.startswith("#") else f"{self.prefix} {directive}"


def prepared(parts: Script) -> list[str]:
    """Lines of a script before its command: modules, and variables. A module adds to PATH, which is therefore set before."""
    variables = {key: f"export {key}={shlex.quote(value)}" for key, value in parts.environment.items()}
    path = [variables.pop("PATH")] if "PATH" in variables else []
    return [*path, *(f"module load {shlex.quote(module)}" for module in parts.modules), *variables.values()]
