"""The process that owns a persistent cluster: a program of weft itself, not a verb."""

from weft.cli.guard import run_guarded
from weft.clusters import supervisor
from weft.host import subreaper


def main() -> None:
    """Run as the supervisor of a persistent cluster."""
    subreaper.adopt()
    run_guarded(supervisor.hold)
