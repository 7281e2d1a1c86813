"""What the parts of a run's slot time suggest to change, each with the most that it can save."""

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from weft.analysis.explain import limits
from weft.analysis.explain.limits import Ceilings
from weft.analysis.explain.tasktime import CPU, UNCLASSIFIED
from weft.analysis.explain.timeparts import Suggestion, TimePart

LEAST_GAIN = 0.05
"""Share of the time below which a change is not worth a line."""


def of_parts(parts: Sequence[TimePart], ceilings: Ceilings, *, verdict: bool) -> tuple[Suggestion, ...]:
    """Those that save most first, then those that only show more. Without a verdict, only how to get one."""
    if not verdict:
        return tuple(_suggestions(UNCLASSIFIED, "", None, ()))
    found = [
        suggestion
        for part in parts
        if part.bound is not None or part.name == CPU
        for suggestion in _suggestions(
            part.name, _category(part), _gain(part), limits.advice(ceilings.of_part(part.name))
        )
    ]
    worth = [one for one in found if one.gain is None or one.gain >= LEAST_GAIN]
    return tuple(sorted(worth, key=lambda one: -(one.gain or 0.0)))


def _gain(part: TimePart) -> float | None:
    return None if part.bound is None else 1 - 1 / part.bound


def _category(part: TimePart) -> str:
    """Of CPU time, its largest, where stacks were sampled."""
    return part.operations[0].name if part.name == CPU and part.operations else ""


def _suggestions(part: str, category: str, gain: float | None, more: Sequence[str]) -> list[Suggestion]:
    known = advice()
    row = known.get((part, category)) or known.get((part, ""))
    if row is None:
        return []
    change, flags = "; ".join([row["words"], *more]), tuple(row.get("flags", ()))
    of_row = {"flags": flags, **{key: row.get(key, False) for key in ("program", "shows")}}
    return [Suggestion(part=part, change=change, gain=None if row.get("shows") else gain, **of_row)]


@cache
def advice() -> dict[tuple[str, str], dict[str, Any]]:
    """By part and category of CPU time."""
    text = resources.files("weft.analysis.explain").joinpath("advice.toml").read_text(encoding="utf-8")
    return {(each["part"], each.get("category", "")): each for each in tomllib.loads(text)["advice"]}
