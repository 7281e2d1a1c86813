"""Verbs that do work: run, submit, plan."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from weft.cli.request import Flags, pairs, study_of
from weft.clusters import registry
from weft.clusters.attach import attach
from weft.clusters.registry import PersistentCluster
from weft.errors import UsageError, WeftError
from weft.host import settings
from weft.record import record
from weft.record.record import Stored
from weft.report import flames, page, terminal
from weft.report import study as study_page
from weft.report.console import console
from weft.report.gather import summarize
from weft.report.headline import headlines
from weft.report.text import outcome_lines
from weft.run import matrix, preview, rootless
from weft.run.progress import Progress
from weft.run.submission import enter as submission
from weft.spec.study import Study

What = Annotated[
    str,
    typer.Argument(
        metavar="WORKLOAD|STUDY",
        help="a workload, such as terasort; a TOML file; or a folder with study.toml",
    ),
]
EngineText = Annotated[str | None, typer.Option(help="spark, or kind:key=value,...")]
NodesText = Annotated[
    str | None, typer.Option(help="local:2, virtual:3,rate=10gbit, slurm:4, ssh:node[1-4], ...")
]
SizeText = Annotated[str | None, typer.Option(help="size of the workload, such as 2GB")]
ScratchText = Annotated[
    str | None,
    typer.Option(
        help="disk[:DIR], memory[:SIZE], loopback[:DIR],size=2G, mount:DIR, pool[:DIR], delayed:lustre; backed by another one with +: pool+delayed:lustre"
    ),
]
InputText = Annotated[
    str | None,
    typer.Option("--input", help="storage of the input, in the same form: disk:DIR, pool+mount:DIR, ..."),
]
OutputText = Annotated[
    str | None,
    typer.Option(
        "--output", help="storage of the output, in the same form: disk:DIR, loopback+delayed:lustre, ..."
    ),
]
ServiceText = Annotated[
    list[str] | None,
    typer.Option("--service", metavar="KIND[:NODES]", help="a service besides the engine, such as null:1"),
]
SetText = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="any key of the spec; a bare key is the workload's"),
]
PathsText = Annotated[
    str | None,
    typer.Option(metavar="PATHS", help="files for the job, separated by commas, as in spark-submit"),
]
Again = Annotated[bool, typer.Option("--again", help="run finished cells of a study again")]
Repeat = Annotated[str | None, typer.Option(metavar="N", help="number of runs of each cell")]
AsJson = Annotated[bool, typer.Option("--json", help="print the result as JSON")]


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command(no_args_is_help=True)(run)
    app.command(no_args_is_help=True, context_settings={"allow_interspersed_args": False})(submit)
    app.command(no_args_is_help=True)(plan)


def run(
    what: What,
    engine: EngineText = None,
    nodes: NodesText = None,
    size: SizeText = None,
    scratch: ScratchText = None,
    input_: InputText = None,
    output: OutputText = None,
    service: ServiceText = None,
    set_: SetText = None,
    repeat: Repeat = None,
    again: Again = False,
    as_json: AsJson = False,
) -> None:
    """Run a checked workload on a real cluster and keep a record of it.

    Example: weft run terasort --nodes virtual:3 --size 2GB --scratch memory
    """
    flags = Flags(
        engine, nodes, size, scratch, input_, output, tuple(set_ or ()), repeat, tuple(service or ())
    )
    study = study_of(what, flags)
    results = _do(study, as_json=as_json, again=again)
    if Path(what, "study.toml").exists():
        # standard output contains only the results if a program reads it
        print(f"  study  {_study_page(study, Path(what))}", file=sys.stderr if as_json else sys.stdout)
    sys.exit(0 if all(result.verdict == "VALID" for result in results) else 1)


def submit(
    program: Annotated[Path, typer.Argument(metavar="PROGRAM", help="your .py or .jar file")],
    arguments: Annotated[list[str] | None, typer.Argument(help="its arguments")] = None,
    engine: EngineText = None,
    nodes: NodesText = None,
    scratch: ScratchText = None,
    set_: SetText = None,
    to: Annotated[
        str | None, typer.Option(metavar="NAME", help="a persistent cluster, instead of a new one")
    ] = None,
    main_class: Annotated[str | None, typer.Option("--class", help="main class of a jar")] = None,
    py_files: PathsText = None,
    jars: PathsText = None,
    files: PathsText = None,
    conf: Annotated[
        list[str] | None, typer.Option("--conf", metavar="KEY=VALUE", help="a setting for this job only")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", metavar="WORD", help="another option of the engine, such as --option=--verbose"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run your own job on a new cluster or a persistent one, with the same record and report as any run.

    Output and exit code are those of the job. weft cannot check its result: the verdict is UNCHECKED.
    The arguments after PROGRAM are passed to the job.

    Example: weft submit --nodes virtual:2 --py-files words.zip examples/word_count.py input.txt
    """
    if not program.is_file():
        raise UsageError(f"file not found: {program}", hint="name a .py or .jar file")
    dependencies = {"main_class": main_class, "py_files": py_files, "jars": jars, "files": files}
    job = {
        "kind": "own-job",
        "program": str(program.resolve()),
        "arguments": arguments or [],
        **{key: value for key, value in dependencies.items() if value},
        **({"conf": pairs("--conf", conf)} if conf else {}),
        "options": [word for given in option or [] for word in given.split("=", 1)],
        "directory": str(Path.cwd()),
    }
    flags = Flags(engine, nodes, None, scratch, None, None, tuple(set_ or ()))
    if to is None:
        _do(study_of(job, flags), as_json=as_json)
        return
    if flags != Flags(engine) or as_json:
        raise UsageError(
            "a persistent cluster already has its nodes and scratch",
            hint="use only --to, and --engine if it has several",
        )
    sys.exit(_submit_to(registry.find(to), study_of(job, Flags()), engine, program))


def _submit_to(cluster: PersistentCluster, study: Study, wanted: str | None, program: Path) -> int:
    """Run a job on a persistent cluster, with one of its engines, and return its exit code."""
    ((_, spec),) = study.cells()
    kind = _engine_for(cluster, wanted)
    engine, layout = cluster.engine.parts[kind], cluster.engine.share(kind, cluster.layout)
    if kind not in spec.workload.engines:
        raise UsageError(f"{cluster.name} runs {kind}, which accepts no jobs")
    engine.require_program(program)
    command = engine.submit(spec.workload.job(layout, ()), layout)
    return attach(cluster, command.argv, command.directory or Path.cwd())


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


def plan(
    what: What,
    engine: EngineText = None,
    nodes: NodesText = None,
    size: SizeText = None,
    scratch: ScratchText = None,
    input_: InputText = None,
    output: OutputText = None,
    service: ServiceText = None,
    set_: SetText = None,
    repeat: Repeat = None,
    as_json: AsJson = False,
) -> None:
    """Print everything a run would do without doing it.

    Example: weft plan terasort --nodes virtual:3 --scratch loopback:/lustre/me,size=10G
    """
    flags = Flags(
        engine, nodes, size, scratch, input_, output, tuple(set_ or ()), repeat, tuple(service or ())
    )
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
    rootless.enter(study)
    if (code := submission.enter(study, sys.argv[1:], Progress(Console(stderr=True)))) is not None:
        sys.exit(code)
    try:
        results = matrix.run(study, Progress(Console(stderr=True)), again=again)
    except WeftError as error:
        if error.record is not None:
            _tell([record.read(error.record)], as_json=as_json)
        raise
    _tell(results, as_json=as_json)
    return results


def _tell(results: list[Stored], *, as_json: bool) -> None:
    found = [summarize(result) for result in results]
    for result in results:
        flames.write(result.directory)
    pages = [
        page.save(page.text(summary), result.directory / page.NAME)
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
        if summary.explanation:
            terminal.explained(summary.explanation, console())


def _study_page(study: Study, folder: Path) -> Path:
    """Write the report of a whole study, including runs of earlier commands."""
    lines = headlines(record.all_records(settings.runs()), study.name)
    text = study_page.text(study_page.of_study(lines, study.name, folder))
    return page.save(text, study_page.place(settings.runs(), study.name))
