"""The verb for staff of a centre: survey, which finds the storage for scratch that is this machine's default."""

import json
import os
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from weft.analysis.predict import survey as surveys
from weft.analysis.predict.survey import ENOUGH, Surveyed
from weft.api import studies, surveying
from weft.api.surveying import JOBS, Cost
from weft.cli.command import renamed
from weft.cli.flags import AsJson, Scratches, duration, every
from weft.errors import UsageError, why
from weft.host import settings
from weft.host.site.profile import Profile
from weft.host.site.writing import with_scratch
from weft.record import record
from weft.record.record import Stored
from weft.report.pages import page as pages
from weft.report.pages import surveyed, terminal
from weft.run import matrix
from weft.run.progress import Progress
from weft.run.submission import enter as submission
from weft.spec.study import Study
from weft.text import entry
from weft.text.console import console
from weft.text.nearest import nearest
from weft.text.units import show_seconds

_PAGE = "survey.html"
_WRITTEN = tuple(name.replace(" ", "-") for name in JOBS)
"""The jobs as options name them."""


def survey(
    nodes: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NODES,...", help="nodes of the runs: slurm:2,slurm:8; default: local:1,local:2"
        ),
    ] = None,
    scratch: Scratches = None,
    jobs: Annotated[
        list[str] | None,
        typer.Option(metavar="JOB,...", help=f"kinds of jobs: {', '.join(_WRITTEN)}; default: all"),
    ] = None,
    engine: Annotated[str, typer.Option(help="the engine")] = "spark",
    repeat: Annotated[
        int,
        typer.Option(
            min=1, max=20, metavar="N", help=f"runs of each cell; fewer than {ENOUGH} change no default"
        ),
    ] = ENOUGH,
    within: Annotated[
        str,
        typer.Option(metavar="TIME", help="how long all runs may take: none is begun that could take longer"),
    ] = "1h",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="print what it costs and run nothing")] = False,
    keep: Annotated[
        bool, typer.Option("--keep", help="leave the site profile as it is, and write only the page")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find the best storage for scratch on this machine.

    For which class of job, and up to how many nodes.

    Runs a small matrix of checked jobs, writes a page, and makes the best storage the default of your site profile. Where
    times are alike, the storage that is named first wins. What was interrupted continues with the same command.

    Example: weft survey --nodes virtual:1,virtual:2 --scratch disk,memory,delayed:lustre --dry-run
    """
    storages = every("--scratch", scratch, ["disk", "memory"])
    minutes = duration("--within", within, 6, 24 * 3600) / 60
    places = every("--nodes", nodes, ["local:1", "local:2"])
    asked = surveying.study(places, storages, _known(every("--jobs", jobs, list(_WRITTEN))), repeat, engine)
    costs = _cost(asked)
    if dry_run:
        print(json.dumps(asdict(costs), indent=1) if as_json else _words(costs, minutes))
        return
    progress = Progress()
    progress.say(_words(costs, minutes))
    submission.enter(asked, progress)
    runs = studies.run(asked, progress, enough=surveying.within(minutes))
    found = surveys.survey(runs, storages, os.uname().nodename, len(asked.cells()))
    written = pages.save(surveyed.page(found), settings.runs() / _PAGE)
    if as_json:
        print(found.model_dump_json(indent=1))
    else:
        terminal.sections(surveyed.sections(found), console())
        print(f"  page {written}")
    if found.default and not keep:
        progress.say(f"  default scratch {found.default} written to {write(found, written, settings.site())}")
    _end(runs)


def _cost(asked: Study) -> Cost:
    known = record.all_records(settings.runs())
    return surveying.cost(asked, matrix.finished(asked), known, studies.shared(asked))


def _end(runs: Sequence[Stored]) -> None:
    """Exit with 1 if no run was right."""
    if runs and not any(result.verdict == "VALID" for result in runs):
        sys.exit(1)


def _known(names: Sequence[str]) -> list[str]:
    for name in names:
        if name in JOBS and " " in name:
            renamed(f"--jobs {name!r}", f"--jobs {name.replace(' ', '-')}")
        elif name not in _WRITTEN:
            raise UsageError(f"--jobs: unknown job {name!r}", hint=nearest(name, list(_WRITTEN)))
    return [name.replace("-", " ") for name in names]


def _words(cost: Cost, minutes: float) -> str:
    guessed = f"; {cost.guessed} of a kind that was never run here" if cost.guessed else ""
    return (
        f"{cost.runs} runs: about {show_seconds(cost.seconds)} and {cost.node_hours:.2g} node-hours{guessed}."
        f" No run begins that could end after {minutes:g} minutes."
    )


def write(found: Surveyed, page: Path, site: Path) -> Path:
    """Put the default and its evidence into a site profile. Raises UsageError if it is not writable."""
    table: dict[str, str | int] = {
        "default": found.default,
        "nodes": found.nodes,
        "evidence": found.evidence,
        "page": str(page),
    }
    try:
        text = with_scratch(site.read_text(encoding="utf-8") if site.exists() else "", table)
        Profile.model_validate(tomllib.loads(text))
        site.parent.mkdir(parents=True, exist_ok=True)
        entry.write(site, text)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"cannot write {site}: {why(error)}",
            hint=f"add it yourself: [scratch] default = {found.default!r}",
        ) from error
    return site
