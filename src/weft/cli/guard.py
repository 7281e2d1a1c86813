"""What every entry point shares: signals, and errors as one message with an exit code."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import TextIOWrapper

import typer

from weft.errors import Stopped, WeftError
from weft.host import settings, signals, unforeseen
from weft.host.programs import openfiles
from weft.text.closed import silence
from weft.text.printable import Printable

_CLOSED = 128 + signal.SIGPIPE
"""With which a command ends whose output nobody reads any more, as a shell says it of others."""


def run_guarded(action: Callable[[], object]) -> None:
    """Run it; errors become one message and an exit code."""
    signals.watch()
    openfiles.allow()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # a terminal may lack a letter, and names of files and processes may be no text
            stream.reconfigure(errors="replace")
    try:
        # what records and logs contain is printed too
        with redirect_stdout(Printable(sys.stdout)), redirect_stderr(Printable(sys.stderr)):
            _answered(action)
    finally:
        signals.over()


def _answered(action: Callable[[], object]) -> None:
    try:
        action()
        signals.check()
    except WeftError as error:
        with _heard():
            _tell(error)
        sys.exit(error.exit_code)
    except Stopped as stopped:
        with _heard():
            print(_ended(stopped), file=sys.stderr)
        sys.exit(stopped.exit_code)
    except KeyboardInterrupt:  # of a library's own handler
        with _heard():
            print("stopped", file=sys.stderr)
        sys.exit(signals.EXIT_CODES[signal.SIGINT])
    except BrokenPipeError as error:
        # who reads the output has enough: whether what failed was a run, nobody could see
        silence(sys.stdout, error)
        sys.exit(_CLOSED)
    except Exception as error:  # noqa: BLE001 - the last to see it
        with _heard():
            _tell(unforeseen.explained(error))
        sys.exit(1)


@contextmanager
def _heard() -> Iterator[None]:
    """Print to standard error, which may be closed: the command's exit code is its own in any case."""
    try:
        yield
    except OSError as error:
        silence(sys.stderr, error)


def _ended(stopped: Stopped) -> str:
    """What was stopped, what is left of it, and where its record is."""
    if stopped.record is None:
        return "stopped"
    where = f"stopped in phase {stopped.phase}"
    if stopped.left is None:
        return f"{where}; the record is {stopped.record}"
    if stopped.left:
        return f"{where}, but {', '.join(stopped.left)} could not be removed (`weft clean`); the record is {stopped.record}"
    return f"{where}; nothing was left behind but the record {stopped.record}"


def _tell(error: WeftError) -> None:
    """An error for users: one line each, wrapped only on a terminal."""
    # its own colours are the only escapes
    out = getattr(sys.stderr, "rich_proxied_file", sys.stderr)
    plain = False if settings.colourless() else None
    typer.secho("error:", file=out, nl=False, fg="red", bold=True, color=plain)
    print(f" {error.message}", *(f"    {line}" for line in error.tail), sep="\n", file=sys.stderr)
    if error.hint:
        print(file=sys.stderr)
        typer.secho("hint:", file=out, nl=False, bold=True, color=plain)
        print(f" {error.hint}", file=sys.stderr)
    if error.left:
        print(f"left behind: {', '.join(error.left)}; `weft clean` removes it", file=sys.stderr)
