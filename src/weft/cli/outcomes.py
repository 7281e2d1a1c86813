"""What run, submit and plan do."""

import json
import sys
from collections.abc import Mapping
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

from weft.adapters.workloads.base import Prepared
from weft.analysis.compare import study as studies
from weft.analysis.compare.headline import headlines
from weft.api.flags import Flags
from weft.api.request import study_of
from weft.api.results import summary_of
from weft.clusters import registry, submitted
from weft.clusters.registry import PersistentCluster
from weft.errors import UsageError, WeftError
from weft.host import settings
from weft.host.site.profile import load
from weft.layout.plan import SECRET
from weft.record import record
from weft.record.record import Stored
from weft.report.pages import flames, page, terminal
from weft.report.pages import study as study_page
from weft.report.pages.text import outcome_lines
from weft.report.sections import verdict
from weft.run import matrix, preview
from weft.run.progress import Progress
from weft.run.submission import enter as submission
from weft.spec.study import Study
from weft.text.console import console
from weft.text.redaction import revealed


def run(what: str, flags: Flags, *, again: bool, as_json: bool) -> None:
    """Run a study, print the results, and exit with 0 if all are valid."""
    study = study_of(what, flags)
    _say_surveyed(study, flags)
    results = _do(study, as_json=as_json, again=again)
    if Path(what, "study.toml").exists():
        # standard output contains only the results if a program reads it
        print(f"  study  {_study_page(study, Path(what))}", file=sys.stderr if as_json else sys.stdout)
    sys.exit(0 if all(result.verdict == "VALID" for result in results) else 1)


def submit(job: Mapping[str, Any], flags: Flags, to: str | None, *, as_json: bool) -> None:
    """Run a job of the user on a new cluster, or on the persistent cluster `to`."""
    if to is None:
        study = study_of(dict(job), flags)
        _say_surveyed(study, flags)
        _do(study, as_json=as_json)
        return
    if flags != Flags(engine=flags.engine) or as_json:
        raise UsageError(
            "a persistent cluster already has its nodes and scratch",
            hint="use only --to, and --engine if it has several",
        )
    program = Path(job["program"])
    sys.exit(_submit_to(registry.find(to), study_of(dict(job), Flags()), flags.engine, program))


def _say_surveyed(study: Study, flags: Flags) -> None:
    """Name the scratch that nobody asked for."""
    chosen = load().scratch
    if chosen.default and flags.scratch is None and study.base.get("scratch") == chosen.default:
        reach = f", surveyed on up to {chosen.nodes} nodes" if chosen.nodes else ""
        print(
            f"scratch {chosen.default}: the default of {settings.site()}{reach}; --scratch changes it",
            file=sys.stderr,
        )


def _submit_to(cluster: PersistentCluster, study: Study, wanted: str | None, program: Path) -> int:
    """Run a job on a persistent cluster, with one of its engines, and return its exit code."""
    ((_, spec),) = study.cells()
    kind = _engine_for(cluster, wanted)
    engine, layout = cluster.engine.parts[kind], cluster.layout.of_engine(kind)
    if kind not in spec.workload.engines:
        raise UsageError(f"{cluster.name} runs {kind}, which accepts no jobs")
    engine.require_program(program)
    work = spec.workload.measured
    assert work is not None
    command = engine.submit(work.job(Prepared(layout)), layout)
    files = {path: revealed(text, spec.secrets, path) for path, text in command.files.items()}
    if any(SECRET in text for text in files.values()):
        raise UsageError(
            f"{kind} reads a secret in --conf only on a cluster of its own",
            hint="give it to `weft up` with --set, or omit --to",
        )
    argv = [revealed(word, spec.secrets) for word in command.argv]
    return submitted.run(cluster, command, argv, replace(layout, engine=kind), files)


def _engine_for(cluster: PersistentCluster, wanted: str | None) -> str:
    """The kind of the requested engine, or of the only one. Raises UsageError if it is ambiguous."""
    kinds = list(cluster.engine.parts)
    if wanted in kinds:
        return wanted
    if wanted is not None:
        raise UsageError(f"{cluster.name} does not run {wanted}", hint=f"it runs {', '.join(kinds)}")
    if kinds[1:]:
        raise UsageError(
            f"the cluster runs several engines: {', '.join(kinds)}", hint="select one with --engine"
        )
    return kinds[0]


def plan(what: str, flags: Flags, *, as_json: bool) -> None:
    """Print the plan of a study."""
    study = study_of(what, flags)
    plans: list[dict[str, Any]] = [preview.preview(spec) for _, spec in study.cells()]
    if (of_slurm := submission.needed(study)) is not None:
        plans[0]["job_script"] = submission.job_script(study, of_slurm, ["run", *sys.argv[2:]])
    if as_json:
        print(json.dumps(plans[0] if len(plans) == 1 else plans, indent=1))
        return
    if len(plans) * study.repeat > 1:
        runs = len(plans) * study.repeat
        print(f"{len(plans)} cells x {study.repeat} = {runs} runs, in random order; the first cell:")
    print(preview.text(plans[0]))


def _do(study: Study, *, as_json: bool, again: bool = False) -> list[Stored]:
    """Run a study, write the reports, print the results."""
    submission.enter(study, Progress())
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
    found = [summary_of(result) for result in results]
    for result in results:
        flames.write(result.directory)
    pages = [
        page.save(page.text(summary), record.page_path(result.directory, page.NAME))
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
