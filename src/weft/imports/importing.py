"""Makes a record from a log: nodes, slots and the run phase are those that the log says."""

import json
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weft.errors import StorageError, UsageError
from weft.imports import avro, flinkarchive
from weft.imports.found import Found, found_in
from weft.imports.recognize import Log, recognize
from weft.imports.unpack import plain_name, unpack
from weft.record import record as records
from weft.record.record import Record, Stored

_ENGINES = {"spark": "spark", "mapreduce": "hadoop", "flink": "flink"}
_UNSEEN = (
    "weft did not observe this cluster: waiting for processors and file calls have no name in a log;"
    " `weft submit` of the same job names them"
)


def import_log(path: Path, runs: Path) -> Stored:
    """A new record from a log. Raises UsageError where it is none, and leaves nothing behind then."""
    log = recognize(path)
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-imported-{log.kind}-{os.urandom(2).hex()}"
    record = records.create(runs, name, "", {})
    try:
        gaps = _copy(log, record.directory / "engine")
        found = found_in(record.directory / "engine", log.kind)
        _require_tasks(path, found, gaps)
        _write(record, path, log, found, gaps)
    except BaseException as error:
        shutil.rmtree(record.directory, ignore_errors=True)
        if isinstance(error, OSError):
            raise StorageError(f"{path} could not be imported: {error}") from error
        raise
    return records.read(record.directory)


def _require_tasks(path: Path, found: Found, gaps: Sequence[str]) -> None:
    if found.tasks:
        return
    why = "; ".join([*gaps, *found.gaps])
    raise UsageError(
        f"{path} says nothing of any task that ended{f': {why}' if why else ''}",
        hint="it may be cut off before the first task; name the whole log",
    )


def _copy(log: Log, folder: Path) -> list[str]:
    """The log in the record's form. Returns what of it could not be read."""
    gaps = []
    for path in log.files:
        plain = folder / plain_name(path.name)
        gaps += unpack(path, plain)
        if log.kind == "flink":
            gaps += flinkarchive.write(plain, folder / "flink.json", path.name)
            plain.unlink()
        elif log.kind == "mapreduce":
            gaps += _history(plain, path)
    return gaps


def _history(plain: Path, path: Path) -> list[str]:
    """A job history has the ending of one, is JSON, and has the job's settings beside it."""
    gaps: list[str] = []
    data = plain.read_bytes()
    if data.startswith(avro.MAGIC):
        plain.write_text("".join(f"{line}\n" for line in avro.lines(data, gaps)))
    target = plain if plain.suffix == ".jhist" else plain.with_name(f"{plain.name}.jhist")
    plain.rename(target)
    settings = path.with_name(f"{path.name.split('-', 1)[0]}_conf.xml")
    if settings.is_file():
        shutil.copyfile(settings, target.with_name(settings.name))
    return [f"{path.name}: {gap}" for gap in gaps]


def _write(record: Record, path: Path, log: Log, found: Found, gaps: Sequence[str]) -> None:
    """What a run of weft writes itself: nodes, settings, the run phase and the end."""
    source = str(path.resolve())
    for event, at in (("phase-begin", found.begin), ("phase-end", found.end)):
        with (record.directory / "events.jsonl").open("a") as file:
            file.write(json.dumps({"t": at, "event": event, "phase": "run"}) + "\n")
    records.write_json(record.directory / "resolved.json", _resolved(log, found))
    record.update(
        workload=found.name,
        engine=_ENGINES[log.kind],
        nodes=f"imported:{len(found.nodes)}",
        imported={"log": source, "begin": found.begin},
        phase="run",
        phases={"run": round(found.end - found.begin, 3)},
        facts={"application": found.app, "log": source},
        gaps=[*gaps, *found.assumed, _UNSEEN],
        verdict="UNCHECKED",
    )
    record.release()


def _resolved(log: Log, found: Found) -> Mapping[str, Any]:
    return {
        "spec": {"workload": {"kind": found.name}, "engine": {"kind": _ENGINES[log.kind], "version": found.version}, "settings": found.settings},
        "nodes": [{"name": name, "address": name, "cores": cores} for name, cores in found.nodes.items()],
        "derived": {"slots": str(found.slots), "slots are": found.slots_are},
    }  # fmt: skip
