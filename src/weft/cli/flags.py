"""The options that several verbs have, and their values. Importing it is fast: help needs nothing else."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from weft.api.flags import Flags

OPTIONS: dict[str, Any] = {
    "engine": Annotated[str | None, typer.Option(help="spark, or kind:key=value,...")],
    "nodes": Annotated[
        str | None, typer.Option(help="local:2, virtual:3,rate=10gbit, slurm:4, ssh:node[1-4], ...")
    ],
    "size": Annotated[str | None, typer.Option(help="size of the workload, such as 2GB")],
    "scratch": Annotated[
        str | None,
        typer.Option(
            help="disk[:DIR], memory[:SIZE], loopback[:DIR],size=2G, mount:DIR, pool[:DIR], delayed:lustre; backed by another one with +: pool+delayed:lustre"
        ),
    ],
    "input": Annotated[
        str | None,
        typer.Option(help="storage of the input, in the same form: disk:DIR, pool+mount:DIR, ..."),
    ],
    "output": Annotated[
        str | None,
        typer.Option(help="storage of the output, in the same form: disk:DIR, loopback+delayed:lustre, ..."),
    ],
    "services": Annotated[
        list[str] | None,
        typer.Option(
            "--service", metavar="KIND[:NODES]", help="a service besides the engine, such as null:1"
        ),
    ],
    "set": Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="any key of the spec; a bare key is the workload's"),
    ],
    "repeat": Annotated[str | None, typer.Option(metavar="N", help="number of runs of each cell")],
}
"""By key of `Flags`: what is asked of a run."""
Trust = Annotated[
    bool,
    typer.Option(
        "--trust", help="run what a file or record of another user names: programs, options of a JVM"
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="print the result as JSON")]
OfStudy = Annotated[
    str, typer.Option("--study", metavar="NAME", help="all runs of this study", show_default=False)
]
Run = Annotated[
    str, typer.Argument(metavar="RUN", help="path or name of a record, or part of its name, or last")
]


def with_flags(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a verb these options, whose values it receives as `flags`."""

    def with_options(verb: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(verb)
        def called(**given: Any) -> None:
            values = {name: given.pop(name) for name in names}
            lists = {
                name: tuple(value or ()) for name, value in values.items() if name in {"services", "set"}
            }
            verb(**given, flags=Flags(**{**values, **lists}))

        before = list(inspect.signature(verb).parameters.values())
        at = [one.name for one in before].index("flags")
        options = [
            inspect.Parameter(name, before[at].kind, annotation=OPTIONS[name], default=None) for name in names
        ]
        parameters = [*before[:at], *options, *before[at + 1 :]]
        vars(called)["__signature__"] = inspect.Signature(parameters)
        called.__annotations__ = {one.name: one.annotation for one in parameters}
        return called

    return with_options
