"""The options that several verbs have, and their values. Importing it is fast: help needs nothing else."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from weft.errors import UsageError

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
AsJson = Annotated[bool, typer.Option("--json", help="print the result as JSON")]


@dataclass(frozen=True)
class Flags:
    """The flags of `weft run` and `weft plan`; None if not given."""

    engine: str | None = None
    nodes: str | None = None
    size: str | None = None
    scratch: str | None = None
    input: str | None = None
    output: str | None = None
    set: tuple[str, ...] = ()
    repeat: str | None = None
    services: tuple[str, ...] = ()

    def overrides(self) -> dict[str, Any]:
        """Dotted keys and values. Raises UsageError for a --set without a value."""
        named = ("engine", "nodes", "scratch", "input", "output")
        found: dict[str, Any] = {key: getattr(self, key) for key in named if getattr(self, key) is not None}
        if self.size is not None:
            found["size"] = self.size
        if self.services:
            found["services"] = list(self.services)
        return {**found, **pairs("--set", self.set)}


def pairs(flag: str, arguments: Iterable[str]) -> dict[str, str]:
    """Keys and values of `--flag key=value`, given any number of times. Raises UsageError for one without a value."""
    found = {}
    for word in arguments:
        key, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"{flag} {word}: value missing", hint=f"write {flag} key=value")
        found[key] = value
    return found
