"""Verbs that look at records: runs, show, report, compare."""

import typer


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    del app
