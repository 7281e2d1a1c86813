"""The verb that measures what a machine can do at most: calibrate."""

from typing import Annotated

import typer

from weft.analysis.read.calibration import Calibration
from weft.cli.flags import AsJson, Scratches, duration, every
from weft.errors import UsageError
from weft.host.site.profile import load
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
    show: Annotated[bool, typer.Option("--show", help="print the latest calibration instead")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure the peak rates of nodes, storage and network.

    Reports show runs against them.

    Nothing else should run on the nodes meanwhile.

    Example: weft calibrate --nodes virtual:2 --scratch disk,delayed:lustre
    """
    if show and (nodes or scratch or engine or rates):
        raise UsageError("--show measures nothing, so it has no other options", hint="weft calibrate --show")
    found = (
        store.newest()
        if show
        else _measured(
            nodes or load().nodes or "local:2",
            every("--scratch", scratch, ["disk"]),
            duration("--each", each, 0.01, 60),
            every("--engine", engine, []),
            rates=rates,
        )
    )
    if as_json:
        print(found.model_dump_json(indent=1))
    else:
        terminal.sections(ceilings.sections(found, used.fitness(found) if show else ""), console())


def _measured(
    nodes: str, scratch: list[str], seconds: float, engines: list[str], *, rates: bool
) -> Calibration:
    table = {"workload": "file-open", "nodes": nodes, "matrix": {"scratch": scratch}}
    study = study_from(table, name="calibrate")
    progress = Progress()
    submission.enter(study, progress)
    return measure(study, nodes, seconds, engines, progress, rates=rates)
