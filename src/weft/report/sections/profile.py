"""A section of a run's page: the CPU time of the tasks by what it was used for, beside a paper's figures."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from weft.analysis.explain.stacks import CATEGORIES, NO_RULE, Profiled
from weft.analysis.explain.tasktime import CPU
from weft.analysis.summary.summary import Summary
from weft.report.draw.blocks import Block, Number, Section, Table, Words
from weft.text.numbers import NONE, percent, seconds


def cpu_time(summary: Summary) -> Section:
    """By category, for each side of the tasks; with the published profile of the same job where there is one."""
    found = summary.profile
    if found is None:
        lacking = {"CPU time by category": "the probe wrote no stacks"}
        why = lacking if "profile" in summary.probes else {}
        return Section("profile", "CPU time by category", unseen=why)
    return Section(
        "profile",
        "CPU time by category",
        [_table(found), *_cross_check(summary, found), *_background(summary, found), *_unmatched(found)],
    )


def _table(profile: Profiled) -> Table:
    columns = ["category", *map(Number, profile.columns)]
    sums = {name: sum(column.values()) for name, column in profile.columns.items()}
    rows = [
        (category, *(_share(column.get(category), sums[name]) for name, column in profile.columns.items()))
        for category in CATEGORIES
        if any(column.get(category) for column in profile.columns.values())
    ]
    rows.append(("seconds", *(seconds(each) for each in sums.values())))
    note = (
        f"Shares of the CPU time of {profile.processes} processes in which tasks ran, by sampled stacks: the frame nearest the leaf"
        " that a rule names decides. Kernel is time in system calls."
    )
    return Table(columns, rows, note)


def _cross_check(summary: Summary, profile: Profiled) -> list[Block]:
    """The other measurement of the same: the tasks' CPU time by the engine, or by the kernel."""
    parts = summary.explanation.parts if summary.explanation else ()
    other = next((part.seconds for part in parts if part.name == CPU), None)
    if other is None:
        return []
    sampled = sum(each.seconds for each in profile.of_tasks())
    words = (
        f"The tasks' CPU time: {seconds(sampled)} s by samples, {seconds(other)} s in the split of slot time."
    )
    return [Words(words, "quiet")]


def _share(part: float | None, whole: float) -> str:
    return percent(part / whole) if part and whole else NONE


def _background(summary: Summary, profile: Profiled) -> list[Block]:
    """The published figures in the categories of their paper."""
    paper = _paper()
    sides = [side for side in paper["sides"] if side in profile.columns]
    same = summary.workload == paper["workload"] and paper["engine"] in summary.engines
    if not same or not sides:
        return []
    titles = [Number(f"{side}, {whose}") for side in sides for whose in ("here", "paper")]
    rows = [
        (row["name"], *(cell for side in sides for cell in _both(row, side, profile.columns[side])))
        for row in paper["row"]
    ]
    return [Table(["category of the paper", *titles], rows, paper["note"])]


def _both(row: Mapping[str, Any], side: str, column: Mapping[str, float]) -> tuple[str, str]:
    """A category of a paper, here and there."""
    here = sum(column.get(name, 0.0) for name in row["of"])
    return _share(here, sum(column.values())), percent(row[side] / 100) if side in row else NONE


def _unmatched(profile: Profiled) -> list[Block]:
    if not profile.unmatched:
        return []
    words = ", ".join(f"{frame} {seconds(spent)} s" for frame, spent in profile.unmatched.items())
    return [Words(f"Most frequent frames without a rule ({NO_RULE}): {words}.", "quiet")]


@cache
def _paper() -> dict[str, Any]:
    text = resources.files("weft.report.sections").joinpath("profiles.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
