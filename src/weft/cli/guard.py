"""What every entry of weft's own stands in: signals, and errors as one message with an exit code."""

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType

import typer

from weft.errors import Stopped, WeftError


def guarded(action: Callable[[], object]) -> None:
    """Do it; errors become one message and an exit code."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    try:
        action()
    except WeftError as error:
        _tell(error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print("stopped; nothing was left behind", file=sys.stderr)
        sys.exit(130)
    except Stopped as stopped:
        print("stopped; nothing was left behind", file=sys.stderr)
        sys.exit(stopped.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(error: WeftError) -> None:
    """An error for people: one line each, which a terminal wraps and a file does not."""
    typer.secho("error:", err=True, nl=False, fg="red", bold=True)
    print(f" {error.message}", *(f"    {line}" for line in error.tail), sep="\n", file=sys.stderr)
    if error.hint:
        print(file=sys.stderr)
        typer.secho("hint:", err=True, nl=False, bold=True)
        print(f" {error.hint}", file=sys.stderr)


def _stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a handler
    # one signal unwinds; more of them must not break the unwinding
    for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signal_number, signal.SIG_IGN)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise Stopped
