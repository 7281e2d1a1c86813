"""The process that holds a persistent cluster: a program of weft's own, not a verb."""

from weft.cli.guard import guarded
from weft.clusters import supervisor


def main() -> None:
    """Be the supervisor of a persistent cluster."""
    guarded(supervisor.hold)
