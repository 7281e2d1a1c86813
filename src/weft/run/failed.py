"""Why a program of a run failed, as one sentence, the lines that show it, and what to do."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from weft.facts.failures import Failure, named
from weft.host import shell
from weft.host.cause import cause, ends_in_python

_READ = 1 << 20
"""Bytes from the end of each further log in which a reason is sought."""
_LONGEST = 200
"""Characters of an exception that is quoted whole after its meaning."""


@dataclass(frozen=True)
class Why:
    """The reason, as far as the logs have it."""

    says: str
    """With the file and line that say so; empty if no log has a reason."""
    hint: str
    lines: Sequence[str]


def why(log: Path, output: Path | None, record: Path) -> Why:
    """The reason from the program's own log and output; where those name a consequence, from the logs of executors."""
    # spark-submit gives a Python program's standard error to its standard output
    own = output if output is not None and ends_in_python(output) else log
    exception, lines = cause(own)
    found = named([exception, *lines], "driver")
    if found is not None and not found.follows:
        # a long exception has the reason of another process in it: the words that name it are enough
        words = exception if 0 < len(exception) <= _LONGEST else found.words
        return Why(f"{found.says} ({words})", found.hint, lines)
    if exception and found is None:
        return Why(exception, "", lines)
    if other := _elsewhere(sorted(record.glob("logs/*/executors/**/std*")), record):
        path, reason, line = other
        return Why(f"{reason.says} ({path}:{reason.line})", reason.hint, [line])
    return Why(found.says if found else exception, found.hint if found else "", lines)


def _elsewhere(logs: Iterable[Path], record: Path) -> tuple[Path, Failure, str] | None:
    """The first reason in time among logs, by when each was written last."""
    written = sorted((path for path in logs if path.is_file()), key=lambda path: path.stat().st_mtime)
    for path in written:
        lines = shell.tail(path, _READ, _READ)
        found = named(lines, path.name)
        if found is not None and not found.follows:
            return path.relative_to(record), found, lines[found.line - 1]
    return None
