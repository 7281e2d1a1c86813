"""Prints the path of the jar of weft's generators that belongs to this checkout, which is built first if it is not there."""

from figures.cells import say

from weft.cli.guard import run_guarded
from weft.host.provision import jars


def main() -> None:
    """Its path alone, for scripts."""
    print(jars.build((), (), say)["core"])


if __name__ == "__main__":
    run_guarded(main)
