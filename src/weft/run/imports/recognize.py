"""What a file is, by its content: the log of which engine."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from weft.errors import UsageError
from weft.facts import logs
from weft.facts.joblog import JobLog
from weft.run.imports.unpack import head

_NONE = (".", "_", "appstatus", "application-summary")
"""What the names of other files beside logs begin with."""


@dataclass(frozen=True)
class ApplicationLog:
    """One application's log: its files in order."""

    engine: str
    kind: JobLog
    files: tuple[Path, ...]


def recognize(path: Path, unpacked: Path | None = None) -> ApplicationLog:
    """The log at a path, or in the directory to which that was unpacked. Raises UsageError where there is none, or more than one."""
    where = unpacked or path
    if not where.exists():
        raise UsageError(f"file not found: {path}", hint=_wanted())
    if where.is_file():
        return _one(path)
    if not where.is_dir():
        raise UsageError(f"{path} is neither a file nor a directory", hint=_wanted())
    found = _inside(where)
    if not found:
        raise UsageError(f"no file in {path} is a log that weft can read", hint=_wanted())
    if len(found) > 1:
        names = ", ".join(str(each.relative_to(where)) for each in list(found)[:3])
        raise UsageError(
            f"{path} has {len(found)} logs: {names}{', ...' if len(found) > 3 else ''}",
            hint="name one of them: each is a record of its own",
        )
    return next(iter(found.values()))


def recognized(data: bytes, *files: Path) -> ApplicationLog | None:
    """The log of whichever engine begins so; None for anything else."""
    return next(
        (ApplicationLog(name, kind, files) for name, kind in logs.every().items() if kind.begins(data)), None
    )


def _wanted() -> str:
    *others, last = (kind.name for kind in logs.every().values() if kind.name)
    return f"weft import reads {', '.join(others)} and {last}"


def _one(path: Path) -> ApplicationLog:
    data = head(path)
    if not data:
        raise UsageError(f"{path} is empty, or nothing of it could be decompressed", hint=_wanted())
    if (log := recognized(data, path)) is None:
        raise UsageError(f"{path} is no log that weft can read", hint=_wanted())
    return log


def _inside(directory: Path) -> dict[Path, ApplicationLog]:
    """The logs below a directory; other files, such as checksums and settings, are left alone."""
    found: dict[Path, ApplicationLog] = {}
    for path in sorted(directory.rglob("*"), key=_order):
        if path.name.startswith(_NONE) or path.is_symlink() or not path.is_file():
            continue
        if (data := head(path)) and (log := recognized(data, path)):
            rolled = path.parent.name.startswith("eventlog_v2_") or path.name.startswith("events_")
            key = path.parent if rolled else path
            found[key] = replace(log, files=(*found[key].files, path)) if key in found else log
    return found


def _order(path: Path) -> list[tuple[int, str]]:
    """The parts of a rolled log by their number."""
    return [(int(word), "") if word.isdigit() else (-1, word) for word in re.split(r"(\d+)", str(path))]
