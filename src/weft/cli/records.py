"""Verbs that show records: show, report, compare. They need only the records."""

from typing import Annotated

import typer

from weft.api import results
from weft.cli import completing
from weft.cli.flags import AsJson, OfStudy, Out, Run
from weft.errors import UsageError
from weft.host import settings
from weft.record import record
from weft.report.pages import flames, page, study, terminal
from weft.text.console import console


def show(run: Run = "last", as_json: AsJson = False) -> None:
    """Show a run in the terminal.

    Example: weft show last
    """
    summary = results.summary_of(record.find(settings.runs(), run))
    if as_json:
        print(summary.json_text())
    else:
        terminal.show(summary, console())


def explain(run: Run = "last", as_json: AsJson = False) -> None:
    """Show where a run's slot time went.

    It is divided into parts that sum to all of it, with what each would be worth.

    Example: weft explain last
    """
    found = results.explain(run)
    if as_json:
        print(found.model_dump_json(indent=1))
    else:
        terminal.explain(found, console())


def report(
    run: Run = "last",
    of_study: OfStudy = "",
    out: Out = None,
) -> None:
    """Write a run, or a whole study, as one HTML file.

    Without --out it is report.html in the record.

    Example: weft report last --out /tmp/report.html
    """
    if out is not None and not out.name:
        raise UsageError(f"--out: {str(out)!r} is no file", hint="name the file to write: --out report.html")
    if of_study:
        path = out or study.place(settings.runs(), of_study)
        print(page.save(study.text(results.of_study(of_study)), path))
    else:
        stored = record.find(settings.runs(), run)
        flames.write(stored.directory)
        text = page.text(results.summary_of(stored))
        print(page.save(text, out or record.page_path(stored.directory, page.NAME)))


def compare_runs(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN RUN ...",
            autocompletion=completing.run,
            help="two or more runs",
            show_default=False,
        ),
    ] = None,
    of_study: OfStudy = "",
    as_json: AsJson = False,
) -> None:
    """Compare runs, grouped by their spec.

    Medians have confidence intervals; cells whose intervals overlap are not ranked.

    Example: weft compare --study scratches
    """
    found = results.compare(names or [], study=of_study)
    if as_json:
        print(found.model_dump_json(indent=1))
    else:
        terminal.sections(study.sections(found), console())
