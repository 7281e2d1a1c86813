"""What run does, and what it prints before it runs."""

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext, redirect_stdout, suppress
from pathlib import Path
from typing import Any

from weft.api import studies
from weft.api.flags import Flags
from weft.api.request import study_of
from weft.cli.chosen import say_chosen
from weft.errors import RecordError, WeftError
from weft.host import signals
from weft.record import record
from weft.record.record import Stored
from weft.run import firstuse, preview
from weft.run.progress import Progress
from weft.run.submission import enter as submission
from weft.spec.study import Study


def run(what: str, flags: Flags, *, again: bool, fresh: bool, as_json: bool) -> None:
    """Run a study, print the results, and exit with 0 if none is wrong."""
    study = study_of(what, flags)
    say_chosen(study, flags)
    end(what, study, do(study, as_json=as_json, again=again, fresh=fresh), as_json=as_json)


def end(what: str, study: Study, results: list[Stored], *, as_json: bool) -> None:
    """Exit with 0 if no result of a study is wrong; that of a folder has a page, unless it is a single run, which has its own."""
    if Path(what, "study.toml").exists() and any(result.head.cell.study for result in results):
        from weft.cli import printing  # noqa: PLC0415 - imported already

        # standard output contains only the results if a program reads it
        print(
            f"  study  {printing.study_page(study, Path(what))}", file=sys.stderr if as_json else sys.stdout
        )
    # a job of the user without a check of its own has no other verdict
    sys.exit(0 if all(result.verdict in {"VALID", "UNCHECKED"} for result in results) else 1)


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
    words = list(arguments)
    # -q and -v can come before the verb
    verb = next((at for at, word in enumerate(words) if not word.startswith("-")), 0)
    if words[verb : verb + 1] == ["plan"]:
        words[verb] = "run"
    if "--dry-run" in words:
        words.remove("--dry-run")
    return words


def do(study: Study, *, as_json: bool, again: bool = False, fresh: bool = False) -> list[Stored]:
    """Run a study, write the reports, print the results."""
    submission.enter(study, Progress())
    study = firstuse.lighter(study, Progress().say)
    return printed(lambda progress: studies.run(study, progress, again=again, fresh=fresh), as_json=as_json)


def printed(work: Callable[[Progress], list[Stored]], *, as_json: bool) -> list[Stored]:
    """The results of runs, printed, also if one failed."""
    progress = Progress(meanwhile={"stop": _load})
    try:
        # a program that reads the results reads nothing else on standard output
        with redirect_stdout(sys.stderr) if as_json else nullcontext():
            results = work(progress)
    except WeftError as error:
        if error.record is not None:
            with suppress(RecordError, BrokenPipeError):  # the error says more than they do
                _tell([record.read(error.record)], as_json=as_json)
        raise
    _tell(results, as_json=as_json)
    return results


def _load() -> None:
    """Import what prints results while daemons stop, so that they are printed sooner."""
    # what cannot be loaded fails again when it is needed, and is reported then
    with suppress(Exception):
        from weft.cli import printing  # noqa: F401, PLC0415
        from weft.report.draw import charts  # noqa: PLC0415

        charts.load_altair()


def _tell(results: list[Stored], *, as_json: bool) -> None:
    # imported when the job has ended: before, it would be a part of the time until the first task
    from weft.cli import printing  # noqa: PLC0415

    signals.watch_again()
    printing.tell(results, as_json=as_json)
