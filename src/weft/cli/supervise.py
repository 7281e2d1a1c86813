"""The process that owns a persistent cluster: a program of weft itself, not a verb."""

from weft.cli.guard import guarded
from weft.clusters import supervisor


def main() -> None:
    """Run as the supervisor of a persistent cluster."""
    guarded(supervisor.hold)
