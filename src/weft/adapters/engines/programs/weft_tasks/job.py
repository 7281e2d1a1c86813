"""What weft's jobs share: options, times of phases, the outcome, parts of the input and of the output."""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self

FLAGS = {"keep-going", "standard"}
"""Options without a value."""
REPEATED = {"table", "query"}
"""Options of the form KEY=VALUE that may be there several times."""
SPLIT = 32 << 20
"""Bytes of a split: a task's share of the input. Of a split and what is made of it, a worker has several in memory."""


class WrongInputError(Exception):
    """The input or the output is not as it must be, in one sentence."""


class TaskCluster(Protocol):
    """An engine that runs functions as tasks. What describes a task may be an argument of another, which gets its result."""

    def __enter__(self) -> Self:
        """Connect to the run's cluster, of which all nodes are there: weft waited for them."""

    def __exit__(self, *_: object) -> None:
        """End the connection."""

    @staticmethod
    def lost(error: Exception) -> str:
        """What the engine says of a task whose worker or whose node was lost more often than it tries again; empty for any other error."""

    @property
    def slots(self) -> int:
        """Tasks that run at once."""

    def task(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Describe a task."""

    def keep(self, tasks: Sequence[Any]) -> Sequence[Any]:
        """Run tasks, and leave their results where they were made; they stand for the tasks."""

    def results(self, tasks: Sequence[Any]) -> Sequence[Any]:
        """Run tasks, and fetch their results."""

    def shuffled(
        self,
        maps: Sequence[Any],
        cut: Callable[[Any, int], Any],
        reduce: Callable[..., Any],
        parts: int,
        *more: Any,
    ) -> Sequence[Any]:
        """For each part the result of reduce(number, blocks, *more), where a block is cut(result of a map task, number)."""


@dataclass
class TaskJob:
    """A job from its options to its outcome."""

    options: dict[str, str]
    connect: Callable[[], TaskCluster]
    pairs: dict[str, dict[str, str]] = field(default_factory=dict)
    found: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    phases: dict[str, float] = field(default_factory=dict)
    measured: float = 0.0
    """Seconds of what is measured."""

    @classmethod
    def parsed(cls, words: Sequence[str], connect: Callable[[], TaskCluster]) -> "TaskJob":
        """From `--KEY VALUE` and `--FLAG`."""
        job, left = cls({}, connect), iter(words)
        for word in left:
            key = word.removeprefix("--")
            if key in REPEATED:
                name, _, value = next(left).partition("=")
                job.pairs.setdefault(key, {})[name] = value
            else:
                job.options[key] = "true" if key in FLAGS else next(left)
        return job

    def number(self, key: str) -> int:
        """An option that is an integer."""
        return int(self.options[key])

    @property
    def output(self) -> Path:
        """The directory of the result."""
        return Path(self.options["output"])

    def problem(self, why: str) -> None:
        """Say that the result is wrong, and why."""
        self.problems.append(why)

    @contextmanager
    def phase(self, name: str, *, measured: bool = False) -> Iterator[None]:
        """Time a part of the work."""
        began = time.perf_counter()
        try:
            yield
        finally:
            seconds = time.perf_counter() - began
            self.phases[name] = self.phases.get(name, 0.0) + seconds
            self.measured += seconds if measured else 0.0

    @contextmanager
    def connected(self) -> Iterator[Any]:
        """The run's cluster: a `TaskCluster`, which may have more."""
        with ExitStack() as held:
            with self.phase("start"):
                cluster = held.enter_context(self.connect())
            yield cluster

    def write(self) -> None:
        """Write the outcome; the file appears whole or not at all."""
        path = Path(self.options["outcome"])
        why = {"reason": "; ".join(self.problems)} if self.problems else {}
        times = {"seconds": self.measured, "phases": self.phases}
        part = path.with_name(f"{path.name}.part")
        part.write_text(
            json.dumps({"valid": not self.problems, **why, **self.found, **times}) + "\n", encoding="utf-8"
        )
        part.replace(path)


@dataclass(frozen=True)
class Split:
    """A stretch of an input file."""

    path: str
    begin: int
    end: int


def splits(directory: str, least: int, unit: int = 1) -> list[Split]:
    """The input in parts of whole units of bytes, at least so many if its files are large enough. Raises WrongInputError if there is none."""
    try:
        files = sorted(p for p in Path(directory).iterdir() if p.is_file() and p.name[0] not in "._")
    except FileNotFoundError as error:
        raise WrongInputError(f"The input {directory} does not exist.") from error
    if not files:
        raise WrongInputError(f"The input {directory} holds no file.")
    sizes = {path: path.stat().st_size for path in files}
    if wrong := [path for path, size in sizes.items() if size % unit]:
        raise WrongInputError(f"The input file {wrong[0]} does not hold whole records of {unit} bytes.")
    step = max(unit, min(SPLIT, -(-sum(sizes.values()) // least)) // unit * unit)
    return [
        Split(str(path), begin, min(begin + step, size))
        for path, size in sizes.items()
        for begin in range(0, size, step)
    ]


def require_empty(directory: Path) -> None:
    """Raises WrongInputError if there is a file in an output directory already."""
    if directory.is_dir() and any(directory.iterdir()):
        raise WrongInputError(f"The output directory {directory} is not empty.")
    aside(directory).mkdir(parents=True, exist_ok=True)


def aside(directory: Path) -> Path:
    """Where attempts at a part are written."""
    return directory / "_temporary"


def tidy(directory: Path) -> None:
    """Remove what attempts left."""
    shutil.rmtree(aside(directory), ignore_errors=True)  # noqa: TID251 - a directory of this job's own files


def commit(directory: Path, number: int, content: bytes | memoryview) -> int:
    """Write a part; it appears whole or not at all, whichever attempt is the first. Gives its bytes."""
    attempt = aside(directory) / f"part-{number:05d}.{os.getpid()}"
    with attempt.open("wb") as file:
        file.write(content)
    attempt.replace(directory / f"part-{number:05d}")
    return len(content)
