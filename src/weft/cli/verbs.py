"""Every verb: the file that holds it, and the line that `weft --help` shows of it.

A verb's file is imported when the verb is called: help, completion and verbs that need little answer at once.
"""

from importlib import import_module
from typing import Any, NamedTuple

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from weft.host import signals


class Verb(NamedTuple):
    """Where a verb is, and what it does."""

    module: str
    line: str
    """The first sentence of its help."""


VERBS = {
    "run": Verb("work", "Run a checked workload on a real cluster and keep a record of it."),
    "submit": Verb(
        "work", "Run your own job on a cluster of its own, with the record and report of any run."
    ),
    "plan": Verb("work", "Print everything a run would do, and do none of it."),
    "up": Verb("clusters", "Start a cluster of your own, which stays until `weft down`."),
    "exec": Verb("clusters", "Run a command on the head node of a persistent cluster."),
    "shell": Verb("clusters", "Open a shell on the head node of a persistent cluster."),
    "connect": Verb(
        "clusters", "Say what a notebook or a program of your own needs to connect to a persistent cluster."
    ),
    "logs": Verb("clusters", "Show the logs of the daemons of a persistent cluster."),
    "down": Verb("clusters", "End a persistent cluster."),
    "runs": Verb("runs", "List the records, newest last."),
    "show": Verb("look", "Show a run in the terminal: the report as text."),
    "explain": Verb("look", "Say where a run's slot time went, in parts that sum to all of it."),
    "report": Verb("look", "Write a run's report as one HTML file that needs no network."),
    "compare": Verb("look", "Compare runs, grouped by their spec."),
    "keys": Verb(
        "keys", "List the keys of a workload, an engine, nodes, a storage or a service: default and meaning."
    ),
    "doctor": Verb("doctor", "Check this machine, or nodes all at once."),
    "ps": Verb("house", "List what weft runs on this machine, and what killed commands left."),
    "gc": Verb("house", "Remove what killed commands left."),
    "site": Verb(
        "site", "What a centre's machine is like: the directives of jobs, directories, interface, modules."
    ),
}


class Verbs(TyperGroup):
    """The verbs by their lines; the one that is called is loaded."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name, help=verb.line) for name, verb in VERBS.items()}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and load(str(command.name)), rest


def load(name: str) -> Any:
    """The command of a verb, its file imported."""
    app = typer.Typer(rich_markup_mode=None)
    import_module(f"weft.cli.{VERBS[name].module}").register(app)
    signals.check()  # loading takes its time
    return typer.main.get_group(app).commands[name]
