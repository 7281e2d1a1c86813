"""Packages of the user's own, which programs and workers of an engine import besides the locked ones."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from weft.errors import UsageError
from weft.text.executes import Executes

_PYTHON = "python{}.{}".format(*sys.version_info)
"""weft's own, which runs the engine: compiled packages are for one minor version."""


def _absolute(path: Path | None) -> Path | None:
    if path is not None and ":" in str(path):
        raise ValueError(f"{path} has a colon, which ends a directory in PYTHONPATH")
    return path and path.expanduser().absolute()


OwnPackages = Annotated[
    Path | None,
    AfterValidator(_absolute),
    Executes("its modules run in programs and workers"),
    Field(
        description="a directory with packages of your own, which all nodes see: an environment of venv or conda, or what `pip install --target` fills"
    ),
]
"""A pydantic field."""


def searched(packages: Path) -> list[str]:
    """Directories for PYTHONPATH; Python leaves out the one that does not exist."""
    return [str(packages / "lib" / _PYTHON / "site-packages"), str(packages)]


def require_packages(key: str, packages: Path) -> None:
    """Raises UsageError if there are none that this Python can import."""
    install = f"{_PYTHON} -m pip install --target {shlex.quote(str(packages))} YOUR-PACKAGES"
    if not packages.is_dir():
        what = "is not a directory" if packages.exists() else "does not exist"
        raise UsageError(f"{key}: {packages} {what}", hint=install)
    others = sorted(path.name for path in packages.glob("lib/python3*"))
    if others and _PYTHON not in others:
        raise UsageError(
            f"{key}: the packages of {packages} are for {others[0]}, and weft runs its engines with {_PYTHON}",
            hint=f"make an environment with that version: {install}",
        )
