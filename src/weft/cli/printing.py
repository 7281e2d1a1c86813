"""What run and submit print of what they ran, and the pages that they write."""

import json
import sys
from pathlib import Path

from weft.analysis.compare import study as studies
from weft.analysis.compare.headline import headlines
from weft.analysis.summary.summary import Summary
from weft.api.results import summary_of
from weft.errors import RecordError
from weft.host import settings
from weft.record import record
from weft.record.record import Stored
from weft.report.pages import flames, page, terminal
from weft.report.pages import study as of_study
from weft.report.pages.text import outcome_lines
from weft.report.sections import verdict
from weft.run import matrix
from weft.spec.study import Study
from weft.text.console import console


def tell(results: list[Stored], *, as_json: bool) -> None:
    """Print what runs found, and write their reports; an outcome before what takes seconds to work out."""
    if as_json:
        others = record.all_records(settings.runs())
        pages = [_page(summary_of(result, others=others), result) for result in results]
        summaries = [
            {**matrix.summary(result), "report": str(written) if written else None}
            for result, written in zip(results, pages, strict=True)
        ]
        print(json.dumps(summaries[0] if len(summaries) == 1 else summaries, indent=1))
        return
    known: list[Stored] | None = None
    for at, result in enumerate(results):
        try:
            print("\n".join(outcome_lines(result)), flush=True)
            known = record.all_records(settings.runs()) if known is None else known
            _tell_more(result, known)
        except BrokenPipeError:
            # who reads has enough, and each record has its page all the same
            for left in results[at:]:
                _page(summary_of(left, others=known), left)
            raise


def _tell_more(result: Stored, known: list[Stored]) -> None:
    """Where the time of a run went, and the path of its page."""
    summary = summary_of(result, others=known)
    if summary.stream:
        print(f"  {verdict.sentence(summary)}\n  {' '.join(verdict.where(summary))}", flush=True)
    if summary.explanation:
        terminal.explain_briefly(summary.explanation, console())
    if written := _page(summary, result):
        print(f"  report {written}", flush=True)


def _page(summary: Summary, result: Stored) -> Path | None:
    """A run's page, with its flame graphs; None if it could not be written, such as on a full disk: the results are printed all the same."""
    try:
        flames.write(result.directory)
        return page.of(summary, result, record.page_path(result.directory, page.NAME))
    except RecordError as error:
        print(f"no report of {result.directory.name}: {error.message}", file=sys.stderr)
        return None


def study_page(study: Study, folder: Path) -> Path:
    """Write the report of a whole study, including runs of earlier commands."""
    lines = headlines(record.all_records(settings.runs()), study.name)
    text = of_study.text(studies.of_study(lines, study.name, folder))
    return page.save(text, of_study.place(settings.runs(), study.name))
