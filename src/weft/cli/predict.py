"""The verb that predicts: a measured job on other nodes, storages and machines."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from weft.cli import again, alike, capacity
from weft.cli.look import AsJson, Run
from weft.errors import UsageError
from weft.host import settings
from weft.model.prediction.experiments import Experiment
from weft.model.prediction.storages import listed
from weft.record import record
from weft.report import page, prediction, projection, terminal
from weft.report.console import console
from weft.report.prediction import Asked
from weft.report.projection import Recorded
from weft.run import rootless
from weft.run.progress import Progress
from weft.text.fields import MOST
from weft.text.units import parse_size

_NAME = "prediction.html"


Input = Annotated[str | None, typer.Option("--input", help="storage of the input", show_default=False)]
Output = Annotated[str | None, typer.Option("--output", help="storage of the output", show_default=False)]

MachineName = Annotated[
    str | None,
    typer.Option(
        help="a machine file (TOML), or the name of one of weft's; default: where the run was measured",
        show_default=False,
    ),
]
Cores = Annotated[int | None, typer.Option(min=1, max=4096, help="slots of a node", show_default=False)]
Runs = Annotated[
    int, typer.Option(min=0, max=4, metavar="N", help="first make at most N small runs that weft chooses")
]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(predict)


def predict(
    run: Run = "last",
    nodes: Annotated[str, typer.Option(help="numbers of nodes: 2..320, or 2,4,8")] = "1..64",
    scratch: Annotated[
        str | None,
        typer.Option(
            help="storages of scratch, one curve each: memory,pool+mount:/lustre/me", show_default=False
        ),
    ] = None,
    input_: Input = None,
    output_: Output = None,
    machine: MachineName = None,
    size: Annotated[
        str | None, typer.Option(help="size of the workload, such as 2TB", show_default=False)
    ] = None,
    partitions: Annotated[
        int | None, typer.Option(min=1, max=MOST, help="tasks of each shuffling stage", show_default=False)
    ] = None,
    cores: Cores = None,
    runs: Runs = 0,
    page_file: Annotated[
        Path | None,
        typer.Option("--page", help=f"the page; default: {_NAME} in the record", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Predict a run's time elsewhere, with its band, its knee, and how far it is from what was measured.

    Example: weft predict last --nodes 2..320 --scratch memory,pool+mount:/lustre/me --machine cori
    """
    stored = record.find(settings.runs(), run)
    recorded = projection.read(stored)
    here = capacity.of_record(stored, recorded)
    asked = Asked(
        capacity.of_file(machine) if machine else here,
        counts(nodes),
        listed(scratch) if scratch else [],
        cores,
        _size(size),
        partitions,
        {role: text for role, text in (("input", input_), ("output", output_)) if text},
    )
    tests = alike.of(stored, ("workload", "engine", "host"))
    if runs:
        tests += _run(str(stored.directory), prediction.experiments(recorded, here, asked, tests, runs))
    found = prediction.predict(recorded, here, asked, tests, alike.deviation(stored))
    if as_json:
        print(found.model_dump_json(indent=1))
        return
    terminal.sections([prediction.section(found)], console())
    print(f"  page {page.save(prediction.page(found), page_file or stored.directory / _NAME)}")


def _run(directory: str, chosen: Sequence[Experiment]) -> list[Recorded]:
    """Make the small runs."""
    progress = Progress(Console(stderr=True))
    rootless.enter(again.study(directory, ()))
    found = []
    for number, one in enumerate(chosen, 1):
        progress.say(
            f"run {number} of {len(chosen)}, to predict better: {' '.join(one.flags) or 'the same again'}"
        )
        found.append(projection.read(again.run(directory, one.flags)))
    return found


def counts(text: str) -> list[int]:
    """The numbers of nodes of `2..320`, each twice the one before it, or of `2,4,8`. Raises UsageError."""
    hint = "write --nodes 2..320 or --nodes 2,4,8"
    if match := re.fullmatch(r"(\d+)\.\.(\d+)", text.strip()):
        low, high = int(match[1]), int(match[2])
        if not 1 <= low <= high <= MOST:
            raise UsageError(f"--nodes {text}: {low} to {high} is no range of nodes", hint=hint)
        found = []
        while low < high:
            found.append(low)
            low *= 2
        return [*found, high]
    if not re.fullmatch(r"\d+(,\d+)*", text.strip()) or "0" in text.split(","):
        raise UsageError(f"--nodes {text}: neither a range nor a list of numbers above 0", hint=hint)
    return sorted({int(word) for word in text.split(",")})


def _size(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return parse_size(text)
    except ValueError as error:
        raise UsageError(f"--size: {error}", hint="write --size 2TB") from error
