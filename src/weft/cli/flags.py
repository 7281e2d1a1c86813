"""The options that several verbs have, and their values. Importing it is fast: help needs nothing else."""

from typing import Annotated

import typer

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
Trust = Annotated[
    bool,
    typer.Option(
        "--trust", help="run what a file or record of another user names: programs, options of a JVM"
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="print the result as JSON")]
