"""The verb that advises: what to change about a run, tried and scored."""

import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.console import Console

from weft.cli import capacity
from weft.cli.flags import Flags
from weft.cli.look import AsJson, Run
from weft.cli.request import study_of
from weft.errors import RecordError, UsageError, WorkloadError
from weft.host import settings
from weft.record import record
from weft.report import advice, projection, terminal
from weft.report.advice import Advice, Line, Tried
from weft.report.console import console
from weft.run import matrix, rootless
from weft.run.progress import Progress
from weft.spec.study import Study

LOG = "advice.jsonl"
"""Below the records: a line for each advice that was tried."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(advise)


def advise(
    run: Run = "last",
    try_: Annotated[
        int,
        typer.Option(
            "--try", min=0, max=advice.MOST, metavar="N", help="run the first N changes beside the old run"
        ),
    ] = 0,
    rounds: Annotated[int, typer.Option(min=1, max=20, help="runs of each with --try")] = 2,
    score: Annotated[
        bool, typer.Option("--score", help="print how often intervals of tried advice held")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Say what to change about a run: at most five changes, each with its gain, its reason and how to check it.

    Example: weft advise last --try 1
    """
    log = settings.runs() / LOG
    if score:
        tried = read(log)
        _print_score(tried, as_json=as_json)
        return
    stored = record.find(settings.runs(), run)
    recorded = projection.read(stored)
    found = advice.advise(recorded, str(stored.directory), capacity.of_record(stored, recorded))
    if not try_:
        if as_json:
            print(found.model_dump_json(indent=1))
        else:
            terminal.sections([advice.section(found)], console())
        return
    lines = [line for line in found.lines if line.flags][:try_]
    if not lines:
        raise UsageError(
            f"nothing to try: no change of {found.run} that weft has a flag for helps by more than 5 %",
            hint="weft advise without --try prints what there is",
        )
    rootless.enter(_study(found.directory, ()))
    tried = attempt(found, lines, rounds)
    with log.open("a", encoding="utf-8") as out:
        out.writelines(f"{one.model_dump_json()}\n" for one in tried)
    _print_score(tried, as_json=as_json)


def attempt(found: Advice, lines: Sequence[Line], rounds: int) -> list[Tried]:
    """Run the old spec and each change in turn, as often as asked for."""
    old: list[float] = []
    new: list[list[float]] = [[] for _ in lines]
    for _ in range(rounds):
        old.append(_seconds(found.directory, ()))
        for line, times in zip(lines, new, strict=True):
            times.append(_seconds(found.directory, line.flags))
    return [
        Tried(
            run=found.run,
            change=line.change,
            flags=line.flags,
            gain=line.gain,
            low=line.low,
            high=line.high,
            old=tuple(old),
            new=tuple(times),
            real=1 - median(times) / median(old),
        )
        for line, times in zip(lines, new, strict=True)
    ]


def _seconds(directory: str, flags: Sequence[str]) -> float:
    """Seconds of one run of a record's spec with other flags. Raises WorkloadError if it is not valid."""
    # standard output is for the answer; a job's own output is not
    with redirect_stdout(sys.stderr):
        (stored,) = matrix.run(_study(directory, flags), Progress(Console(stderr=True)), again=True)
    seconds = stored.head.get("measured")
    if stored.verdict == "INVALID" or not isinstance(seconds, (int, float)):
        raise WorkloadError(
            f"{stored.directory.name} is {stored.verdict}: {stored.head.get('reason', '')}",
            hint=f"weft show {stored.directory.name}",
        )
    return float(seconds)


def _study(directory: str, flags: Sequence[str]) -> Study:
    return study_of(str(Path(directory, "spec.toml")), _flags(flags))


def _flags(words: Sequence[str]) -> Flags:
    pairs = list(zip(words[::2], words[1::2], strict=True))
    named = dict(pairs)
    return Flags(
        nodes=named.get("--nodes"),
        scratch=named.get("--scratch"),
        input=named.get("--input"),
        output=named.get("--output"),
        set=tuple(value for flag, value in pairs if flag == "--set"),
    )


def read(log: Path) -> list[Tried]:
    """The log of tried advice. Raises RecordError that names a broken line."""
    rows = []
    for number, line in enumerate(log.read_text(encoding="utf-8").splitlines() if log.exists() else [], 1):
        try:
            rows += advice.tried_from([json.loads(line)])
        except (ValueError, TypeError) as error:
            raise RecordError(f"{log}, line {number} is damaged: {error}", hint="remove the line") from error
    return rows


def _print_score(tried: Sequence[Tried], *, as_json: bool) -> None:
    if as_json:
        rows = [{**one.model_dump(), "held": one.held} for one in tried]
        print(json.dumps(rows, indent=1))
    elif tried:
        terminal.sections([advice.score(tried)], console())
    else:
        print(f"no advice was tried yet: {settings.runs() / LOG} does not exist or is empty")
