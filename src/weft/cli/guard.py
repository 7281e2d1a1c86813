"""What every entry of weft's own stands in: signals, and errors as one message with an exit code."""

import os
import sys
from collections.abc import Callable

import typer

from weft.errors import Stopped, WeftError
from weft.host import signals


def guarded(action: Callable[[], object]) -> None:
    """Do it; errors become one message and an exit code."""
    signals.watch()
    try:
        action()
        signals.check()
    except WeftError as error:
        _tell(error)
        sys.exit(error.exit_code)
    except Stopped as stopped:
        print(_ended(stopped), file=sys.stderr)
        sys.exit(stopped.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _ended(stopped: Stopped) -> str:
    """What was stopped, and where its record is: what could not be released is an error of its own."""
    if stopped.record is None:
        return "stopped"
    return f"stopped in phase {stopped.phase}; nothing was left behind but the record {stopped.record}"


def _tell(error: WeftError) -> None:
    """An error for people: one line each, which a terminal wraps and a file does not."""
    typer.secho("error:", err=True, nl=False, fg="red", bold=True)
    print(f" {error.message}", *(f"    {line}" for line in error.tail), sep="\n", file=sys.stderr)
    if error.hint:
        print(file=sys.stderr)
        typer.secho("hint:", err=True, nl=False, bold=True)
        print(f" {error.hint}", file=sys.stderr)
