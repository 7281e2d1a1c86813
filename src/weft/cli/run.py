"""Verbs that do work: run, submit."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from weft.api.flags import Flags, pairs
from weft.cli import completing
from weft.cli.flags import JOB, OPTIONS, AsJson, DryRun, Out, Trust, taking, with_flags
from weft.errors import UsageError

What = Annotated[
    str,
    typer.Argument(
        metavar="WORKLOAD|STUDY",
        autocompletion=completing.workload,
        help="a workload, such as terasort; a TOML file; or a folder with study.toml",
    ),
]
_to = partial(typer.Option, "--to", metavar="NAME", autocompletion=completing.cluster)
_CLUSTER = "a persistent cluster, instead of a new one"
To = Annotated[str | None, _to(help=_CLUSTER)]
OnlyTo = Annotated[str | None, _to(help=f"{_CLUSTER}; only with options of the job, and --engine")]
Conf = Annotated[
    list[str] | None, typer.Option("--conf", metavar="KEY=VALUE", help="a setting for this job only")
]
Size = Annotated[str | None, typer.Option(metavar="SIZE", help="heap, such as 4G")]
Again = Annotated[
    bool, typer.Option("--again", help="run again what is finished, of a study and of --repeat")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="a cluster of its own for each run of a study")]


@with_flags(*OPTIONS)
def run(
    what: What,
    flags: Flags,
    to: To = None,
    again: Again = False,
    fresh: Fresh = False,
    dry_run: DryRun = False,
    trust: Trust = False,
    as_json: AsJson = False,
) -> None:
    """Run a benchmark, or a matrix of them, and check the results.

    Each run has a record, and a cluster of its own; with --to NAME it runs on a persistent cluster instead. Runs of a study share a cluster where they differ in nothing that it decides and are measured alike. With --dry-run (also: weft plan) it prints every file and command of the run, and the job script on Slurm.

    Example: weft run terasort --nodes virtual:3 --size 2GB --scratch memory
    """
    if to is not None:
        if fresh:
            raise UsageError("--fresh and --to contradict each other", hint="omit one of them")
        from weft.cli import joined  # noqa: PLC0415 - help needs none of it

        joined.run(to, what, replace(flags, trust=trust), again=again, dry_run=dry_run, as_json=as_json)
        return
    from weft.cli import outcomes  # noqa: PLC0415 - help needs none of it

    if dry_run:
        outcomes.plan(what, replace(flags, trust=True), as_json=as_json)  # nothing is run
    else:
        outcomes.run(what, replace(flags, trust=trust), again=again, fresh=fresh, as_json=as_json)


@with_flags(*(name for name in OPTIONS if name != "size"))
@taking("job", JOB, lambda values: {key: value for key, value in values.items() if value})
def submit(
    program: Annotated[Path, typer.Argument(metavar="PROGRAM", help="your .py, .jar or .sql file")],
    arguments: Annotated[list[str] | None, typer.Argument(help="its arguments")] = None,
    *,
    flags: Flags,
    to: OnlyTo = None,
    job: dict[str, Any],
    driver_memory: Size = None,
    executor_memory: Size = None,
    conf: Conf = None,
    properties_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="settings, as in spark-defaults.conf")
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option("--table", metavar="NAME=FILES", help="a table of a .sql file: files in Parquet"),
    ] = None,
    out: Out = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Run your own job, with the same record and report.

    On a new cluster, or on a persistent one.

    Output and exit code are those of the job. Arguments after PROGRAM are passed to it. A .sql file has one query, on the
    tables of --table; its result is --out.

    Without --check the verdict is UNCHECKED. With it the job is a measurement: VALID after exit code 0, otherwise INVALID.
    No shell runs the command. In it, and in the job's arguments, {input} and {output} are directories on the storage of
    --input and --output, and {stdout} is the file with what the job printed.

    Example: weft submit --repeat 5 --check 'grep -q total {stdout}' examples/word_count.py
    """
    if not program.is_file():
        raise UsageError(f"file not found: {program}", hint="name a .py, .jar or .sql file")
    from weft.cli import submitted  # noqa: PLC0415 - help needs none of it

    # a property such as -Dkey=value is one word
    words = [
        part
        for word in job.get("options", ())
        for part in (word.split("=", 1) if word.startswith("--") else [word])
    ]
    asked_of_job = submitted.Asked(
        program,
        arguments or (),
        {**job, **({"options": words} if words else {})},
        conf=pairs("--conf", conf or ()),
        properties=properties_file,
        memory={"driver": driver_memory, "executor": executor_memory},
        tables=table or (),
        result=out,
    )
    submitted.submit(asked_of_job, flags, to, dry_run=dry_run, as_json=as_json)
