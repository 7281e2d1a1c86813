"""The verb that lists settings: settings."""

import json
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from weft.adapters.probes import listed as probes
from weft.cli import completing
from weft.cli.flags import AsJson
from weft.errors import UsageError
from weft.spec.keys import Key, describe
from weft.spec.model import FAMILIES, Spec
from weft.text.console import console
from weft.text.nearest import nearest

Name = Annotated[
    str,
    typer.Argument(
        metavar="KIND",
        autocompletion=completing.kind,
        help="spark, virtual, pool, terasort and others; default: settings of every run",
    ),
]


def settings(kind: Name = "", as_json: AsJson = False) -> None:
    """List settings, with default and meaning.

    Those of every run, or of a workload, an engine, nodes, a storage or a service. --set KEY=VALUE changes one.

    Example: weft settings pool
    """
    kinds = {
        name: model
        for family in FAMILIES.values()
        for name, model in family.items()
        if getattr(model, "configurable", True)
    }
    if kind and kind not in kinds:
        known = [name for family in FAMILIES.values() for name in family.listed if name in kinds]
        raise UsageError(f"unknown kind {kind!r}", hint=nearest(kind, list(dict.fromkeys(known))))
    found = describe(kinds[kind] if kind else Spec)
    if as_json:
        print(json.dumps([key._asdict() for key in found], indent=1))
        return
    console().print(_listed(found))
    if not kind:
        print("\n`weft settings KIND` lists the settings of:")
        console().print(_kinds(set(kinds)))


def _listed(found: list[Key]) -> Table:
    table = Table("setting", "default", "meaning", box=None, header_style="bold")
    for key in found:
        table.add_row(*map(escape, key))  # a default may be a regular expression
    return table


def _kinds(configurable: set[str]) -> Table:
    """The kinds that have settings, by what they are."""
    table = Table(box=None, show_header=False)
    families = {("storage" if name == "input" else name): family for name, family in FAMILIES.items()}
    for name, family in families.items():
        if name not in {"output", "scratch"}:
            table.add_row(name, ", ".join(kind for kind in family.listed if kind in configurable))
    table.add_row("probes", ", ".join(probes()))
    return table
