"""Verbs that do work: run, submit, plan."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from weft.api.flags import Flags, pairs
from weft.cli.flags import OPTIONS, AsJson, Trust, with_flags
from weft.cli.ownquery import own_query
from weft.errors import UsageError

What = Annotated[
    str,
    typer.Argument(
        metavar="WORKLOAD|STUDY",
        help="a workload, such as terasort; a TOML file; or a folder with study.toml",
    ),
]
PathsText = Annotated[
    str | None,
    typer.Option(metavar="PATHS", help="files for the job, separated by commas, as in spark-submit"),
]
Again = Annotated[bool, typer.Option("--again", help="run finished cells of a study again")]


@with_flags(*OPTIONS)
def run(
    what: What, flags: Flags, again: Again = False, trust: Trust = False, as_json: AsJson = False
) -> None:
    """Run a checked workload on a real cluster and keep a record of it.

    Example: weft run terasort --nodes virtual:3 --size 2GB --scratch memory
    """
    from weft.cli import outcomes  # noqa: PLC0415 - help needs none of it

    outcomes.run(what, replace(flags, trust=trust), again=again, as_json=as_json)


@with_flags("engine", "nodes", "scratch", "set")
def submit(
    program: Annotated[Path, typer.Argument(metavar="PROGRAM", help="your .py, .jar or .sql file")],
    arguments: Annotated[list[str] | None, typer.Argument(help="its arguments")] = None,
    *,
    flags: Flags,
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
            "--option", metavar="ARGUMENT", help="another option of the engine, such as --option=--verbose"
        ),
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option("--table", metavar="NAME=FILES", help="a table of a .sql file: files in Parquet"),
    ] = None,
    result: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="file for the result of a .sql file, .parquet or .csv"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run your own job on a new cluster or a persistent one, with the same record and report as any run.

    Output and exit code are those of the job. weft cannot check its result: the verdict is UNCHECKED.
    The arguments after PROGRAM are passed to the job. A .sql file has one query, on the tables of --table.

    Example: weft submit --nodes virtual:2 --py-files words.zip examples/word_count.py input.txt
    """
    if not program.is_file():
        raise UsageError(f"file not found: {program}", hint="name a .py, .jar or .sql file")
    from weft.cli import outcomes  # noqa: PLC0415 - help needs none of it

    dependencies = {"main_class": main_class, "py_files": py_files, "jars": jars, "files": files}
    given = {**dependencies, "conf": pairs("--conf", conf or ()), "options": option, "to": to}
    query = own_query(program, arguments or (), table or (), result, given)
    outcomes.submit(query or _own_job(program, arguments or (), given), flags, to, as_json=as_json)


def _own_job(program: Path, arguments: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    from weft.api.runs import own_job  # noqa: PLC0415

    keys = ("main_class", "py_files", "jars", "files", "conf")
    options = [part for option in given["options"] or [] for part in option.split("=", 1)]
    return own_job(
        program, arguments, {"options": options, **{key: given[key] for key in keys if given[key]}}
    )


@with_flags(*OPTIONS)
def plan(what: What, flags: Flags, as_json: AsJson = False) -> None:
    """Print everything a run would do without doing it.

    Example: weft plan terasort --nodes virtual:3 --scratch loopback:/lustre/me,size=10G
    """
    from weft.cli import outcomes  # noqa: PLC0415

    outcomes.plan(what, replace(flags, trust=True), as_json=as_json)  # nothing is run
