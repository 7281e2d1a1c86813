"""The verb that lists settings: keys."""

import json
from typing import Annotated

import typer
from rich.table import Table

from weft.cli.flags import AsJson
from weft.errors import UsageError
from weft.spec.keys import Key, describe
from weft.spec.model import FAMILIES, Spec
from weft.text.console import console
from weft.text.nearest import nearest

Name = Annotated[
    str,
    typer.Argument(metavar="KIND", help="spark, virtual, pool, terasort, ...; default: keys of every run"),
]


def keys(kind: Name = "", as_json: AsJson = False) -> None:
    """List the keys of a workload, an engine, nodes, a storage or a service: default and meaning.

    Example: weft keys pool
    """
    kinds = {
        name: model
        for family in FAMILIES.values()
        for name, model in family.items()
        if getattr(model, "configurable", True)
    }
    if kind and kind not in kinds:
        raise UsageError(f"unknown kind {kind!r}", hint=nearest(kind, list(kinds)))
    found = describe(kinds[kind] if kind else Spec)
    if as_json:
        print(json.dumps([key._asdict() for key in found], indent=1))
        return
    if not kind:
        print(f"kinds: {', '.join(kinds)}")
    console().print(_listed(found))


def _listed(found: list[Key]) -> Table:
    table = Table("key", "default", "meaning", box=None, header_style="bold")
    for key in found:
        table.add_row(*key)
    return table
