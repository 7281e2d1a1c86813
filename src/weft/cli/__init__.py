"""The command line: every verb, and their common options."""

from typing import Annotated

import typer

from weft import __version__
from weft.cli.command import Quiet, Verbose, choose
from weft.cli.guard import run_guarded
from weft.cli.verbs import Verbs
from weft.host import commandline, settings, subreaper

app = typer.Typer(
    cls=Verbs,
    name="weft",
    help="Run Spark, Flink, Hadoop and other engines on HPC machines, see where the time goes, and keep load off the shared file system.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[bool, typer.Option("-V", "--version", help="print the version")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    choose(quiet=quiet, verbose=verbose)
    if version:
        built = {name: text for name, text in settings.about().items() if name != "version" and text}
        print(" ".join([__version__, *(f"{name}={text}" for name, text in built.items())]))
        raise typer.Exit


def main() -> None:
    """Run a verb."""
    subreaper.adopt()
    run_guarded(_act)


def _act() -> None:
    commandline.cover()
    app(prog_name="weft")
