"""Standard output, for tables and reports as text."""

from rich.console import Console

WIDTH = 150
"""Columns where the output is no terminal."""


def console() -> Console:
    """Standard output; wide where nobody looks."""
    found = Console(highlight=False)
    return found if found.is_terminal else Console(highlight=False, width=WIDTH)
