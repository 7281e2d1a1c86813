"""Runs the spec of a record again, with some flags changed."""

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

from rich.console import Console

from weft.cli.flags import Flags
from weft.cli.request import study_of
from weft.errors import WorkloadError
from weft.record.record import Stored
from weft.run import matrix
from weft.run.progress import Progress
from weft.spec.study import Study


def run(directory: str, flags: Sequence[str]) -> Stored:
    """One run. Raises WorkloadError if it is not valid, or measured nothing."""
    # standard output is for the answer; a job's own output is not
    with redirect_stdout(sys.stderr):
        (stored,) = matrix.run(study(directory, flags), Progress(Console(stderr=True)), again=True)
    if stored.verdict == "INVALID" or not isinstance(stored.head.get("measured"), (int, float)):
        raise WorkloadError(
            f"{stored.directory.name} is {stored.verdict}: {stored.head.get('reason', '')}",
            hint=f"weft show {stored.directory.name}",
        )
    return stored


def study(directory: str, flags: Sequence[str]) -> Study:
    """The record's spec, as changed."""
    pairs = list(zip(flags[::2], flags[1::2], strict=True))
    named = dict(pairs)
    changed = Flags(
        engine=named.get("--engine"),
        nodes=named.get("--nodes"),
        scratch=named.get("--scratch"),
        input=named.get("--input"),
        output=named.get("--output"),
        set=tuple(value for flag, value in pairs if flag == "--set"),
    )
    return study_of(str(Path(directory, "spec.toml")), changed)
