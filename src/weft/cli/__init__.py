"""The command line: every verb, and what every verb shares."""

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType

import typer
from rich.console import Console

from weft import __version__
from weft.cli import clusters, house, keys, look, site, work
from weft.clusters import supervisor
from weft.errors import Stopped, WeftError

app = typer.Typer(
    name="weft",
    help="Run data engines on HPC machines, see where the time goes, and take the shared file system out of the way.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verbs in (work, clusters, look, keys, house, site):
    verbs.register(app)


@app.callback(invoke_without_command=True)
def options(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    if version:
        print(__version__)
        raise typer.Exit


def _stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a handler
    # one signal unwinds; more of them must not break the unwinding
    for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signal_number, signal.SIG_IGN)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise Stopped


def main() -> None:
    """Run a verb."""
    _guarded(lambda: app(prog_name="weft"))


def supervise() -> None:
    """Be the supervisor of a standing cluster."""
    _guarded(supervisor.hold)


def _guarded(action: Callable[[], object]) -> None:
    """Do it; errors become one message and an exit code."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    console = Console(stderr=True)
    try:
        action()
    except WeftError as error:
        console.print(f"[bold red]error:[/] {_plain(error.message)}", highlight=False)
        for line in error.tail:
            console.print(f"    {line}", markup=False, highlight=False)
        if error.hint:
            console.print(f"\n[bold]hint:[/] {_plain(error.hint)}", highlight=False)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        console.print("stopped; nothing was left behind")
        sys.exit(130)
    except Stopped as stopped:
        console.print("stopped; nothing was left behind")
        sys.exit(stopped.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _plain(text: str) -> str:
    return text.replace("[", r"\[")
