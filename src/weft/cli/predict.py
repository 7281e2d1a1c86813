"""The verb that predicts: a measured job on other nodes, storages and machines."""

import json
import math
import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from weft.analysis.predict.prediction import Prediction
from weft.api import again, predictions
from weft.cli import completing
from weft.cli.flags import AsJson, Out, Run, Scratches, Trust
from weft.errors import UsageError
from weft.facts.io500 import submissions
from weft.facts.io500.submissions import PREFIX
from weft.host import settings
from weft.record import record
from weft.report.pages import io500, page, prediction, terminal
from weft.run import rootless
from weft.text.console import console
from weft.text.fields import MOST
from weft.text.units import parse_size

_NAME = "prediction.html"
_NUMBER = re.compile(r"\d+\.?\d*")


Input = Annotated[
    str | None,
    typer.Option("--input", metavar="STORAGE", help="storage of the input", show_default=False),
]
Output = Annotated[
    str | None,
    typer.Option("--output", metavar="STORAGE", help="storage of the output", show_default=False),
]

MachineName = Annotated[
    str | None,
    typer.Option(
        help="a machine file (TOML), a calibration (JSON), the name of one of weft's, or io500:NAME; io500: lists the names; default: where the run was measured",
        show_default=False,
        autocompletion=completing.machines,
    ),
]
Cores = Annotated[int | None, typer.Option(min=1, max=4096, help="slots of a node", show_default=False)]
Runs = Annotated[
    int, typer.Option(min=0, max=4, metavar="N", help="first make at most N small runs that weft chooses")
]


def predict(
    run: Run = "last",
    nodes: Annotated[
        str, typer.Option(metavar="NUMBERS", help="numbers of nodes: 2..320, or 2,4,8")
    ] = "1..64",
    scratch: Scratches = None,
    input_: Input = None,
    output_: Output = None,
    machine: MachineName = None,
    size: Annotated[
        str | None,
        typer.Option(
            help="size of the workload, such as 2TB; where that is no number of bytes, its visits, records, rows, vertices, points or scale",
            show_default=False,
        ),
    ] = None,
    partitions: Annotated[
        int | None, typer.Option(min=1, max=MOST, help="tasks of each shuffling stage", show_default=False)
    ] = None,
    cores: Cores = None,
    runs: Runs = 0,
    trust: Trust = False,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Predict a run's time on other nodes, storage or machines.

    With a prediction interval, the point where scaling stops, and how far it is from what was measured.

    It also writes a page: to --out, or to prediction.html in the record. With --json it does so only with --out.

    Example: weft predict last --nodes 1..16 --scratch memory,pool+mount:/lustre/me
    """
    if machine == PREFIX and as_json:
        print(json.dumps([asdict(one) for one in submissions.all_of().values()], indent=1))
        return
    if machine == PREFIX:
        terminal.sections([io500.section(submissions.all_of().values())], console())
        return
    # small runs are newer: `last` is another one then
    directory = record.find(settings.runs(), run).directory
    if runs:
        rootless.enter(again.study(str(directory), (), trust=trust))
    found = predictions.predict(
        run,
        nodes=nodes,
        scratch=",".join(scratch) if scratch else None,
        storages={role: text for role, text in (("input", input_), ("output", output_)) if text},
        machine=machine,
        size=_size(size),
        partitions=partitions,
        cores=cores,
        runs=runs,
        trust=trust,
    )
    _print(found, directory, out, as_json=as_json)


def _print(found: Prediction, directory: Path, out: Path | None, *, as_json: bool) -> None:
    """The prediction, and its page; a program that reads the result reads nothing else on standard output."""
    if as_json:
        print(found.model_dump_json(indent=1))
    else:
        terminal.sections([prediction.section(found)], console())
    if out or not as_json:
        path = out or record.page_path(directory, _NAME)
        print(f"  page {page.save(prediction.page(found), path)}", file=sys.stderr if as_json else sys.stdout)


def _size(text: str | None) -> float | None:
    if text is None:
        return None
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    if math.isfinite(number):
        return number  # in the workload's own unit: vertices, records, TPC-DS' scale
    try:
        return parse_size(text)
    except ValueError as error:
        raise UsageError(f"--size: {error}", hint="write --size 2TB") from error
