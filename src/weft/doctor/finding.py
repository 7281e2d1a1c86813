"""The result of one check."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from weft.errors import WeftError


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


def finding_of(
    name: str, question: Callable[[], str], costs: str, bad: Callable[..., Finding] = limits
) -> Finding:
    """What a function finds, or its error with the hint as the fix."""
    try:
        return ok(name, question())
    except WeftError as error:
        return bad(name, error.message, costs=costs, fix=error.hint)
