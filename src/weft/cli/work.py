"""Verbs that do work: run, plan."""

import json
import sys
from typing import Annotated, Any

import typer
from rich.console import Console

from weft import matrix, preview, rootless
from weft.progress import Progress
from weft.report.text import outcome_lines
from weft.request import Flags, study_of

Text = Annotated[str | None, typer.Option(show_default=False)]


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command(no_args_is_help=True)(run)
    app.command(no_args_is_help=True)(plan)


def run(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WORKLOAD|STUDY",
            help="a workload, such as terasort; a TOML file; or a folder with study.toml",
        ),
    ],
    engine: Annotated[str | None, typer.Option(help="spark, or kind:key=value,...")] = None,
    nodes: Annotated[str | None, typer.Option(help="local:2, virtual:3,rate=10gbit, ...")] = None,
    size: Annotated[str | None, typer.Option(help="size of the workload, such as 2GB")] = None,
    scratch: Annotated[
        str | None, typer.Option(help="disk[:DIR], memory[:SIZE], loopback[:DIR],size=2G, mount:DIR")
    ] = None,
    input_: Annotated[
        str | None, typer.Option("--input", help="storage of the input, in the same words")
    ] = None,
    output: Annotated[str | None, typer.Option(help="storage of the output, in the same words")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="any key of the spec; a bare key is the workload's"),
    ] = None,
    repeat: Annotated[int | None, typer.Option(help="how often each cell is run")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
) -> None:
    """Run a checked workload on a real cluster and keep a record of it.

    Example: weft run terasort --nodes virtual:3 --size 2GB --scratch memory
    """
    flags = Flags(engine, nodes, size, scratch, input_, output, tuple(set_ or ()), repeat)
    study = study_of(what, flags)
    rootless.enter(study)
    progress = Progress(Console(stderr=True))
    results = matrix.run(study, progress)
    if as_json:
        summaries = [matrix.summary(result) for result in results]
        print(json.dumps(summaries[0] if len(summaries) == 1 else summaries, indent=1))
    else:
        for result in results:
            print("\n".join(outcome_lines(result)))
    sys.exit(0 if all(result.verdict == "VALID" for result in results) else 1)


def plan(
    what: Annotated[str, typer.Argument(metavar="WORKLOAD|STUDY", help="as for `weft run`")],
    engine: Text = None,
    nodes: Text = None,
    size: Text = None,
    scratch: Text = None,
    input_: Annotated[str | None, typer.Option("--input", show_default=False)] = None,
    output: Text = None,
    set_: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE")] = None,
    repeat: Annotated[int | None, typer.Option(show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print it as JSON")] = False,
) -> None:
    """Print everything a run would do, and do none of it.

    Example: weft plan terasort --nodes virtual:3 --scratch loopback:/lustre/me,size=10G
    """
    study = study_of(what, Flags(engine, nodes, size, scratch, input_, output, tuple(set_ or ()), repeat))
    plans: list[dict[str, Any]] = [preview.preview(spec) for _, spec in study.cells()]
    if as_json:
        print(json.dumps(plans[0] if len(plans) == 1 else plans, indent=1))
        return
    if len(plans) * study.repeat > 1:
        print(
            f"{len(plans)} cells x {study.repeat} = {len(plans) * study.repeat} runs, shuffled; the first cell:"
        )
    print(preview.text(plans[0]))
