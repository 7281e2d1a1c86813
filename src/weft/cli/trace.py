"""The verb that shows what scaling does to a trace of jobs, before anything is run: trace."""

import json
import shlex
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from weft.adapters.workloads import jobtrace
from weft.adapters.workloads.jobtrace import Scaling
from weft.cli.flags import AsJson
from weft.report.pages import terminal
from weft.report.sections import jobtrace as shown
from weft.text.arguments import assign
from weft.text.console import console


def trace(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a trace of jobs in SWIM's format")],
    jobs: Annotated[
        int | None, typer.Option(min=1, help="number of jobs; default: all", show_default=False)
    ] = None,
    choose: Annotated[
        Literal["first", "sample"], typer.Option(help="the first jobs, or a seeded sample of all")
    ] = "first",
    bytes_scale: Annotated[float, typer.Option(min=1e-15, max=1e6, help="factor of all sizes")] = 1.0,
    time_scale: Annotated[float, typer.Option(min=0.0, max=1e6, help="factor of all times")] = 1.0,
    seed: Annotated[int, typer.Option(min=0, max=1 << 20, help="seed of the sample")] = 0,
    as_json: AsJson = False,
) -> None:
    """Show what scaling does to a trace of jobs.

    Also the command that replays it.

    Example: weft trace FB-2009.tsv --jobs 200 --bytes-scale 1e-6 --time-scale 0.25
    """
    every = jobtrace.read(file)
    scaling = Scaling(jobs, choose, bytes_scale, time_scale, seed)
    found: dict[str, Any] = jobtrace.compared(every, jobtrace.scaled(every, scaling), scaling)
    if as_json:
        print(json.dumps(found, indent=1))
        return
    terminal.sections([shown.section(found)], console())
    given = {
        "jobs": jobs,
        "choose": choose if choose != "first" else None,
        "bytes_scale": bytes_scale if bytes_scale != 1 else None,
        "time_scale": time_scale if time_scale != 1 else None,
        "seed": seed or None,
    }
    sets = assign("--set", {key: value for key, value in given.items() if value is not None})
    # in the short form they would have a meaning
    what = ["trace", "--set", f"file={file}"] if set(str(file)) & set(",=+") else [f"trace:{file}"]
    print("  replay with:", shlex.join(["weft", "run", *what, *sets]))
