"""What one check of the machine says."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Finding:
    """`missing`: a plain local run cannot work. `limits`: it can, and something else is lost."""

    name: str
    status: Literal["ok", "limits", "missing"]
    found: str
    costs: str = ""
    fix: str = ""


def ok(name: str, found: str) -> Finding:
    """Nothing to do."""
    return Finding(name, "ok", found)


def limits(name: str, found: str, *, costs: str, fix: str) -> Finding:
    """A feature is lost."""
    return Finding(name, "limits", found, costs, fix)


def missing(name: str, found: str, *, costs: str, fix: str) -> Finding:
    """No run is possible."""
    return Finding(name, "missing", found, costs, fix)
