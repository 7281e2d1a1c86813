"""What run does, and what it and submit print."""

import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Any

from weft.analysis.compare import study as studies
from weft.analysis.compare.headline import headlines
from weft.api.flags import Flags
from weft.api.request import study_of
from weft.api.results import summary_of
from weft.cli.chosen import say_chosen
from weft.errors import WeftError
from weft.host import settings
from weft.record import record
from weft.record.record import Stored
from weft.report.pages import flames, page, terminal
from weft.report.pages import study as study_page
from weft.report.pages.text import outcome_lines
from weft.report.sections import verdict
from weft.run import firstuse, matrix, preview
from weft.run.progress import Progress
from weft.run.submission import enter as submission
from weft.spec.study import Study
from weft.text.console import console


def run(what: str, flags: Flags, *, again: bool, as_json: bool) -> None:
    """Run a study, print the results, and exit with 0 if all are valid."""
    study = study_of(what, flags)
    say_chosen(study, flags)
    results = do(study, as_json=as_json, again=again)
    if Path(what, "study.toml").exists():
        # standard output contains only the results if a program reads it
        print(f"  study  {_study_page(study, Path(what))}", file=sys.stderr if as_json else sys.stdout)
    sys.exit(0 if all(result.verdict == "VALID" for result in results) else 1)


def plan(what: str, flags: Flags, *, as_json: bool) -> None:
    """Print what a run would do."""
    study = study_of(what, flags)
    say_chosen(study, flags)
    print_plan(study, as_json=as_json)


def print_plan(study: Study, *, as_json: bool) -> None:
    """Everything that its runs would do, and on Slurm the job script."""
    plans: list[dict[str, Any]] = [preview.preview(spec) for _, spec in study.cells()]
    if (of_slurm := submission.needed(study)) is not None:
        plans[0]["job_script"] = submission.job_script(study, of_slurm, _without_dry_run(sys.argv[1:]))
    if as_json:
        print(json.dumps(plans[0] if len(plans) == 1 else plans, indent=1))
        return
    if len(plans) * study.repeat > 1:
        runs = len(plans) * study.repeat
        print(f"{len(plans)} cells x {study.repeat} = {runs} runs, in random order; the first cell:")
    print(preview.text(plans[0]))


def _without_dry_run(arguments: Sequence[str]) -> list[str]:
    """The command that runs what this one prints: a job of the user may have such an option too, behind weft's own."""
    words = ["run", *arguments[1:]] if arguments[:1] == ["plan"] else list(arguments)
    if "--dry-run" in words:
        words.remove("--dry-run")
    return words


def do(study: Study, *, as_json: bool, again: bool = False) -> list[Stored]:
    """Run a study, write the reports, print the results."""
    submission.enter(study, Progress())
    study = firstuse.lighter(study, Progress().say)
    try:
        # a program that reads the results reads nothing else on standard output
        with redirect_stdout(sys.stderr) if as_json else nullcontext():
            results = matrix.run(study, Progress(), again=again)
    except WeftError as error:
        if error.record is not None:
            _tell([record.read(error.record)], as_json=as_json)
        raise
    _tell(results, as_json=as_json)
    return results


def _tell(results: list[Stored], *, as_json: bool) -> None:
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


def _study_page(study: Study, folder: Path) -> Path:
    """Write the report of a whole study, including runs of earlier commands."""
    lines = headlines(record.all_records(settings.runs()), study.name)
    text = study_page.text(studies.of_study(lines, study.name, folder))
    return page.save(text, study_page.place(settings.runs(), study.name))
