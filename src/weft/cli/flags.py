"""The options that several verbs have, and their values. Importing it is fast: help needs nothing else."""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from weft.api.flags import Flags
from weft.cli import completing
from weft.cli.command import signed
from weft.errors import UsageError
from weft.facts.storages import split_list
from weft.text.units import parse_duration, write_duration

OPTIONS: dict[str, Any] = {
    "engine": Annotated[
        str | None,
        typer.Option(
            autocompletion=completing.of("engines"),
            help="spark, flink or another one, which `weft settings` lists; with settings: spark:master=yarn",
        ),
    ],
    "nodes": Annotated[
        str | None,
        typer.Option(
            autocompletion=completing.of("nodes"),
            help="local:2, virtual:3,rate=10gbit, slurm:4 or ssh:node[1-4]",
        ),
    ],
    "size": Annotated[str | None, typer.Option(help="size of the workload, such as 2GB")],
    "scratch": Annotated[
        str | None,
        typer.Option(
            metavar="STORAGE",
            autocompletion=completing.storage,
            help="disk[:DIR], memory[:SIZE], loopback[:DIR],size=2G, mount:DIR, pool[:DIR], delayed:lustre; backed by another one with +: pool+delayed:lustre",
        ),
    ],
    "input": Annotated[
        str | None,
        typer.Option(
            metavar="STORAGE",
            autocompletion=completing.storage,
            help="storage of the input, in the same form, also hdfs[:NODES]",
        ),
    ],
    "output": Annotated[
        str | None,
        typer.Option(
            metavar="STORAGE",
            autocompletion=completing.storage,
            help="storage of the output, in the same form, also hdfs[:NODES]",
        ),
    ],
    "services": Annotated[
        list[str] | None,
        typer.Option(
            "--service",
            metavar="KIND[:NODES]",
            autocompletion=completing.of("services"),
            help="a service besides the engine, such as kafka:1; can be repeated",
        ),
    ],
    "set": Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE", help="any setting, such as engine.driver_memory=2G; can be repeated"
        ),
    ],
    "probes": Annotated[
        list[str] | None,
        typer.Option(
            "--probe",
            metavar="NAME",
            autocompletion=completing.of("probes"),
            help="add a probe, such as fileops; can be repeated",
        ),
    ],
    "labels": Annotated[
        list[str] | None,
        typer.Option(
            "--label",
            metavar="WORD",
            autocompletion=completing.label,
            help="what to call the run: weft runs --label WORD",
        ),
    ],
    "slurm": Annotated[
        int | None, typer.Option("-N", metavar="N", min=1, help="N nodes of Slurm: --nodes slurm:N")
    ],
    "partition": Annotated[
        str | None, typer.Option("-p", "--partition", metavar="NAME", help="partition of the Slurm job")
    ],
    "account": Annotated[
        str | None, typer.Option("-A", "--account", metavar="NAME", help="account of the Slurm job")
    ],
    "time": Annotated[
        str | None,
        typer.Option("-t", "--time", metavar="TIME", help="time limit of the Slurm job: 8h, or 1:00:00"),
    ],
    "repeat": Annotated[str | None, typer.Option(metavar="N", help="number of runs")],
}
"""By key of `Flags`: what is asked of a run."""
_LISTS = frozenset({"services", "set", "probes", "labels"})
NODES = ("nodes", "slurm", "partition", "account", "time")
"""Where something runs."""
Trust = Annotated[
    bool,
    typer.Option(
        "--trust", help="run what a file or record of another user names: programs, options of a JVM"
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="print everything it would do without doing it")]
Out = Annotated[
    Path | None, typer.Option("-o", "--out", metavar="FILE", help="the file to write", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="print the result as JSON")]
Scratches = Annotated[
    list[str] | None,
    typer.Option(
        metavar="STORAGE,...",
        autocompletion=completing.storage,
        help="storage types: disk,memory,pool+mount:/lustre/me",
        show_default=False,
    ),
]
"""Of verbs that compare several."""
OfStudy = Annotated[
    str, typer.Option("--study", metavar="NAME", help="all runs of this study", show_default=False)
]
Run = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        autocompletion=completing.run,
        help="path or name of a record, or part of its name, or last",
    ),
]
RunOrLog = Annotated[
    str,
    typer.Argument(
        metavar="RUN|LOG",
        autocompletion=completing.run_or_log,
        help="path or name of a record, or part of its name, or last; or the file of a log",
    ),
]


JOB: dict[str, Any] = {
    "verify": Annotated[
        str | None,
        typer.Option(
            "--check", metavar="COMMAND", help="checks the result: with exit code 0 the run is VALID"
        ),
    ],
    "stage": Annotated[
        str | None,
        typer.Option(metavar="PATHS", help="files that are copied to --input before the job starts"),
    ],
    "name": Annotated[str | None, typer.Option(metavar="NAME", help="name of the job")],
    "main_class": Annotated[str | None, typer.Option("--class", help="main class of a jar")],
    "py_files": Annotated[
        str | None, typer.Option(metavar="PATHS", help="modules that it imports: a.py,b.zip")
    ],
    "jars": Annotated[str | None, typer.Option(metavar="PATHS", help="jars that it uses: a.jar,b.jar")],
    "packages": Annotated[
        str | None, typer.Option(metavar="COORDINATES", help="jars from Maven: GROUP:ARTIFACT:VERSION")
    ],
    "files": Annotated[
        str | None, typer.Option(metavar="PATHS", help="for the working directory of every task")
    ],
    "archives": Annotated[
        str | None,
        typer.Option(metavar="PATHS", help="unpacked in the working directory of every task: env.tar.gz#env"),
    ],
    "options": Annotated[
        list[str] | None,
        typer.Option(
            "--option", metavar="WORD", help="another option of the engine, such as --option=--verbose"
        ),
    ],
}
"""By key of a job of the user: its options, most of them as of spark-submit."""


def with_flags(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a verb these options, whose values it receives as `flags`."""

    def flags(values: dict[str, Any]) -> Flags:
        lists = {name: tuple(value or ()) for name, value in values.items() if name in _LISTS}
        return Flags(**{**values, **lists})

    return taking("flags", {name: OPTIONS[name] for name in names}, flags)


def taking(
    parameter: str, options: Mapping[str, Any], together: Callable[[dict[str, Any]], Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a verb these options, whose values it receives together as one of its parameters."""

    def with_options(verb: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(verb)
        def called(**given: Any) -> None:
            values = {name: given.pop(name) for name in options}
            verb(**given, **{parameter: together(values)})

        before = list(inspect.signature(verb).parameters.values())
        at = [one.name for one in before].index(parameter)
        found = [
            inspect.Parameter(name, before[at].kind, annotation=option, default=None)
            for name, option in options.items()
        ]
        return signed(called, [*before[:at], *found, *before[at + 1 :]])

    return with_options


def duration(option: str, text: str, least: float, most: float) -> float:
    """Seconds of an option's value. Raises UsageError that names the option."""
    try:
        found = parse_duration(text)
    except ValueError as error:
        raise UsageError(f"{option}: {error}", hint=f"write {option} {write_duration(least)}") from error
    if not least <= found <= most:
        bounds = f"at least {write_duration(least)} and at most {write_duration(most)}"
        raise UsageError(
            f"{option}: {text!r} must be {bounds}", hint=f"write {option} {write_duration(least)}"
        )
    return found


def every(option: str, given: Sequence[str] | None, default: Sequence[str]) -> list[str]:
    """The values of an option that is a list: with commas between them, or given several times."""
    if given is None:
        return list(default)
    found = [value for text in given if text.strip(",") for value in split_list(text)]
    if not found:
        raise UsageError(f"{option} names nothing", hint=f"write {option} A,B; `--help` has an example")
    return found
