"""The verb that measures what a machine can do at most: calibrate."""

from typing import Annotated

import typer

from weft.analysis.read.calibration import Calibration
from weft.cli.flags import AsJson
from weft.errors import UsageError
from weft.report.pages import terminal
from weft.report.sections import ceilings
from weft.run.calibration.calibrate import calibrate as measure
from weft.run.ceilings import store, used
from weft.run.progress import Progress
from weft.run.submission import enter as submission
from weft.spec.study import study_from
from weft.text.console import console


def calibrate(
    nodes: Annotated[
        str | None, typer.Option(help="local:2, virtual:3,rate=10gbit, slurm:4, ssh:node[1-4], ...")
    ] = None,
    scratch: Annotated[
        list[str] | None,
        typer.Option(help="a storage to measure, such as disk, memory or mount:DIR; can be repeated"),
    ] = None,
    engine: Annotated[
        list[str] | None,
        typer.Option(help="also the scheduler of an engine: spark, hadoop, flink; can be repeated"),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(min=0.01, max=60, help="time for each kind of file operation at each number of callers"),
    ] = 0.5,
    rates: Annotated[
        bool,
        typer.Option("--rates", help="also links of virtual nodes with rates from 50 Mbit/s to 10 Gbit/s"),
    ] = False,
    show: Annotated[bool, typer.Option("--show", help="print the latest calibration instead")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure what nodes, storages and the network can do at most; reports show runs against it.

    Nothing else should run on the nodes meanwhile.

    Example: weft calibrate --nodes virtual:2 --scratch disk --scratch delayed:lustre
    """
    if show and (nodes or scratch or engine or rates):
        raise UsageError("--show measures nothing, so it has no other options", hint="weft calibrate --show")
    found = (
        store.newest()
        if show
        else _measured(nodes or "local:2", scratch or ["disk"], seconds, engine or [], rates=rates)
    )
    if as_json:
        print(found.model_dump_json(indent=1))
    else:
        terminal.sections(ceilings.sections(found, used.fitness(found) if show else ""), console())


def _measured(
    nodes: str, scratch: list[str], seconds: float, engines: list[str], *, rates: bool
) -> Calibration:
    table = {"workload": "file-open", "nodes": nodes, "matrix": {"scratch": scratch}}
    study = study_from(table, name="calibrate", where="the command line")
    progress = Progress()
    submission.enter(study, progress)
    return measure(study, nodes, seconds, engines, progress, rates=rates)
