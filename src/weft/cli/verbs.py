"""Every verb: its file, and its line in `weft --help`.

A verb's file is imported when the verb is called, so that help, completion and simple verbs are fast.
"""

import ast
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
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
    """The location of a verb."""

    module: str
    function: str = ""
    """Its name there, if it is not the verb's."""
    settings: Mapping[str, Any] = {}
    """Of its command."""


_WITH_ARGUMENTS = {"no_args_is_help": True}
"""Of verbs that do nothing without an argument."""
_UNTIL_PROGRAM = {**_WITH_ARGUMENTS, "context_settings": {"allow_interspersed_args": False}}
VERBS = {
    "run": Verb("run", settings=_WITH_ARGUMENTS),
    "submit": Verb("run", settings=_UNTIL_PROGRAM),
    "plan": Verb("run", settings=_WITH_ARGUMENTS),
    "up": Verb("clusters"),
    "exec": Verb("clusters", "execute", {"cls": Dashed}),
    "shell": Verb("clusters"),
    "connect": Verb("clusters"),
    "logs": Verb("clusters"),
    "down": Verb("clusters"),
    "runs": Verb("runs"),
    "show": Verb("records"),
    "explain": Verb("records"),
    "predict": Verb("predict"),
    "advise": Verb("advise"),
    "trace": Verb("trace", settings=_WITH_ARGUMENTS),
    "report": Verb("records"),
    "import": Verb("importing", "import_", _WITH_ARGUMENTS),
    "compare": Verb("records", "compare_runs", _WITH_ARGUMENTS),
    "keys": Verb("keys"),
    "calibrate": Verb("calibrate"),
    "survey": Verb("survey"),
    "doctor": Verb("doctor"),
    "ps": Verb("ps"),
    "gc": Verb("ps"),
    "bundle": Verb("bundle"),
    "site": Verb("site"),
}


def line(name: str) -> str:
    """The first sentence of a verb's help, read from its file without importing it; of several verbs in one, their file's."""
    verb = VERBS[name]
    module = ast.parse(Path(__file__).with_name(f"{verb.module}.py").read_text())
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    text = ast.get_docstring(functions.get(verb.function or name, module)) or ""
    return text.partition(".\n")[0].partition(". ")[0].rstrip(".") + "."


class Verbs(TyperGroup):
    """The verbs and their summaries; the one that is called is imported."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # of each only its name, until it is asked for
        self.commands = {name: TyperCommand(name) for name in VERBS}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - the signature of a group
        return TyperCommand(cmd_name, help=line(cmd_name)) if cmd_name in VERBS else None

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
