"""Makes a record from a log: nodes, slots and the run phase are those that the log says."""

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from io import BufferedReader
from pathlib import Path
from typing import Any

from polars.exceptions import PolarsError

from weft.errors import MissingError, StorageError, UsageError
from weft.facts.jobmetrics import JobMetrics
from weft.facts.loglines import DAMAGED
from weft.host.programs.removal import remove_tree
from weft.record import record as records
from weft.record.record import Record, Stored
from weft.run.imports.found import Found, found_in
from weft.run.imports.recognize import ApplicationLog, recognize
from weft.run.imports.unpack import LIMIT, plain_name, unpack
from weft.run.imports.zipped import unpacked
from weft.text.entry import Entry

_AVRO = b"Avro-Binary\n"
_UNSEEN = (
    "weft did not observe this cluster: run-queue wait and file calls have no name in a log;"
    " `weft submit` of the same job names them"
)


def import_log(path: Path, runs: Path, limit: int = LIMIT) -> Stored:
    """A new record from a log of at most so many bytes, decompressed. Raises UsageError where it is none, and leaves nothing
    behind then."""
    return import_read(path, runs, limit)[0]


def import_read(path: Path, runs: Path, limit: int = LIMIT) -> tuple[Stored, JobMetrics]:
    """The same, with the job metrics, which take long to read again."""
    with unpacked(path, runs, limit) as where:
        return _imported(path, recognize(path, where), runs, limit)


def _imported(path: Path, log: ApplicationLog, runs: Path, limit: int) -> tuple[Stored, JobMetrics]:
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-imported-{log.engine}-{os.urandom(2).hex()}"
    record = records.create(runs, name, "", {})
    try:
        gaps = _copy(log, record.directory / "engine", limit)
        found = found_in(Entry(record.directory) / "engine", log)
        _require_tasks(path, found, gaps)
        _write(record, path, log, found, gaps)
    except BaseException as error:
        remove_tree(str(record.directory))
        if isinstance(error, OSError):
            raise StorageError(f"{path} could not be imported: {error}") from error
        if isinstance(error, (*DAMAGED, PolarsError)):
            raise UsageError(
                f"{path} is damaged: {error or type(error).__name__}",
                hint="name a log that its engine has closed",
            ) from error
        raise
    return records.read(record.directory), found.metrics


def _require_tasks(path: Path, found: Found, gaps: Sequence[str]) -> None:
    if found.metrics.count:
        return
    why = "; ".join([*gaps, *found.metrics.gaps, *filter(None, [found.failure])])
    raise UsageError(
        f"{path} says nothing of any task that ended{f': {why}' if why else ''}",
        hint="it may be cut off before the first task; name the whole log",
    )


def _copy(log: ApplicationLog, folder: Path, limit: int) -> list[str]:
    """The log in the record's form. Returns what of it could not be read."""
    gaps = []
    for path in log.files:
        plain = folder / plain_name(path.name)
        gaps += unpack(path, plain, limit)
        limit -= plain.stat().st_size
        gaps += [f"{path.name}: {gap}" for gap in _decoded(plain)]
        gaps += log.kind.adopt(plain, path)
    return gaps


def _decoded(plain: Path) -> list[str]:
    """Lines of JSON instead of Avro's encoding of them. Returns what could not be read."""
    gaps: list[str] = []
    with plain.open("rb") as file:
        if binary := file.peek(len(_AVRO)).startswith(_AVRO):
            text = plain.with_name(".history")
            with text.open("w", encoding="utf-8") as out:
                out.writelines(f"{line}\n" for line in _of_avro(file, gaps))
    if binary:
        text.replace(plain)
    return gaps


def _of_avro(file: BufferedReader, gaps: list[str]) -> Iterator[str]:
    """Its events as lines. Raises MissingError on a Python without a module that only reading Avro needs, such as lzma."""
    try:
        from weft.run.imports import avro  # noqa: PLC0415 - every run would need that module
    except ModuleNotFoundError as error:
        raise MissingError(
            f"a job history in Avro cannot be read: {sys.executable} has no module {error.name}",
            hint="use a Python with it, or let Hadoop write mapreduce.jobhistory.jhist.format=json",
        ) from error
    return avro.lines(file, gaps)


def _write(record: Record, path: Path, log: ApplicationLog, found: Found, gaps: Sequence[str]) -> None:
    """What a run of weft writes itself: nodes, settings, the run phase and the end."""
    source = str(path.resolve())
    for event, at in (("phase-begin", found.begin), ("phase-end", found.end)):
        line = json.dumps({"t": at, "event": event, "phase": "run"}) + "\n"
        (Entry(record.directory) / "events.jsonl").append(line.encode())
    records.write_json(record.directory / "resolved.json", _resolved(log, found))
    record.update(
        workload=found.name,
        engine=log.engine,
        nodes=f"imported:{len(found.nodes)}",
        imported={"log": source, "begin": found.begin, "stream": found.stream},
        phase="run",
        phases={"run": round(found.end - found.begin, 3)},
        facts={"application": found.app, "log": source},
        gaps=[*gaps, *found.assumed, _UNSEEN],
        verdict="INVALID" if found.failure else "UNCHECKED",
        reason=found.failure,
    )
    record.release()


def _resolved(log: ApplicationLog, found: Found) -> Mapping[str, Any]:
    return {
        "spec": {"workload": {"kind": found.name}, "engine": {"kind": log.engine, "version": found.version}, "settings": found.settings},
        "nodes": [{"name": name, "address": name, "cores": cores} for name, cores in found.nodes.items()],
        "derived": {log.engine: {"slots": found.slots, "notes": {"slots are": found.slots_are}}},
    }  # fmt: skip
