"""What engines share whose tasks are functions of Python: their interpreter, and weft's programs for all of them."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weft.errors import UsageError
from weft.layout.node import Node
from weft.layout.plan import Layout

PROGRAMS = Path(__file__).with_name("programs")
"""A directory for PYTHONPATH: workloads as functions, apart from the engine that runs them."""
_ONLY: Mapping[str, object] = {"method": "stock", "limit": None}
"""Parameters of workloads that these programs have with one value only."""


def python() -> Sequence[str]:
    """weft's Python without weft's packages: only the locked ones are found."""
    return [sys.executable, "-S", "-P"]


def search(home: Path, own: Path) -> str:
    """Where Python finds the unpacked wheels, and weft's programs: those of all engines and of one."""
    return f"{home / 'lib'}:{own}:{PROGRAMS}"


def variables(home: Path, own: Path, node: Node) -> dict[str, str]:
    """What each process needs."""
    return {
        "PYTHONPATH": search(home, own),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(node.directory),
    }


def require_mounted(kind: str, layout: Layout) -> None:
    """Raises UsageError for input or output that has no path."""
    if layout.uris:
        raise UsageError(
            f"weft's programs for {kind} read and write mounted files only, not {layout.uris[0]}",
            hint="use a storage with paths for input and output, such as disk or mount",
        )


def require_parameters(kind: str, workload: str, parameters: Mapping[str, Any]) -> None:
    """Raises UsageError if the programs do not have these parameters of a workload."""
    for key, value in _ONLY.items():
        if parameters.get(key, value) != value:
            raise UsageError(
                f"weft's program for {workload} on {kind} has no {key}={parameters[key]}",
                hint=f"omit workload.{key}, or select another engine with --engine",
            )
