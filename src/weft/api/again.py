"""Runs the spec of a record again, with some flags changed."""

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from weft.api.flags import Flags
from weft.api.request import study_of
from weft.errors import UsageError, WorkloadError
from weft.record import record
from weft.record.record import Stored
from weft.run import matrix
from weft.run.progress import Progress
from weft.run.run import ClusterSource
from weft.spec.study import Study
from weft.text.entry import Entry

_LISTS = {"--set": "set", "--probe": "probes"}
"""Flags that can be given several times."""


def run(
    directory: str, flags: Sequence[str], *, trust: bool = False, source: ClusterSource | None = None
) -> Stored:
    """One run, on a cluster of `source` or of its own. Raises WorkloadError if it is not valid, or measured nothing."""
    # standard output is for the answer; a job's own output is not
    with redirect_stdout(sys.stderr):
        asked = study(directory, flags, trust=trust)
        (stored,) = matrix.run(asked, Progress(), again=True, source=source)
    if stored.verdict == "INVALID" or stored.head.measured is None:
        raise WorkloadError(
            f"{stored.directory.name} is {stored.verdict}: {stored.head.reason}",
            hint=f"weft show {stored.directory.name}",
        )
    return stored


_RENAMED = 6
"""The first schema in which delayed:lustre has the figures that it has now."""


def _require_same(stored: Stored) -> None:
    """Raises UsageError if the text of a record's spec means another file system now."""
    older = "delayed:lustre-2014"
    if stored.schema < _RENAMED and any(older in one for one in stored.head.storages.values()):
        raise UsageError(
            f"{stored.directory.name} was run on an older delayed:lustre, which is {older} now",
            hint=f"run its workload again with --scratch {older}, and start from that run",
        )


def study(directory: str, flags: Sequence[str], *, trust: bool = False) -> Study:
    """The record's spec, as changed. Raises UsageError if it has none."""
    if not (Entry(Path(directory)) / "spec.toml").exists():
        raise UsageError(f"{directory} has no file spec.toml", hint="run its workload again with weft run")
    pairs = list(zip(flags[::2], flags[1::2], strict=True))
    named: dict[str, Any] = {flag.removeprefix("--"): value for flag, value in pairs if flag not in _LISTS}
    named |= {name: tuple(value for flag, value in pairs if flag == of) for of, name in _LISTS.items()}
    found = study_of(str(Path(directory, "spec.toml")), Flags(**named, trust=trust))
    if (Entry(Path(directory)) / "record.json").exists():
        _require_same(record.read(Path(directory)))
    return found
