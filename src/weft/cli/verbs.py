"""Every verb: its file, and its line in `weft --help`.

A verb's file is imported when the verb is called, so that help, completion and simple verbs are fast.
"""

from collections.abc import Mapping
from importlib import import_module
from signal import SIGINT
from typing import Any, NamedTuple

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from weft.errors import Stopped
from weft.host import signals


class Dashed(TyperCommand):
    """A verb whose arguments after `--` are a command of the user, passed on unchanged."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        cut = args.index("--") if "--" in args else len(args)
        ctx.meta["command"] = args[cut + 1 :]
        return super().parse_args(ctx, args[:cut])


class Verb(NamedTuple):
    """The location and summary of a verb."""

    module: str
    line: str
    """The first sentence of its help."""
    function: str = ""
    """Its name there, if it is not the verb's."""
    settings: Mapping[str, Any] = {}
    """Of its command."""


_WITH_ARGUMENTS = {"no_args_is_help": True}
"""Of verbs that do nothing without an argument."""
VERBS = {
    "run": Verb(
        "run", "Run a checked workload on a real cluster and keep a record of it.", settings=_WITH_ARGUMENTS
    ),
    "submit": Verb(
        "run",
        "Run your own job on a new cluster or a persistent one, with the same record and report as any run.",
        settings={**_WITH_ARGUMENTS, "context_settings": {"allow_interspersed_args": False}},
    ),
    "plan": Verb("run", "Print everything a run would do without doing it.", settings=_WITH_ARGUMENTS),
    "up": Verb("clusters", "Start a persistent cluster, which runs until `weft down`."),
    "exec": Verb(
        "clusters", "Run a command on the head node of a persistent cluster.", "execute", {"cls": Dashed}
    ),
    "shell": Verb("clusters", "Open a shell on the head node of a persistent cluster."),
    "connect": Verb(
        "clusters", "Print what a notebook or your own program needs to connect to a persistent cluster."
    ),
    "logs": Verb("clusters", "Show the logs of the daemons of a persistent cluster."),
    "down": Verb("clusters", "End a persistent cluster."),
    "runs": Verb("runs", "List the records, newest last."),
    "show": Verb("records", "Show a run in the terminal: the report as text."),
    "explain": Verb("records", "Show where a run's slot time went, in parts that sum to all of it."),
    "predict": Verb(
        "predict",
        "Predict a run's time elsewhere, with its band, its knee, and how far it is from what was measured.",
    ),
    "advise": Verb(
        "advise",
        "Say what to change about a run: at most five changes, each with its gain, its reason and how to check it.",
    ),
    "trace": Verb(
        "trace",
        "Show what scaling does to a trace of jobs, and the command that replays it.",
        settings=_WITH_ARGUMENTS,
    ),
    "report": Verb(
        "records", "Write the report of a run, or of a whole study, as one self-contained HTML file."
    ),
    "import": Verb(
        "importing",
        "Make a record from a log of Spark, MapReduce or Flink that weft did not write.",
        "import_",
        _WITH_ARGUMENTS,
    ),
    "compare": Verb("records", "Compare runs, grouped by their spec.", "compare_runs", _WITH_ARGUMENTS),
    "keys": Verb(
        "keys", "List the keys of a workload, an engine, nodes, a storage or a service: default and meaning."
    ),
    "calibrate": Verb(
        "calibrate",
        "Measure what nodes, storages and the network can do at most; reports show runs against it.",
    ),
    "survey": Verb(
        "survey", "Find which storage is best for scratch here, for which class of job, to how many nodes."
    ),
    "doctor": Verb("doctor", "Check this machine, or several nodes."),
    "ps": Verb("ps", "List what weft runs on this machine, and what killed commands left behind."),
    "gc": Verb("ps", "Remove what killed commands left behind."),
    "bundle": Verb(
        "bundle", "Pack weft, its Python packages and engines for machines without a way to the registries."
    ),
    "site": Verb("site", "The site profile: job directives, directories, network interface, modules."),
}


class Verbs(TyperGroup):
    """The verbs and their summaries; the one that is called is imported."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name, help=verb.line) for name, verb in VERBS.items()}

    def invoke(self, ctx: Any) -> Any:
        """An interrupt of a library's own handler is a stop; typer would end the command without a word."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            raise Stopped(signals.EXIT_CODES[SIGINT]) from interrupt

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and load(str(command.name)), rest


def load(name: str) -> Any:
    """The command of a verb, from its imported file."""
    app, verb = typer.Typer(rich_markup_mode=None), VERBS[name]
    found = getattr(import_module(f"weft.cli.{verb.module}"), verb.function or name)
    if isinstance(found, typer.Typer):
        app.add_typer(found, name=name)
    else:
        app.command(name, **verb.settings)(found)
    signals.watch_again()
    signals.check()  # importing takes time
    return typer.main.get_group(app).commands[name]
