"""One run on disk: sufficient to create its report on another machine.

Contents of a record, written during the run, so that the record of a killed run is readable too:
    record.json      schema, id, user and workload, current phase, verdict, phases in seconds, bytes, facts
    spec.toml        the request, as text
    resolved.json    the whole spec, the nodes and places, versions, derived values
    plan/            every generated file, and commands.json: each daemon and program with its arguments
    events.jsonl     {"t": seconds since the epoch, "event": name, ...}: phases, daemons, losses
    samples.parquet  t, node, process, counter, value (cumulative), and labels; samples*.csv during the run
    sources.json     by counter: unit, source, what the source misses
    calibration.json ceilings of the machines, the storages and the network that it used, or why there are none
    outcomes/        the results of each program, JSON; answer.txt: what the job found
    PROBE.json       what a probe left at the end, or files PROBE/*.json, one for each node or role
    engine/          the engine's job history (Spark: the event log)
    logs/NODE/       output of every daemon and program
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weft import __version__
from weft.errors import RecordError, UsageError
from weft.facts.loglines import DAMAGED
from weft.record.head import Head, lenient
from weft.record.migrations import SCHEMA, migrated
from weft.text import entry
from weft.text.entry import Entry

_SILENT = 120.0
"""Seconds without a change after which a writer on another host is considered dead; samples come each second."""

_RESERVE, _RESERVED = ".reserve", 1 << 16
"""A file, and its size: space for the verdict if a run has filled the disk."""

LABEL = r"^[\w.:+-]{1,64}$"
"""A word by which users call runs."""
PHASES = ("acquire", "storage", "start", "prepare", "run", "check", "stop")


def process_start(pid: int) -> str:
    """The start time of a process, in clock ticks since boot (proc(5), field 22): with its PID, it identifies the process."""
    return (
        Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19]
    )


def write_json(path: Path, value: Any) -> None:
    """Write atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    entry.write(path, json.dumps(value, indent=1, default=str) + "\n")


@dataclass
class Record:
    """A record being written."""

    directory: Path
    head: Head = field(default_factory=Head)

    @property
    def name(self) -> str:
        return self.directory.name

    def note(self, event: str, **what: Any) -> None:
        """Append an event."""
        line = json.dumps({"t": time.time(), "event": event, **what}, default=str) + "\n"
        (Entry(self.directory) / "events.jsonl").append(line.encode())

    def release(self) -> None:
        """Free the space that was reserved for the verdict on a full disk."""
        (self.directory / _RESERVE).unlink(missing_ok=True)

    def update(self, **what: Any) -> None:
        """Change values in record.json."""
        self.head = self.head.changed(**what)
        write_json(self.directory / "record.json", self.head.written())

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time a phase; after an error, the phase remains the current one."""
        assert name in PHASES
        begin = time.monotonic()
        self.update(phase=name)
        self.note("phase-begin", phase=name)
        try:
            yield
        finally:
            seconds = time.monotonic() - begin
            self.note("phase-end", phase=name)
            self.update(
                phases={
                    **self.head.phases,
                    name: round(self.head.phases.get(name, 0) + seconds, 3),
                }
            )


def create(runs: Path, name: str, spec_text: str, about: Mapping[str, Any]) -> Record:
    """A new record's directory. Raises UsageError if it cannot be created."""
    directory = runs / name
    try:
        directory.mkdir(parents=True, mode=0o700)
    except OSError as error:
        raise UsageError(
            f"cannot create the record {directory}: {error.strerror}",
            hint="set WEFT_RUNS to a directory that you own",
        ) from error
    for folder in ("plan", "outcomes", "engine", "logs"):
        (directory / folder).mkdir()
    entry.write(directory / "spec.toml", spec_text)
    # random, so that no file system compresses it
    (Entry(directory) / _RESERVE).append(os.urandom(_RESERVED))
    record = Record(directory)
    created = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    record.update(
        schema=SCHEMA,
        id=name,
        weft=__version__,
        created=created,
        host=os.uname().nodename,
        verdict="RUNNING",
        **about,
    )
    record.update(pid=os.getpid(), pid_start=process_start(os.getpid()))
    return record


@dataclass(frozen=True)
class Stored:
    """A record that is read."""

    directory: Path
    head: Head
    schema: int = SCHEMA
    """The schema with which it was written."""

    @property
    def folder(self) -> Entry:
        """Its files."""
        return Entry(self.directory)

    @property
    def verdict(self) -> str:
        """VALID, INVALID, UNCHECKED, RUNNING, or KILLED if the writer died without a verdict."""
        return "KILLED" if self.head.verdict == "RUNNING" and not self.alive() else self.head.verdict

    def alive(self) -> bool:
        """Whether its writer is alive; for a writer on another host, by the age of its files."""
        if self.head.host != os.uname().nodename:
            return time.time() - self._last_word() < _SILENT
        try:
            return process_start(self.head.pid) == self.head.pid_start
        except (OSError, IndexError):
            return False

    def _last_word(self) -> float:
        """When its writer last wrote an event or a sample: seconds since the epoch, 0 if never."""
        found = [float(event["t"]) for event in self.events()[-1:]]
        for path in self.directory.glob("samples*.csv"):  # nodes on other hosts have files of their own
            with suppress(OSError, ValueError, IndexError):
                last = (self.folder / path.name).part(4096, end=True).splitlines()[-2]
                found.append(float(last.split(b",")[0]))
        return max(found, default=0.0)

    def json(self, name: str) -> Any:
        """A JSON file of the record in the current schema, or {} if it does not exist."""
        try:
            found = (self.folder / name).json()
        except FileNotFoundError:
            return {}
        return migrated(name, found, self.schema) if isinstance(found, dict) else found

    def events(self) -> list[dict[str, Any]]:
        """All complete lines of events.jsonl."""
        with suppress(OSError):
            return parsed((self.folder / "events.jsonl").text())[0]
        return []


def parsed(text: str) -> tuple[list[dict[str, Any]], int]:
    """The events of a text, and how many of its lines are damaged."""
    found, lines = [], text.splitlines()
    for line in lines:
        with suppress(*DAMAGED):
            event = entry.decode(line)
            found.append({**event, "t": float(event["t"]), "event": str(event["event"])})
    return found, len(lines) - len(found)


def page_path(directory: Path, name: str) -> Path:
    """Where a page about a record is written: in it, or in the current directory if it belongs to another user."""
    if directory.stat().st_uid == os.geteuid():
        return directory / name
    return Path.cwd() / f"{directory.name}-{name.rpartition('/')[2]}"


def read(directory: Path) -> Stored:
    """Open a record. Raises RecordError if it is not one, or if a newer weft wrote it."""
    try:
        head = (Entry(directory) / "record.json").json()
    except (OSError, *DAMAGED) as error:
        raise _no_record(directory, error) from error
    schema = head.get("schema") if isinstance(head, dict) else None
    if type(schema) is not int or schema < 1:
        raise _no_record(directory, "record.json has no schema")
    if schema > SCHEMA:
        raise RecordError(
            f"{directory} was written by weft {head.get('weft')}, which is newer: it has schema {schema}, and this weft reads up to {SCHEMA}",
            hint="read it with that weft, or a later one",
        )
    return Stored(directory, lenient(Head, migrated("record.json", head, schema)), schema)


def _no_record(directory: Path, why: object) -> RecordError:
    return RecordError(f"{directory} is not a record: {why}", hint="list the records with `weft runs`")


def find(runs: Path, name: str) -> Stored:
    """A record by its path, its name, a unique beginning or end of its name, or `last`."""
    with suppress(OSError):  # the name is too long for a path
        if (Path(name) / "record.json").exists():
            return read(Path(name))
    if name == "last" and (known := all_records(runs)):
        return known[-1]
    there = [path.parent for path in sorted(runs.glob("*/record.json"))]
    matching = [path for path in there if path.name == name] or [path for path in there if name in path.name]
    if len(matching) != 1:
        what = "no record" if not matching else f"{len(matching)} records"
        verb = "match" if matching else "matches"
        hint = "list them with `weft runs`; `last` is the newest"
        if not there:
            hint = "records are in runs of the directory where weft was called, or in WEFT_RUNS: go there, or set it"
        raise UsageError(f"{what} in {runs} {verb} {name!r}", hint=hint)
    return read(matching[0])


def all_records(runs: Path) -> list[Stored]:
    """Every readable record, oldest first."""
    return _sorted(runs)[0]


def broken(runs: Path) -> dict[Path, RecordError]:
    """Records that are not readable, and why."""
    return _sorted(runs)[1]


def _sorted(runs: Path) -> tuple[list[Stored], dict[Path, RecordError]]:
    found, unreadable = [], {}
    for path in sorted(runs.glob("*/record.json")):
        try:
            found.append(read(path.parent))
        except RecordError as error:
            unreadable[path.parent] = error
    return sorted(found, key=lambda record: (record.head.begun, record.directory.name)), unreadable
