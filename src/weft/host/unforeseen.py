"""Errors that no code expected, as one sentence: of the machine, or a mistake of weft's own."""

import errno
import os
import tempfile
import traceback
from collections.abc import Mapping
from pathlib import Path

from weft.errors import WeftError, why
from weft.host import settings
from weft.text.verbosity import CHOSEN

_NO_FILES = {errno.EMFILE, errno.ENFILE}
_NO_THREAD = "can't start new thread"
"""The RuntimeError of a thread that the kernel refuses, in Python's words."""
_MOST = (
    "no further process or thread can be started: `ulimit -u` shows your limit, "
    "and pids.max that of the control group of a job or a container"
)


def explained(error: Exception, record: Path | None = None) -> WeftError:
    """What it means for a user; of a mistake of weft's own, with the file of its traceback, in the record if there is one."""
    if isinstance(error, RuntimeError) and str(error) == _NO_THREAD:
        return WeftError(_NO_THREAD, hint=_MOST)
    return _of_the_machine(error) if isinstance(error, OSError) else _of_weft(error, record)


def _of_the_machine(error: OSError) -> WeftError:
    """A full, foreign, missing or broken file system, as one sentence that names the file."""
    named = error.filename if isinstance(error.filename, (str, bytes)) else str(error.filename or "")
    path = Path(os.fsdecode(named))
    what = f"{path}: {why(error).lower()}" if named else why(error)
    full = error.errno in {errno.ENOSPC, errno.EDQUOT}
    if error.errno in _NO_FILES:
        return WeftError(what, hint="allow more open files: `ulimit -n 65536`; `ulimit -Hn` shows the most")
    # Python's own text is about an output that takes nothing at the moment, the kernel's about a process
    if error.errno == errno.EAGAIN and not named and error.strerror == os.strerror(errno.EAGAIN):
        return WeftError(what, hint=_MOST)
    if error.errno == errno.ENOENT and not named and _lost():
        return WeftError("the current directory no longer exists", hint="call weft in another one")
    for variable, text in _directories().items():
        if named and (path.is_relative_to(text) or Path(text).is_relative_to(path)):
            own = f"set {variable} to a directory {'on another disk' if full else 'that you own'}"
            return WeftError(what, hint=f"make room there, or {own}" if full else own)
    return WeftError(what, hint="check the path, its owner and the free space of its file system")


def _lost() -> bool:
    """Whether the current directory was removed."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def _directories() -> Mapping[str, str]:
    """weft's own; none where they cannot be known, such as in a directory that was removed, or without a home directory."""
    try:
        return settings.directories()
    except (OSError, WeftError):
        return {}


def _of_weft(error: Exception, record: Path | None) -> WeftError:
    """Where its traceback is, for those who fix it."""
    where = _written(error, record)
    if CHOSEN.verbose or not where:
        traceback.print_exception(error)
    text = f"{type(error).__name__}: {error}".splitlines()[0]
    return WeftError(
        f"weft itself failed: {text}",
        hint=f"report it to those from whom you have weft, with {where or 'the lines above'}",
    )


def _written(error: Exception, record: Path | None) -> str:
    """The file of its traceback; empty where none can be written, such as on a full disk."""
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", prefix="weft-traceback-", suffix=".txt", dir=record, delete=False
        ) as file:
            file.writelines(traceback.format_exception(error))
    except OSError:
        return ""
    return file.name
