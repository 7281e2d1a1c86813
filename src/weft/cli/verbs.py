"""Every verb: its group, its file, and its line in `weft --help`.

A verb's file is imported when the verb is called, so that help, completion and simple verbs are fast.
"""

import gc
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from signal import SIGINT
from typing import Any, NamedTuple

import typer
import typer.main
from typer.core import TyperCommand
from typer.exceptions import Abort, TyperException

from weft.cli.command import CliCommand, CliGroup, Dashed, Old, extended, readable, unknown
from weft.errors import Stopped
from weft.host import signals


class Verb(NamedTuple):
    """The location of a verb."""

    module: str
    function: str = ""
    """Its name there, if it is not the verb's."""
    settings: Mapping[str, Any] = {}
    """Of its command."""
    old: Mapping[str, Old] = {}
    """Old spellings of its options."""


_WITH_ARGUMENTS = {"no_args_is_help": True}
"""Of verbs that do nothing without an argument."""
_UNTIL_PROGRAM = {**_WITH_ARGUMENTS, "context_settings": {"allow_interspersed_args": False}}
GROUPS: Mapping[str, Mapping[str, Verb]] = {
    "Run": {
        "run": Verb("run", settings=_WITH_ARGUMENTS),
        "submit": Verb("run", settings=_UNTIL_PROGRAM, old={"--result": Old("--out")}),
        "top": Verb("top"),
        "settings": Verb("settings"),
        "trace": Verb("trace", settings=_WITH_ARGUMENTS),
    },
    "Clusters": {
        "up": Verb("clusters"),
        "exec": Verb("clusters", "execute", {"cls": Dashed}),
        "shell": Verb("clusters"),
        "connect": Verb("clusters"),
        "logs": Verb("clusters"),
        "down": Verb("clusters"),
    },
    "Results": {
        "runs": Verb("runs"),
        "show": Verb("records"),
        "explain": Verb("records"),
        "report": Verb("records", old={"--output": Old("--out")}),
        "compare": Verb("records", "compare_runs", _WITH_ARGUMENTS),
        "import": Verb("importing", "import_", _WITH_ARGUMENTS),
    },
    "Model": {
        "predict": Verb("predict", old={"--page": Old("--out")}),
        "advise": Verb("advise", old={"--rounds": Old("--repeat")}),
        "calibrate": Verb("calibrate", old={"--seconds": Old("--each", "{}s")}),
    },
    "Site": {
        "doctor": Verb("doctor"),
        "site": Verb("site"),
        "survey": Verb("survey", old={"--minutes": Old("--within", "{}m")}),
        "bundle": Verb("bundle", old={"--engines": Old("--engine")}),
    },
    "Housekeeping": {
        "ps": Verb("ps"),
        "clean": Verb("ps"),
    },
}
VERBS: Mapping[str, Verb] = {name: verb for group in GROUPS.values() for name, verb in group.items()}
ALIASES = {"plan": ("run", "--dry-run"), "gc": ("clean",), "keys": ("settings",)}
"""Other names, and what they mean."""


def line(name: str) -> str:
    """The first sentence of a verb's help, read from its file without importing it; of several verbs in one, their file's."""
    verb = VERBS[name]
    module = Path(__file__).with_name(f"{verb.module}.py").read_text(encoding="utf-8")
    function = module.partition(f"\ndef {verb.function or name}(")[2] or module
    text = function.split('"""', 2)[1]
    return text.partition(".\n")[0].partition(". ")[0].rstrip(".") + "."


class Verbs(CliGroup):
    """The verbs and their summaries; the one that is called is imported."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # of each only its name, until it is asked for
        self.commands = {name: TyperCommand(name) for name in VERBS}

    def main(self, *arguments: Any, **settings: Any) -> Any:
        """Errors of the command line are raised in weft's own form."""
        try:
            code = super().main(*arguments, **{**settings, "standalone_mode": False})
        except TyperException as error:
            if type(error).__name__ == "NoArgsIsHelpError":
                print(error.format_message(), file=sys.stderr)
                sys.exit(2)
            raise readable(error) from error
        except Abort as abort:  # a question was left with Ctrl-C
            raise Stopped(signals.EXIT_CODES[SIGINT]) from abort
        if code:
            sys.exit(code)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - the signature of a group
        return TyperCommand(cmd_name, help=line(cmd_name)) if cmd_name in VERBS else None

    def invoke(self, ctx: Any) -> Any:
        """An interrupt of a library's own handler is a stop; typer would end the command without a word."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            raise Stopped(signals.EXIT_CODES[SIGINT]) from interrupt

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """`weft help run` is `weft run --help`."""
        return super().parse_args(ctx, [*args[1:], "--help"] if args[:1] == ["help"] else args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        first, *rest = args
        name, *more = ALIASES.get(first, (first,))
        if name not in VERBS:
            if ctx.resilient_parsing:
                return None, None, rest
            raise unknown(name, [*VERBS, *ALIASES])
        return name, load(name), [*more, *rest]

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - the signature of typer's
        width = max(map(len, VERBS))
        for group, verbs in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(f"{name:<{width}}", line(name).rstrip(".")) for name in verbs])


def load(name: str) -> Any:
    """The command of a verb, from its imported file."""
    app, verb = typer.Typer(rich_markup_mode=None), VERBS[name]
    found = getattr(import_module(f"weft.cli.{verb.module}"), verb.function or name)
    if isinstance(found, typer.Typer):
        app.add_typer(found, name=name)
    else:
        app.command(name, **{"cls": CliCommand, **verb.settings})(extended(found))
    gc.freeze()  # what is loaded stays, and is not searched for garbage
    gc.enable()
    signals.watch_again()
    signals.check()  # importing takes time
    command = typer.main.get_group(app).commands[name]
    vars(command)["old"] = verb.old
    return command
