"""The verb that advises: what to change about a run, tried and scored."""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Annotated

import typer

from weft.cli import again, alike, capacity
from weft.cli.look import AsJson, Run
from weft.errors import RecordError, UsageError
from weft.host import settings
from weft.record import record
from weft.report import advice, projection, terminal
from weft.report.advice import Advice, Line, Tried
from weft.report.console import console
from weft.run import rootless

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
    machine = capacity.of_record(stored, recorded)
    engine = stored.head.get("engine")
    others = alike.of(stored, ("workload", "host"), lambda head: head.get("engine") != engine)
    found = advice.advise(recorded, str(stored.directory), machine, others, alike.deviation(stored))
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
    rootless.enter(again.study(found.directory, ()))
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
    return float(again.run(directory, flags).head["measured"])


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
