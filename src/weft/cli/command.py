"""How commands are parsed and shown: help with values, options that every command has, old spellings, errors."""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from typing import Annotated, Any, NamedTuple

import typer
from typer._click import exceptions as click
from typer._click.parser import _Option
from typer.core import TyperCommand, TyperGroup

from weft.errors import UsageError
from weft.text.verbosity import CHOSEN

Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="print no progress, only results and errors")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="print each step as well")]


class Old(NamedTuple):
    """What an option that older versions had is now."""

    option: str
    form: str = "{}"
    """The value in its present spelling, from the old one."""


class CliCommand(TyperCommand):
    """A command whose help names values instead of Python's types."""

    old: Mapping[str, Old] = {}
    """By old spelling: what it is now. It works in this version, with a note."""

    def __init__(self, name: str | None, **settings: Any) -> None:
        super().__init__(name, **settings)
        _name_values(self.params)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the signature of typer's
        return ["[OPTIONS]", *(_usage(each) for each in self.params if each.param_type_name == "argument")]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Every error of the command line names the command."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def make_parser(self, ctx: Any) -> Any:
        parser = super().make_parser(ctx)
        for spelling, now in self.old.items():
            parser._long_opt[spelling] = _Renamed(spelling, now, parser._long_opt[now.option])  # noqa: SLF001 - it has no other way
        return parser


class CliGroup(TyperGroup):
    """A verb with commands of its own."""

    def __init__(self, **settings: Any) -> None:
        shown = "[COMMAND] [ARGUMENTS]" if settings.get("invoke_without_command") else "COMMAND [ARGUMENTS]"
        super().__init__(**{**settings, "subcommand_metavar": shown})
        _name_values(self.params)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - the signature of typer's
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, (one.help or "").partition("\n")[0]) for name, one in self.commands.items()]
            )


class Dashed(CliCommand):
    """A command whose arguments after `--` are a command of the user, passed on unchanged."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        cut = args.index("--") if "--" in args else len(args)
        ctx.meta["command"] = args[cut + 1 :]
        return super().parse_args(ctx, args[:cut])

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "-- COMMAND"]


class _Renamed(_Option):
    """An old spelling in the parser: it sets the option that replaced it."""

    def __init__(self, spelling: str, now: Old, option: _Option) -> None:
        super().__init__(option.obj, [spelling], option.dest, option.action, option.nargs, option.const)
        self._spelling, self._now = spelling, now

    def process(self, value: Any, state: Any) -> None:
        text = self._now.form.format(value)
        renamed(f"{self._spelling} {value}", f"{self._now.option} {text}")
        super().process(text, state)


def _name_values(parameters: Sequence[Any]) -> None:
    """Options show what their value is, not its type; an argument shows its name once."""
    for each in parameters:
        choices = each.type_descriptor.choices
        value = "|".join(choices) if choices else each.name.strip("_").upper().replace("_", "-")
        each.metavar = each.metavar or value
        if each.param_type_name == "argument":
            vars(each)["display_type_rich"] = lambda ctx: ""  # noqa: ARG005 - the signature of typer's


def written(parameter: Any) -> str:
    """An option with its value, or the name of an argument, as help shows it."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar)
    value = "" if parameter.is_flag else f" {parameter.metavar}"
    return ", ".join(parameter.opts) + value


def renamed(before: str, now: str) -> None:
    """Note that a spelling is an old one."""
    print(f"note: {before} is now {now}; the old spelling works in this version only", file=sys.stderr)


def _usage(argument: Any) -> str:
    name = (
        f"{argument.metavar} ..." if argument.nargs != 1 and " " not in argument.metavar else argument.metavar
    )
    return name if argument.required or name.startswith("[") else f"[{name}]"


def extended(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a command with the options of every command, which it does not receive."""

    @wraps(function)
    def called(**given: Any) -> Any:
        choose(quiet=given.pop("quiet"), verbose=given.pop("verbose"))
        return function(**given)

    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=option, default=False)
        for name, option in (("quiet", Quiet), ("verbose", Verbose))
    ]
    return signed(called, [*inspect.signature(function).parameters.values(), *more])


def signed(function: Callable[..., Any], parameters: Sequence[inspect.Parameter]) -> Callable[..., Any]:
    """The function with other parameters, which typer makes options and arguments of."""
    vars(function)["__signature__"] = inspect.Signature(parameters)
    function.__annotations__ = {each.name: each.annotation for each in parameters}
    return function


def choose(*, quiet: bool, verbose: bool) -> None:
    """Take over what was asked before or behind the name of the command."""
    CHOSEN.quiet, CHOSEN.verbose = CHOSEN.quiet or quiet, CHOSEN.verbose or verbose


def readable(error: Any) -> UsageError:
    """An error of the command line in weft's own form: a sentence and a hint."""
    path = error.ctx.command_path if getattr(error, "ctx", None) else "weft"
    hint = f"`{path} --help` shows what it accepts"
    parameter: Any = getattr(error, "param", None)
    match error:
        case click.NoSuchOption():
            context: Any = error.ctx
            known = [word for each in context.command.get_params(context) for word in each.opts]
            return UsageError(
                f"{path} has no option {error.option_name}", hint=_meant(error.option_name, known, hint)
            )
        case click.BadOptionUsage() if "requires" in error.message:
            return UsageError(f"{path}: {error.option_name} needs a value", hint=hint)
        case click.MissingParameter():
            return UsageError(f"{path}: {_named(parameter)} is missing", hint=hint)
        case click.BadParameter() if parameter is not None:
            return UsageError(f"{path}: {_named(parameter)}: {_refused(error)}", hint=hint)
    text = error.format_message().rstrip(".")
    return UsageError(f"{path}: {text[:1].lower()}{text[1:]}", hint=hint)


def _named(parameter: Any) -> str:
    option = parameter.param_type_name == "option"
    return "/".join(parameter.opts) if option else str(parameter.metavar)


def _refused(error: Any) -> str:
    """What a value should have been."""
    if not hasattr(error.__cause__, "errors"):
        return str(error.message.rstrip("."))
    from weft.spec.messages import wanted  # noqa: PLC0415 - the command line imports it for an error only

    first = error.__cause__.errors()[0]
    return f"{wanted(first, None)}, not {first['input']!r}"


def unknown(word: str, known: Sequence[str]) -> UsageError:
    """There is no such command."""
    hint = "`weft --help` lists all commands"
    return UsageError(f"weft has no command {word!r}", hint=_meant(word, known, hint))


def _meant(word: str, known: Sequence[str], hint: str) -> str:
    close = get_close_matches(word, known, n=1, cutoff=0.5)
    return f"did you mean {close[0]}? {hint}" if close else hint
