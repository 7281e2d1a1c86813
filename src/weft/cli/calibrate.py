"""The verb that measures what a machine can do at most: calibrate."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from weft.analysis.read.calibration import Calibration
from weft.api import benchmarked
from weft.cli.flags import AsJson, Scratches, duration, every
from weft.errors import UsageError
from weft.facts.io500 import profile
from weft.host.site.profile import load
from weft.report.pages import io500, terminal
from weft.report.sections import ceilings
from weft.run.calibration import imitation
from weft.run.calibration.calibrate import calibrate as measure
from weft.run.ceilings import store, used
from weft.run.progress import Progress
from weft.run.submission import enter as submission
from weft.spec.study import study_from
from weft.text.console import console

_ProfileFile = Annotated[
    Path | None,
    typer.Option(
        "--profile",
        metavar="FILE",
        help="also write a profile, with which --scratch delayed:FILE emulates this storage; FILE ends with .toml",
        show_default=False,
    ),
]


def calibrate(
    nodes: Annotated[
        str | None, typer.Option(help="local:2, virtual:3,rate=10gbit, slurm:4 or ssh:node[1-4]")
    ] = None,
    scratch: Scratches = None,
    engine: Annotated[
        list[str] | None,
        typer.Option(metavar="ENGINE,...", help="also the scheduler of engines: spark,hadoop,flink"),
    ] = None,
    each: Annotated[
        str,
        typer.Option(metavar="TIME", help="time for each kind of file operation at each number of callers"),
    ] = "500ms",
    rates: Annotated[
        bool,
        typer.Option("--rates", help="also links of virtual nodes with rates from 50 Mbit/s to 10 Gbit/s"),
    ] = False,
    to: _ProfileFile = None,
    import_: Annotated[
        Path | None,
        typer.Option(
            "--import",
            metavar="FILE",
            help="read a result_summary.txt of IO500 instead of measuring",
            show_default=False,
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="print the latest calibration instead")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure the peak rates of nodes, storage and network.

    Reports show runs against them.

    Nothing else should run on the nodes meanwhile.

    Example: weft calibrate --nodes virtual:2 --scratch disk,delayed:lustre
    """
    _refuse_others(import_, show=show, measuring=bool(nodes or scratch or engine or rates or to))
    if import_:
        _print_imported(import_, as_json=as_json)
        return
    found = (
        store.newest()
        if show
        else _measured(
            nodes or load().nodes or "local:2",
            _storages(every("--scratch", scratch, ["disk"]), to),
            duration("--each", each, 0.01, 60),
            every("--engine", engine, []),
            rates=rates,
        )
    )
    if to:
        imitation.write(to, *found.storages)
    if as_json:
        print(found.model_dump_json(indent=1))
    else:
        terminal.sections(ceilings.sections(found, used.fitness(found) if show else ""), console())


def _storages(asked: list[str], to: Path | None) -> list[str]:
    """What is measured: for a profile also the file system that emulates, without delay."""
    if to is None:
        return asked
    if len(asked) != 1 or to.suffix != ".toml" or not to.absolute().parent.is_dir():
        raise UsageError(
            f"--profile {to}: it is for one --scratch, and names a file that ends with .toml in a directory that exists",
            hint="weft calibrate --scratch mount:/lustre/me --profile mine.toml",
        )
    return [*asked, imitation.INSTRUMENT]


def _refuse_others(file: Path | None, *, show: bool, measuring: bool) -> None:
    """Raises UsageError for options of a measurement where there is none."""
    if show and (measuring or file):
        raise UsageError("--show measures nothing, so it has no other options", hint="weft calibrate --show")
    if file and measuring:
        raise UsageError(
            "--import measures nothing, so it has no other options but --json",
            hint=f"weft calibrate --import {file}",
        )


def _print_imported(path: Path, *, as_json: bool) -> None:
    """What a result of IO500 says, and what a prediction takes from it."""
    found, figures = benchmarked.read(path)
    if as_json:
        taken = {
            key: {"value": one.value, "source": one.source} for key, one in profile.values(figures).items()
        }
        print(json.dumps({**asdict(found), "values": taken}, indent=1))
    else:
        terminal.sections([io500.imported(found, figures, str(path))], console())


def _measured(
    nodes: str, scratch: list[str], seconds: float, engines: list[str], *, rates: bool
) -> Calibration:
    table = {"workload": "file-open", "nodes": nodes, "matrix": {"scratch": scratch}}
    study = study_from(table, name="calibrate")
    progress = Progress()
    submission.enter(study, progress)
    return measure(study, nodes, seconds, engines, progress, rates=rates)
