"""What run and submit print of what they ran, and the pages that they write."""

import json
from pathlib import Path

from weft.analysis.compare import study as studies
from weft.analysis.compare.headline import headlines
from weft.api.results import summary_of
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
    """Write the reports of runs and print what they found."""
    others = record.all_records(settings.runs())
    found = [summary_of(result, others=others) for result in results]
    for result in results:
        flames.write(result.directory)
    pages = [
        page.of(summary, result, record.page_path(result.directory, page.NAME))
        for summary, result in zip(found, results, strict=True)
    ]
    if as_json:
        summaries = [
            {**matrix.summary(result), "report": str(written)}
            for result, written in zip(results, pages, strict=True)
        ]
        print(json.dumps(summaries[0] if len(summaries) == 1 else summaries, indent=1))
        return
    for result, summary, written in zip(results, found, pages, strict=True):
        print("\n".join([*outcome_lines(result), f"  report {written}"]), flush=True)
        if summary.stream:
            print(f"  {verdict.sentence(summary)}\n  {' '.join(verdict.where(summary))}", flush=True)
        if summary.explanation:
            terminal.explain_briefly(summary.explanation, console())


def study_page(study: Study, folder: Path) -> Path:
    """Write the report of a whole study, including runs of earlier commands."""
    lines = headlines(record.all_records(settings.runs()), study.name)
    text = of_study.text(studies.of_study(lines, study.name, folder))
    return page.save(text, of_study.place(settings.runs(), study.name))
