"""Verbs that show records: show, report, compare. They need only the records."""

from pathlib import Path
from typing import Annotated

import typer

from weft.errors import UsageError
from weft.host import settings
from weft.record import record
from weft.report import flames, page, study, terminal
from weft.report.compare import Comparison, compare
from weft.report.console import console
from weft.report.gather import summarize
from weft.report.headline import headlines

Run = Annotated[
    str, typer.Argument(metavar="RUN", help="path or name of a record, or part of its name, or last")
]
AsJson = Annotated[bool, typer.Option("--json", help="print it as JSON")]
OfStudy = Annotated[
    str, typer.Option("--study", metavar="NAME", help="all runs of this study", show_default=False)
]


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(show)
    app.command()(explain)
    app.command()(report)
    app.command("compare", no_args_is_help=True)(compare_runs)


def show(run: Run = "last", as_json: AsJson = False) -> None:
    """Show a run in the terminal: the report as text.

    Example: weft show last
    """
    summary = summarize(record.find(settings.runs(), run))
    if as_json:
        print(summary.json_text())
    else:
        terminal.show(summary, console())


def explain(run: Run = "last", as_json: AsJson = False) -> None:
    """Show where a run's slot time went, in parts that sum to all of it, and what each would be worth.

    Example: weft explain last
    """
    stored = record.find(settings.runs(), run)
    summary = summarize(stored)
    found = summary.explanation
    if summary.stream:
        raise UsageError(
            f"{stored.directory.name} is a stream, which lasts as long as its schedule, however its slots are used",
            hint=f"weft show {stored.directory.name} shows latencies over time and what limited the rate",
        )
    if found is None:
        raise UsageError(
            f"the engine left no job metrics in {stored.directory.name}",
            hint="the probe engine keeps it: --set probes=proc,threads,engine,fileops",
        )
    if as_json:
        print(found.model_dump_json(indent=1))
    else:
        terminal.explain(found, console())


def report(
    run: Run = "last",
    of_study: OfStudy = "",
    output: Annotated[
        Path | None,
        typer.Option(help="the file to write; default: report.html in the record", show_default=False),
    ] = None,
) -> None:
    """Write the report of a run, or of a whole study, as one self-contained HTML file.

    Example: weft report last --output /tmp/report.html
    """
    if output is not None and not output.name:
        raise UsageError(
            f"--output: {str(output)!r} is no file", hint="name the file to write: --output report.html"
        )
    if of_study:
        path = output or study.place(settings.runs(), of_study)
        print(page.save(study.text(_of_study(of_study)), path))
    else:
        stored = record.find(settings.runs(), run)
        flames.write(stored.directory)
        print(page.write(stored, output))


def compare_runs(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="RUN RUN...", help="two or more runs", show_default=False)
    ] = None,
    of_study: OfStudy = "",
    as_json: AsJson = False,
) -> None:
    """Compare runs, grouped by their spec: medians with confidence intervals; overlapping intervals are not ranked.

    Example: weft compare --study scratches
    """
    found = _of_study(of_study) if of_study else _of_runs(names or [])
    if as_json:
        print(found.model_dump_json(indent=1))
    else:
        terminal.sections(study.sections(found), console())


def _of_study(name: str) -> Comparison:
    folder = Path(name) if Path(name, "study.toml").exists() else settings.studies() / name
    name = folder.resolve().name
    lines = headlines(record.all_records(settings.runs()), name)
    if not lines:
        raise UsageError(
            f"no run in {settings.runs()} belongs to a study {name!r}", hint="`weft runs` lists every run"
        )
    return study.of_study(lines, name, folder)


def _of_runs(names: list[str]) -> Comparison:
    found = {
        stored.directory.resolve(): stored
        for stored in (record.find(settings.runs(), name) for name in names)
    }
    if len(found) < 2:
        raise UsageError("a comparison needs at least two runs", hint="weft compare RUN RUN, or --study NAME")
    lines = study.explained(headlines(list(found.values())))
    # repetitions of one spec that were named individually are compared individually
    return compare(lines, "comparison", each=len({line.key for line in lines}) == 1)
