"""The mark on a key of which a value can run a program, or give the cluster to others. Who wrote the file is asked for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated


@dataclass(frozen=True)
class Executes:
    """Why a value of the key has its author's programs run as the user."""

    how: str


Settings = Annotated[
    dict[str, str], Executes("settings of Java programs name classes, plugins, and options of a JVM")
]
"""A field for the engine's or service's own settings."""
Home = Annotated[Path | None, Executes("the programs of this installation run")]
"""A field for a site's own installation."""
