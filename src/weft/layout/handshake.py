"""Which programs loaded the preload library, from the handshake files that it writes on each node.

The loader ignores a library that it cannot load, and runs the program without it: only what a program reports itself
shows that it has the library. native/scratch/README.md describes the lines.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

FILE, COMMAND, LIBRARY = "WEFT_HANDSHAKE", "WEFT_COMMAND", "LD_PRELOAD"
"""Variables: the handshake file of a node, the name of the command that weft started, the library."""
_JOBS = {
    "c": ("WEFT_COUNT_DIR", "counts no file operations"),
    "s": ("WEFT_SCRATCH_PREFIX", "does not serve the pool"),
    "p": ("WEFT_POOL_PREFIXES", "does not pool input files"),
}
"""By letter: the variable that asks for a job of the library, and what is wrong if it is not done."""


class ProcessId(NamedTuple):
    """A process, as its own pid namespace numbers it; `start` in clock ticks since boot, 0 if not known."""

    pid: int
    start: int
    space: int


@dataclass(frozen=True)
class Event:
    """A line of a handshake file."""

    kind: str
    process: ProcessId
    jobs: str
    command: str
    program: str


@dataclass(frozen=True)
class Silent:
    """A program that was executed and did not report that it has the library."""

    process: ProcessId
    command: str
    program: str
    others: int
    """Times that the same program did report it."""


def variables(environment: Mapping[str, str], directory: Path) -> dict[str, str]:
    """What a process with the preload library needs besides, to report that it has it."""
    return {FILE: str(directory / "handshake")} if environment.get(LIBRARY) else {}


def events(text: str) -> list[Event]:
    """The complete lines of a handshake file."""
    found = []
    for line in text.splitlines():
        fields = line.split("\t")
        if len(fields) == 7:
            kind, pid, start, space, jobs, command, program = fields
            found.append(Event(kind, ProcessId(int(pid), int(start), int(space)), jobs, command, program))
    return found


def silent(lines: Sequence[Event]) -> list[Silent]:
    """Programs that were executed and reported nothing.

    A process reports what it executes before, so that the next line of the same process is that of the new program. The
    line about a child comes at any time.
    """
    due: dict[ProcessId, Event] = {}
    spawned: dict[ProcessId, Event] = {}
    heard: list[str] = []
    started = set[ProcessId]()
    found = []
    for line in lines:
        if line.kind == "executes":
            if line.process in due:
                found.append(due[line.process])
            due[line.process] = line
        elif line.kind == "spawned":
            spawned[line.process] = line
        elif line.kind in {"started", "failed"}:
            if (before := due.pop(line.process, None)) and line.kind == "started":
                heard.append(before.program)
            if line.kind == "started":
                started |= {line.process, line.process._replace(start=0)}
    for process, line in spawned.items():
        (heard if process in started else found).append(line.program if process in started else line)  # type: ignore[arg-type]
    return [
        Silent(line.process, line.command, line.program, heard.count(line.program))
        for line in [*found, *due.values()]
    ]


def idle(line: Event, environment: Mapping[str, str]) -> str:
    """What the library does not do in a program though it should; empty if it does everything."""
    wrong = [
        why
        for letter, (variable, why) in _JOBS.items()
        if environment.get(variable) and letter not in line.jobs
    ]
    return " and ".join(wrong)


def programs(lines: Iterable[Event], kind: str) -> list[str]:
    """The programs of one kind of line, each once."""
    return sorted({line.program for line in lines if line.kind == kind})
