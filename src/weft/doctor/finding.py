"""The result of one check."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Finding:
    """`missing`: a default local run cannot work. `limits`: it can, but a feature is not available."""

    name: str
    status: Literal["ok", "limits", "missing"]
    found: str
    costs: str = ""
    fix: str = ""


def ok(name: str, found: str) -> Finding:
    """No action is needed."""
    return Finding(name, "ok", found)


def limits(name: str, found: str, *, costs: str, fix: str) -> Finding:
    """A feature is not available."""
    return Finding(name, "limits", found, costs, fix)


def missing(name: str, found: str, *, costs: str, fix: str) -> Finding:
    """No run is possible."""
    return Finding(name, "missing", found, costs, fix)
