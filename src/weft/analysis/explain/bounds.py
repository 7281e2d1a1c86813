"""How much faster a job could be at most without one part of its time: its stages scheduled again without it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars

from weft.analysis.explain import schedule, slots
from weft.analysis.explain.schedule import Step
from weft.analysis.explain.slots import Stage

_AT_ONCE = 0.001
"""Seconds by which the driver's clock may order an end and a beginning the wrong way round."""


def steps(tasks: Sequence[tuple[Stage, float]], stages: polars.DataFrame, begin: float) -> dict[Stage, Step]:
    """The stages as they were: what each task held of a slot, what they had to wait for, and the driver's time between."""
    durations: dict[Stage, list[float]] = defaultdict(list)
    for stage, seconds in tasks:
        if seconds > 0:
            durations[stage].append(seconds)
    rows = [row for row in stages.sort("begin").iter_rows(named=True) if _key(row) in durations]
    ends = {_key(row): row["end"] for row in rows if row["end"] is not None}
    found = {}
    for row in rows:
        key = _key(row)
        after = _parents(row, ends) or _before(row, ends)
        ready = max((ends[one] for one in after), default=begin)
        found[key] = Step(durations[key], frozenset(after), max(0.0, (row["begin"] or ready) - ready))
    return found


def _key(row: Mapping[str, object]) -> Stage:
    return str(row["app"]), int(str(row["stage"])), int(str(row["attempt"]))


def _parents(row: Mapping[str, object], ends: Mapping[Stage, float]) -> list[Stage]:
    """The stages that it reads, as far as they ran before it; skipped ones did not."""
    wanted = row["parents"]
    begin = row["begin"]
    if not isinstance(wanted, list) or not isinstance(begin, float):
        return []
    mine = [key for key, end in ends.items() if key[0] == row["app"] and key[1] in wanted]
    return [key for key in mine if ends[key] <= begin + _AT_ONCE]


def _before(row: Mapping[str, object], ends: Mapping[Stage, float]) -> list[Stage]:
    """Without parents it waited for the driver, which had waited for whatever ended before."""
    begin = row["begin"]
    if not isinstance(begin, float):
        return []
    earlier = [key for key, end in ends.items() if end <= begin + _AT_ONCE]
    return sorted(earlier, key=lambda key: ends[key])[-1:]


def without(
    part: str, plan: Mapping[Stage, Step], shares: Mapping[Stage, Mapping[str, float]], count: int
) -> float:
    """Seconds of the job without a part; `shares`: by stage, what of its tasks' time each part is."""

    def change(key: Stage, step: Step) -> Step:
        if part == (slots.DRIVER if step.after else slots.START):
            return replace(step, lag=0.0)
        if part == (slots.STRAGGLERS if len(step.tasks) >= count else slots.FEW):
            return replace(step, tasks=[sum(step.tasks) / count] * count)
        left = max(0.0, 1 - shares.get(key, {}).get(part, 0.0))
        return replace(step, tasks=[seconds * left for seconds in step.tasks])

    return schedule.makespan(schedule.changed(plan, change), count)
