"""The logs of a run as numbered lines, from where each of them was when a program began."""

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

from weft.errors import FailureEvidence
from weft.facts.failures import Role

_READ = 1 << 20
"""Bytes from the end of a log that are read at most."""
_STAMP = re.compile(r"^\[?(?:(?:20)?(\d\d)[-/](\d\d)[-/](\d\d)[ T])?(\d\d:\d\d:\d\d)(?:[,.]\d+)?\b")
"""The date and the time of day with which the engines' lines begin."""
_NEVER = "~"
"""After each time."""
_ERROR = re.compile(
    r"\b(ERROR|FATAL)\b(?!.*(RECEIVED SIGNAL TERM|[Dd]isconnected|disassociated))|^Exception in thread|^Error: "
)
"""Without what processes log that are ended because all is over."""
T = TypeVar("T")
LONGEST = 200
"""Characters of an exception or of a line that are quoted."""
_LOGS = {".log", ".err", ".out"}
_STREAMS = {"stderr", "stdout", "syslog"}


@dataclass(frozen=True)
class Text:
    """What a log got since a program began."""

    path: Path
    name: str
    """Within the record."""
    of: Role
    node: str
    first: int
    """The number in the file of the first of its lines."""
    lines: tuple[str, ...]
    end: int = 0
    """Where in the file the last of its lines begins, which may not be whole yet (bytes)."""

    def time(self, index: int) -> str:
        """When a line was written, as the log has it; that of the last line before it that has one; or empty."""
        return next(filter(None, map(_moment, reversed(self.lines[: index + 1]))), "")

    def until(self, index: int) -> str:
        """By when a line was written: its own time, that of the next line that has one, or that of the file."""
        if found := next(filter(None, map(_moment, self.lines[index:])), ""):
            return found
        try:
            return time.strftime("%y-%m-%d %H:%M:%S", time.localtime(self.path.stat().st_mtime))
        except OSError:
            return ""

    def stamped(self, index: int) -> bool:
        """Whether a line has a time of its own."""
        return _STAMP.match(self.lines[index]) is not None

    def evidence(self, index: int, rule: str = "", node: str = "", words: str = "") -> FailureEvidence:
        """A line of it; of a long one, the `words` that matter."""
        line = self.lines[index].strip()
        excerpt = line if len(line) <= LONGEST or not words else f"...{words[:LONGEST]}..."
        return FailureEvidence(
            self.name, self.first + index, short(excerpt), rule, node or self.node, self.time(index)[-8:]
        )

    def last(self) -> int | None:
        """The index of the last line that is not empty."""
        return max((i for i, line in enumerate(self.lines) if line.strip()), default=None)

    def first_error(self) -> int | None:
        """The index of the first line that its writer calls an error."""
        # the last line may not be whole yet
        return next((i for i, line in enumerate(self.lines[:-1]) if _ERROR.search(line)), None)


def _moment(line: str) -> str:
    """When a line was written, as text that sorts in order of time: 26-11-28 15:53:05, or 15:53:05 where it has no date; or empty."""
    match = _STAMP.match(line)
    return (
        ""
        if match is None
        else " ".join(["-".join(match.groups()[:3]), match[4]] if match[1] else [match[4]])
    )


def comparable(moments: Iterable[str]) -> list[str]:
    """When lines were written, without the dates if one has none; empty is after all others."""
    known = list(moments)
    dated = all(" " in moment for moment in known if moment)
    return [(moment if dated else moment[-8:]) or _NEVER for moment in known]


def earliest(found: Sequence[T], when: Callable[[T], tuple[str, int]]) -> T:
    """That of the first line in time, of several of one second with the lowest index."""
    whens = [when(each) for each in found]
    keys = zip(comparable(moment for moment, _ in whens), (index for _, index in whens), strict=True)
    return min(zip(keys, found, strict=True), key=lambda each: each[0])[1]


def short(text: str) -> str:
    """The first line, of a length that can be read."""
    line = text.partition("\n")[0]
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}..."


def sizes(record: Path) -> dict[Path, int]:
    """How long each log of a record is."""
    return {path: path.stat().st_size for path in _logs(record)}


def others(record: Path, own: Path, since: Mapping[Path, int]) -> list[Text]:
    """What all logs but a program's own got since."""
    found = (read(path, record, since.get(path, 0)) for path in _logs(record) if path != own)
    return [text for text in found if text.lines]


def daemons(record: Path) -> list[Path]:
    """The logs of a cluster's daemons."""
    return [path for path in _logs(record) if _whose(path, record)[0] == "daemon"]


def read(path: Path, record: Path, begin: int = 0, before: int | None = None) -> Text:
    """The end of a log, from `begin` (bytes) at most, `before` which so many lines end; without lines if it cannot be read."""
    of, node = _whose(path, record)
    name = str(path.relative_to(record)) if path.is_relative_to(record) else str(path)
    try:
        with path.open("rb") as file:
            start = max(begin, path.stat().st_size - _READ)
            known = 0 if before is None else file.seek(begin)
            first = 1 + (before or 0) + _newlines(file, start - known)
            data = file.read(_READ)
    except OSError:
        return Text(path, name, of, node, 1, ())
    lines, end = tuple(data.decode(errors="replace").split("\n")), start + data.rfind(b"\n") + 1
    return Text(path, name, of, node, first, lines, end)


def _newlines(file: BinaryIO, count_of: int) -> int:
    """How many lines end within the next so many bytes, after which the file then is."""
    count, left = 0, count_of
    while left > 0 and (part := file.read(min(left, _READ))):
        count, left = count + part.count(b"\n"), left - len(part)
    return count


def _logs(record: Path) -> list[Path]:
    found = sorted((record / "logs").rglob("*"))
    return [p for p in found if p.is_file() and (p.suffix in _LOGS or p.name in _STREAMS)]


def _whose(path: Path, record: Path) -> tuple[Role, str]:
    """The role of the process that wrote it, and its node; of a program's output: the driver's."""
    try:
        folder, *parts = path.relative_to(record).parts
    except ValueError:
        return "driver", ""
    if folder != "logs" or len(parts) < 2:
        return "driver", ""
    node, what = parts[0], parts[1]
    if any(part.endswith("_000001") for part in parts):  # the first container of an application is its master
        return "daemon", node
    if what in {"executors", "containers"} or what.startswith("taskmanager"):
        return "task", node
    if what in {"driver.log", "client.log", "jobs"}:
        return "driver", node
    return "daemon", node
