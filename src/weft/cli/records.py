"""Verbs that show records: show, explain, report, compare. They need only the records."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from weft.analysis.summary.summary import Summary
from weft.api import results
from weft.cli import completing
from weft.cli.flags import AsJson, OfStudy, Out, Run, RunOrLog
from weft.errors import RecordError, UsageError
from weft.host import settings
from weft.record import record
from weft.report.pages import flames, page, study, terminal
from weft.report.sections.stream import operators
from weft.spec.study import folder_name
from weft.text.console import console

_SLOWER = "10%"


def show(run: Run = "last", as_json: AsJson = False) -> None:
    """Show a run in the terminal.

    Example: weft show last
    """
    summary = results.summary_of(record.find(settings.runs(), run))
    if as_json:
        print(summary.json_text())
    else:
        terminal.show(summary, console())


def explain(run: RunOrLog = "last", as_json: AsJson = False) -> None:
    """Show where the time went: of a run, or of an event log.

    The slot time is divided into parts that sum to all of it, with how much faster the run could be without each.
    Of a stream, also of your own, the operator that limits its rate is named.

    Also of an event log of Spark, a job history of MapReduce or an archive of Flink. A record is made of it, as with
    `weft import`, and kept.

    Example: weft explain last
    """
    stored, imported = results.recorded(run)
    if stored.head.imported:
        how = f"imported from {run} and kept" if imported else "imported before"
        outcome = stored.head.reason or "nobody checked the result"
        print(f"record {stored.directory}, {how}; {outcome}", file=sys.stderr)
    summary = results.summary_of(stored)
    if summary.stream:
        _explain_stream(summary, as_json=as_json)
        return
    found = results.explanation_of(summary)
    listed = [one.model_dump() for one in summary.operators]
    if as_json:
        answer = found.model_dump(mode="json")
        print(json.dumps({**answer, "operators": listed} if listed else answer, indent=1))
    else:
        terminal.explain(found, console())
        terminal.sections([operators(summary)] if listed else [], console())


def _explain_stream(summary: Summary, *, as_json: bool) -> None:
    """A stream of weft's lasts as long as its schedule: not its slot time is divided, its operators are named."""
    if not summary.operators:
        raise UsageError(
            f"the engine left no job metrics in {summary.id}",
            hint=f"weft show {summary.id} shows latencies over time and what limited the rate",
        )
    if as_json:
        print(json.dumps([one.model_dump() for one in summary.operators], indent=1))
    else:
        terminal.sections([operators(summary)], console())


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
    if of_study and run != "last":
        raise UsageError(f"{run} and --study are two reports", hint="omit one of them")
    if of_study:
        path = out or study.place(settings.runs(), folder_name(Path(of_study)))
        print(page.save(study.text(results.of_study(of_study)), path))
    else:
        stored = record.find(settings.runs(), run)
        try:
            flames.write(stored.directory)
        except RecordError as error:
            if out is None:
                raise
            # a record that is kept where nobody writes has a page all the same
            print(f"no flame graphs: {error.message}", file=sys.stderr)
        path = out or record.page_path(stored.directory, page.NAME)
        print(page.of(results.summary_of(stored), stored, path))


def compare_runs(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN ...",
            autocompletion=completing.run,
            help="names of records; with --reference also label:WORD, or since:7d",
            show_default=False,
        ),
    ] = None,
    of_study: OfStudy = "",
    reference: Annotated[
        str,
        typer.Option(
            metavar="REFERENCE",
            help="compare the runs with this: a run, label:WORD, older:30d, or a time such as 42.5s",
            show_default=False,
        ),
    ] = "",
    slower: Annotated[
        str, typer.Option(metavar="PERCENT", help="end with exit code 1 if they are slower by more")
    ] = _SLOWER,
    as_json: AsJson = False,
) -> None:
    """Compare runs, grouped by their settings.

    Medians have confidence intervals; cells whose intervals overlap are not ranked.

    With --reference: whether the median of the valid runs is slower than that of the reference by more than --slower. The
    exit code is then 0 or 1. older:30d are runs of the same spec that began at least so long ago.

    Example: weft compare since:1d --reference older:30d --slower 10%
    """
    if reference and of_study:
        raise UsageError(
            "--study and --reference are two comparisons",
            hint="omit one; runs of a study are compared with a reference by their names or by label:WORD",
        )
    if reference:
        _against(names or [], reference, slower, as_json=as_json)
        return
    if slower != _SLOWER:
        raise UsageError(
            "--slower needs --reference", hint="weft compare last --reference label:good --slower 5%"
        )
    found = results.compare(names or [], study=of_study)
    if as_json:
        print(found.model_dump_json(indent=1))
    else:
        terminal.sections(study.sections(found), console())


def _against(names: list[str], reference: str, slower: str, *, as_json: bool) -> None:
    if not names:
        raise UsageError(
            "--reference needs a run to compare", hint="weft compare last --reference label:good"
        )
    found = results.against(names, reference, _share(slower))
    print(found.model_dump_json(indent=1) if as_json else "\n".join([found.sentence, *found.notes]))
    sys.exit(1 if found.fails else 0)


def _share(text: str) -> float:
    try:
        share = float(text.removesuffix("%")) / 100
    except ValueError:
        share = -1.0
    if not 0 <= share <= 100:
        raise UsageError(f"--slower: {text!r} is no share", hint="write --slower 10%")
    return share
