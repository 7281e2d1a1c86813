"""A section of a run's page: how a trace was replayed, job by job and beside the trace."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from weft.analysis.compare.compare import Comparison
from weft.analysis.summary.replayed import Line, Replay, ReplayedJob
from weft.analysis.summary.summary import Summary
from weft.report.draw import charts
from weft.report.draw.blocks import Block, Chart, Number, Section, Table, Tone, Words
from weft.report.sections import jobtrace
from weft.text.numbers import NONE, amount, maybe, seconds, times
from weft.text.units import show_seconds

_LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)
_LATE = 1.0
"""Seconds behind schedule from which a replay is no longer true to its times."""
_ROWS = 20


def replay_of_a_trace(summary: Summary) -> Section:
    """Jobs and failures, lag, what scaling did, slowdown, slots over time, and the slowest jobs."""
    replay = summary.replay
    if replay is None:
        return Section("replay", "Replay of a trace")
    blocks: list[Block] = [_counted(replay), _lag(replay)]
    blocks += jobtrace.blocks(summary.facts) if "levels" in summary.facts else []
    blocks += [*_slowdown(replay), *_over_time(replay), *_failures(replay), _slowest(replay)]
    return Section("replay", "Replay of a trace", blocks)


def _counted(replay: Replay) -> Words:
    failed = sum(1 for job in replay.jobs if job.failure)
    words = f"{len(replay.jobs):,} jobs were submitted, {len(replay.jobs) - failed:,} succeeded, {failed:,} failed."
    return Words(words, "bad" if failed else "plain")


def _lag(replay: Replay) -> Words:
    middle, late, most = map(float, np.quantile([job.lag for job in replay.jobs], (0.5, 0.99, 1.0)))
    tone: Tone = "warn" if most > _LATE else "plain"
    words = f"Lag behind the schedule: median {seconds(middle)} s, 99 % {seconds(late)} s, at most {seconds(most)} s."
    more = " The times of this replay are not those of the trace." if most > _LATE else ""
    return Words(words + more, tone)


def _slowdown(replay: Replay) -> list[Block]:
    """The cumulative distribution of the slowdown of jobs that also ran alone."""
    found = sorted(job.slowdown for job in replay.jobs if job.slowdown is not None)
    if not found:
        return [Words("No job ran alone, so that slowdowns are not known (`alone` was 0).", "quiet")]
    plain = [
        f"{level * 100:3.0f} % of jobs: at most {times(float(value))}"
        for level, value in zip(_LEVELS, np.quantile(found, _LEVELS), strict=True)
    ]
    note = (
        f"{len(found)} jobs of all sizes ran again after the replay, one after another. A slowdown is a job's time from "
        "submission to end over its time alone; the engine and the page cache were warm by then."
    )
    title = "Slowdown against running alone, share of jobs"
    shares = [(i / len(found), value) for i, value in enumerate([found[0], *found])]
    return [Chart(title, lambda: charts.cumulative(shares, "times as long as alone", 200), plain, note)]


def _over_time(replay: Replay) -> list[Block]:
    slots = f" of {replay.slots} slots" if replay.slots else ""
    late = "A task runs until its engine has noted its end; the next one may be running in the same slot by then."
    drawn = [
        ("Jobs submitted and not ended, over the replay", replay.submitted, "stage", ""),
        (f"Running tasks{slots}, over the replay", replay.running, "run", late),
    ]
    return [_line(title, line, colour, note) for title, line, colour, note in drawn if line]


def _line(title: str, line: Line, colour: str, note: str) -> Chart:
    def draw() -> str:
        alt = charts.load_altair()
        x = alt.X("t:Q", title="seconds after the replay began", scale=alt.Scale(nice=False))
        return charts.area(line, x, colour, 120)

    values = [value for _, value in line]
    plain = f"{charts.spark(values)} up to {max(values):.1f}, in {show_seconds(line[-1][0])}"
    return Chart(title, draw, [plain], note)


def _failures(replay: Replay) -> list[Block]:
    failed = [job for job in replay.jobs if job.failure]
    if not failed:
        return []
    rows = [(job.job, seconds(job.submitted), seconds(job.ended), job.failure) for job in failed[:_ROWS]]
    columns = ["failed job", Number("submitted"), Number("ended"), "why"]
    return [Table(columns, rows, f"{len(failed)} in all." if failed[_ROWS:] else "")]


def _slowest(replay: Replay) -> Table:
    def took(job: ReplayedJob) -> float:
        return job.ended - job.submitted

    longest = sorted(replay.jobs, key=took, reverse=True)[:_ROWS]
    columns = ["longest jobs", *map(Number, (
        "scheduled, s", "submitted", "started", "ended", "seconds", "alone", "slowdown"))]  # fmt: skip
    rows = [
        (
            job.job,
            seconds(job.scheduled),
            seconds(job.submitted),
            maybe(seconds, job.started) or NONE,
            seconds(job.ended),
            seconds(took(job)),
            seconds(job.alone),
            times(job.slowdown),
        )
        for job in longest
    ]
    note = "All jobs are in outcomes/run.json of the record. Started: Spark launched the first task, Hadoop the application master."
    return Table(columns, rows, note)


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
