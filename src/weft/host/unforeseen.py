"""Errors that no code expected, as one sentence: of the machine, or a mistake of weft's own."""

import errno
import os
import tempfile
import traceback
from pathlib import Path

from weft.errors import WeftError
from weft.host import settings
from weft.text.verbosity import CHOSEN


def explained(error: Exception, record: Path | None = None) -> WeftError:
    """What it means for a user; of a mistake of weft's own, with the file of its traceback, in the record if there is one."""
    return _of_the_machine(error) if isinstance(error, OSError) else _of_weft(error, record)


def _of_the_machine(error: OSError) -> WeftError:
    """A full, foreign, missing or broken file system, as one sentence that names the file."""
    named = error.filename if isinstance(error.filename, (str, bytes)) else str(error.filename or "")
    path = Path(os.fsdecode(named))
    what = f"{path}: {(error.strerror or str(error)).lower()}" if named else str(error)
    full = error.errno in {errno.ENOSPC, errno.EDQUOT}
    for variable, text in settings.directories().items():
        if named and (path.is_relative_to(text) or Path(text).is_relative_to(path)):
            own = f"set {variable} to a directory {'on another disk' if full else 'that you own'}"
            return WeftError(what, hint=f"make room there, or {own}" if full else own)
    return WeftError(what, hint="check the path, its owner and the free space of its file system")


def _of_weft(error: Exception, record: Path | None) -> WeftError:
    """Where its traceback is, for those who fix it."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix="weft-traceback-", suffix=".txt", dir=record, delete=False
    ) as file:
        file.writelines(traceback.format_exception(error))
    if CHOSEN.verbose:
        traceback.print_exception(error)
    text = f"{type(error).__name__}: {error}".splitlines()[0]
    return WeftError(
        f"weft itself failed: {text}", hint=f"report it to those from whom you have weft, with {file.name}"
    )
