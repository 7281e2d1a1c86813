"""The verb that shows what a running job does now: top."""

import json
from typing import Annotated

import typer
from rich.live import Live

from weft.analysis.read import resolved
from weft.analysis.read.moment import RunMoment, RunWatch
from weft.cli import completing
from weft.cli.flags import AsJson, duration
from weft.errors import RecordError, UsageError
from weft.host import settings, signals
from weft.record import record
from weft.record.record import Stored
from weft.report.pages.top import LivePage, data
from weft.text.console import console

Name = Annotated[
    str,
    typer.Argument(
        metavar="[NAME]",
        autocompletion=completing.running,
        help="a cluster, or a record; optional if only one runs",
    ),
]
Interval = Annotated[str, typer.Option("--every", metavar="TIME", help="between two looks")]
Once = Annotated[bool, typer.Option("--once", help="print it once, as where standard output is no terminal")]


def top(name: Name = "", interval: Interval = "2s", once: Once = False, as_json: AsJson = False) -> None:
    """Show what a running job does now, and what it waits for.

    Stages, tasks, rates, what the slots do, and the nodes.

    Of a run, a submitted job, or a persistent cluster; also from another machine that sees its record. It reads the ends of
    the record's files, and costs less than 1 % of a core. It ends with the run, or with Ctrl-C.

    Example: weft top
    """
    pause = duration("--every", interval, 0.5, 3600)
    stored = _running(name)
    watch = RunWatch(stored.folder, slots=resolved.of_record(stored).slots)
    out = console()
    if once or as_json or not out.is_terminal:
        watch.observe(stored)
        signals.sleep(pause)  # rates need two readings
        moment = watch.observe(_again(stored))
        if as_json:
            print(json.dumps(data(moment), indent=1))
        else:
            out.print(LivePage(moment))
        return
    with Live(console=out, auto_refresh=False, redirect_stdout=False, redirect_stderr=False) as live:
        while True:
            moment = watch.observe(_again(stored))
            live.update(LivePage(moment), refresh=True)
            if _over(moment):
                return
            signals.sleep(pause)


def _over(moment: RunMoment) -> bool:
    return moment.stored.verdict != "RUNNING"


def _again(stored: Stored) -> Stored:
    """The record as it is now; the old state while it is being written."""
    try:
        return record.read(stored.directory)
    except RecordError:
        return stored


def _running(name: str) -> Stored:
    """The record of a cluster or of a run. Raises UsageError if it is not clear which."""
    live = [one for one in record.all_records(settings.runs()) if one.verdict == "RUNNING"]
    if name:
        of_cluster = [
            one
            for one in live
            if one.json(resolved.FILE).get("spec", {}).get("workload", {}).get("name") == name
        ]
        return of_cluster[0] if of_cluster else record.find(settings.runs(), name)
    if len(live) != 1:
        found = ", ".join(one.directory.name for one in live)
        raise UsageError(
            f"several runs go on: {found}" if live else f"nothing runs with a record in {settings.runs()}",
            hint="name one"
            if live
            else "`weft ps` lists what runs on this machine; WEFT_RUNS names its records",
        )
    return live[0]
