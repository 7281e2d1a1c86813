"""What a file is, by its content: an event log of Spark, a job history of MapReduce, an archive of Flink."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from weft.errors import UsageError
from weft.imports import avro, flinkarchive
from weft.imports.unpack import head

Kind = Literal["spark", "mapreduce", "flink"]

_SPARK = re.compile(rb'"Event"\s*:\s*"(?:[\w.]*\.)?SparkListener')
_HISTORY = (b"Avro-Json\n", avro.MAGIC)
_EVENT = re.compile(rb'^\{"type":"(JOB|TASK|MAP|REDUCE|AM)_\w+","event":\{', re.MULTILINE)
_NONE = (".", "_", "appstatus", "application-summary")
"""What the names of other files beside logs begin with."""
_WANTED = "weft import reads event logs of Spark, .jhist files of MapReduce and job archives of Flink's History Server"


@dataclass(frozen=True)
class Log:
    """One application's log: its files in order."""

    kind: Kind
    files: tuple[Path, ...]


def recognize(path: Path) -> Log:
    """The log at a path. Raises UsageError where there is none, or more than one."""
    if not path.exists():
        raise UsageError(f"file not found: {path}", hint=_WANTED)
    if path.is_file():
        return Log(_one(path), (path,))
    found = _inside(path)
    if not found:
        raise UsageError(f"no file in {path} is a log that weft can read", hint=_WANTED)
    if len(found) > 1:
        names = ", ".join(str(each.relative_to(path)) for each in list(found)[:3])
        raise UsageError(
            f"{path} has {len(found)} logs: {names}{', ...' if len(found) > 3 else ''}",
            hint="name one of them: each is a record of its own",
        )
    return next(iter(found.values()))


def kind_of(data: bytes) -> Kind | None:
    """What begins so; None for anything else."""
    if data.startswith(_HISTORY) or _EVENT.search(data):
        return "mapreduce"
    if _SPARK.search(data):
        return "spark"
    return "flink" if data.lstrip().startswith(b"{") and flinkarchive.START.encode() in data[:1000] else None


def _one(path: Path) -> Kind:
    data = head(path)
    if not data:
        raise UsageError(f"{path} is empty, or nothing of it could be decompressed", hint=_WANTED)
    if (kind := kind_of(data)) is None:
        raise UsageError(f"{path} is no log that weft can read", hint=_WANTED)
    return kind


def _inside(directory: Path) -> dict[Path, Log]:
    """The logs below a directory; other files, such as checksums and settings, are left alone."""
    found: dict[Path, Log] = {}
    for path in sorted(directory.rglob("*"), key=_order):
        if path.name.startswith(_NONE) or not path.is_file():
            continue
        if (data := head(path)) and (kind := kind_of(data)):
            rolled = path.parent.name.startswith("eventlog_v2_") or path.name.startswith("events_")
            key = path.parent if rolled else path
            found[key] = Log(kind, (*(found[key].files if key in found else ()), path))
    return found


def _order(path: Path) -> list[tuple[int, str]]:
    """The parts of a rolled log by their number."""
    return [(int(word), "") if word.isdigit() else (-1, word) for word in re.split(r"(\d+)", str(path))]
