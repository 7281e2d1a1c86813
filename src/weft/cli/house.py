"""Verbs that keep house: doctor, ps, gc."""

import typer


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    del app
