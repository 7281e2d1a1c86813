"""The verb that advises: what to change about a run, tried and scored."""

import json
from collections.abc import Sequence
from typing import Annotated

import typer

from weft.analysis.predict.advice import MOST, Line, OneNode, Trial
from weft.api import advice as changes
from weft.api import again
from weft.cli.flags import AsJson, Run, Trust
from weft.errors import UsageError
from weft.host import settings
from weft.report.pages import advice as shown
from weft.report.pages import terminal
from weft.run import rootless
from weft.text.console import console


def advise(
    run: Run = "last",
    try_: Annotated[
        int,
        typer.Option(
            "--try", min=0, max=MOST, metavar="N", help="run the first N changes and the old run in turn"
        ),
    ] = 0,
    repeat: Annotated[int, typer.Option(min=1, max=20, metavar="N", help="runs of each with --try")] = 2,
    trust: Trust = False,
    score: Annotated[
        bool, typer.Option("--score", help="print how often intervals of tried advice held")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Say what to change about a run, with the gain.

    At most five changes, each with its reason and how to check it.

    Example: weft advise last --try 1
    """
    log = settings.runs() / changes.LOG
    if score:
        tried = changes.read(log)
        _print_score(tried, as_json=as_json)
        return
    found = changes.advise(run)
    if not try_:
        if as_json:
            print(found.model_dump_json(indent=1))
        else:
            terminal.sections([shown.section(found)], console())
        return
    possible: list[Line | OneNode] = [line for line in found.lines if line.flags]
    tries = [*possible, *(one for one in found.one_node if one.flags)][:try_]
    if not tries:
        raise UsageError(
            f"nothing to try: no change of {found.run} that weft has a flag for helps by more than 5 %, and no engine of one node runs it",
            hint="weft advise without --try prints what there is",
        )
    rootless.enter(again.study(found.directory, (), trust=trust))
    tried = changes.attempt(found, tries, repeat, trust=trust)
    with log.open("a", encoding="utf-8") as out:
        out.writelines(f"{one.model_dump_json()}\n" for one in tried)
    _print_score(tried, as_json=as_json)


def _print_score(tried: Sequence[Trial], *, as_json: bool) -> None:
    if as_json:
        rows = [{**one.model_dump(), "held": one.held} for one in tried]
        print(json.dumps(rows, indent=1))
    elif tried:
        terminal.sections([shown.score(tried)], console())
    else:
        print(f"no advice was tried yet: {settings.runs() / changes.LOG} does not exist or is empty")
