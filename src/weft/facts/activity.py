"""What a running job does, as its engine's log says while it grows: jobs, stages and tasks."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from weft.text.entry import Entry

_MOST = 1 << 24
"""Bytes that are read of a log at once: of one that has more already, only its end."""


@dataclass
class StageActivity:
    """A stage, a vertex, or a phase of a job. Counts are of tasks."""

    name: str
    total: int = 0
    done: int = 0
    failed: int = 0
    ended: bool = False
    percent: bool = False
    """Whether `done` of 100 is a share of its work, because the engine counts no tasks."""


@dataclass
class Activity:
    """Counts of everything until now."""

    jobs: int = 0
    """Begun."""
    jobs_done: int = 0
    stages: dict[str, StageActivity] = field(default_factory=dict)
    """By what identifies them, in the order of their beginning."""
    bytes_read: int = 0
    """By tasks that have ended: of input and of shuffles."""

    @property
    def tasks(self) -> StageActivity:
        """The sums over all stages."""
        found = StageActivity("")
        for stage in self.stages.values():
            if not stage.percent:
                found.total += max(stage.total, stage.done)
                found.done += stage.done
                found.failed += stage.failed
        return found


class ActivityReader(Protocol):
    """Reads what was added to the logs of a record since it was asked last."""

    def update(self, record: Entry) -> Activity:
        """Everything that is known by now."""


@dataclass
class Growing:
    """The lines that are added to files."""

    offsets: dict[str, int] = field(default_factory=dict)
    """By file: bytes that were read."""
    rest: dict[str, bytes] = field(default_factory=dict)
    """The beginning of its last line."""

    def lines(self, file: Entry, name: str = "") -> Iterator[bytes]:
        """Whole lines that were added since the last call. `name`: of the file, if it is renamed when it is complete."""
        name = name or str(file)
        with file.stream() as data:
            size = data.seek(0, 2)
            begin = self.offsets.get(name, 0)
            skipped = size - begin > _MOST
            begin = size - _MOST if skipped else min(begin, size)
            data.seek(begin)
            text = data.read(_MOST)
        self.offsets[name] = begin + len(text)
        first, *lines = text.split(b"\n")
        held = b"" if skipped else self.rest.get(name, b"")
        if not lines:
            self.rest[name] = held + first
            return
        if not skipped:
            yield held + first
        yield from lines[:-1]
        self.rest[name] = lines[-1]


@dataclass
class LogActivity(ABC):
    """What the lines of some logs of a record say."""

    logs: ClassVar[str]
    """Pattern of their paths in the record."""
    growing: Growing = field(default_factory=Growing)
    found: Activity = field(default_factory=Activity)

    def update(self, record: Entry) -> Activity:
        """Everything that is known by now."""
        for file in record.files(self.logs):
            for line in self.growing.lines(file):
                self.read(line)
        return self.found

    @abstractmethod
    def read(self, line: bytes) -> None:
        """Counts what one line says."""
