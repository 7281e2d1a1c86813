"""A section of a comparison: the same trace on several platforms, by the times and the slowdowns of its jobs."""

from collections.abc import Mapping, Sequence
from typing import Any

from weft.analysis.compare.compare import Comparison
from weft.report.draw.blocks import Number, Section, Table
from weft.text.numbers import amount, seconds, times

_SHOWN = (0.5, 0.9, 0.99, 1.0)
"""The quantiles of the table."""


_LAG = "lag"
"""A fact that replays alone have."""


def replays_of_a_trace(comparison: Comparison) -> Section:
    """A row for each run: lag, and the distributions of its jobs' seconds and slowdowns."""
    rows = [_row(group.label, facts) for group in comparison.groups for facts in group.facts if _LAG in facts]
    if not rows:
        return Section("replays", "Replays of a trace")
    names = [f"{level * 100:g} %" for level in _SHOWN]
    columns = [
        "cell",
        *map(Number, ("jobs", "lag at most, s")),
        *(Number(f"seconds, {name}") for name in names),
        *(Number(f"slowdown, {name}") for name in names),
    ]
    note = (
        "Quantiles over the jobs of a run. Seconds are from submission to end; a slowdown is those over the seconds of the same job "
        "alone on the same platform, of the jobs that ran alone too."
    )
    return Section("replays", "Replays of a trace", [Table(columns, rows, note)])


def _row(label: str, facts: Mapping[str, Any]) -> Sequence[str]:
    lag = facts[_LAG] or [None]
    return (
        label,
        amount(facts.get("jobs")),
        seconds(lag[-1]),
        *map(seconds, _shown(facts, "job_seconds")),
        *map(times, _shown(facts, "slowdown")),
    )


def _shown(facts: Mapping[str, Any], key: str) -> list[float | None]:
    values = dict(zip(facts.get("levels") or (), facts.get(key) or (), strict=False))
    return [values.get(level) for level in _SHOWN]
