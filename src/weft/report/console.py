"""Standard output, for tables and reports as text."""

from rich.console import Console

WIDTH = 150
"""Columns if the output is not a terminal."""


def console() -> Console:
    """Standard output; wide if it is not a terminal."""
    found = Console(highlight=False)
    return found if found.is_terminal else Console(highlight=False, width=WIDTH)
