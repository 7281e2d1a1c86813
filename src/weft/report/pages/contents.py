"""The sections of a run's report, in the same order in every report, so that two can be compared."""

from typing import Any

from weft.analysis.summary.summary import Summary
from weft.report.draw.blocks import Block, Facts, Listing, Maker, Number, Section, Table, Words
from weft.report.sections import (
    before,
    counters,
    explain,
    failure,
    files,
    flink,
    mapreduce,
    pauses,
    probes,
    profile,
    replay,
    stream,
    tasks,
    timeline,
    what,
)
from weft.text.numbers import maybe, text
from weft.text.units import show_seconds, show_size


def losses(summary: Summary) -> Section:
    """Losses, and how the engine recovered."""
    items = [*summary.lost, *summary.recoveries]
    times = ", ".join(f"{mark.words} at {show_seconds(mark.at)}" for mark in summary.marks)
    block: Block = Words("Nothing was lost and no task was repeated.", "good")
    if items:
        block = Listing(items, "warn")
    elif not summary.stages:
        block = Words("No daemon ended early; the engine left no metrics of its tasks.", "quiet")
    more = [Words(f"During the run: {times}.", "quiet")] if times else []
    return Section("losses", "Losses and recoveries", [block, *more])


def throughput(summary: Summary) -> Section:
    """Bytes read and written, and the rate; no rate without a checked result."""
    count = len(summary.nodes)
    each = summary.bytes_in / count if summary.bytes_in and count else None
    pairs = [
        ("measured time", maybe(show_seconds, summary.result)),
        ("bytes in", maybe(show_size, summary.bytes_in)),
        ("bytes out", maybe(show_size, summary.bytes_out)),
        ("bytes in per node", maybe(show_size, each)),
        ("throughput", maybe(lambda rate: f"{show_size(rate)}/s", summary.throughput)),
        ("throughput per node", maybe(lambda rate: f"{show_size(rate)}/s", summary.throughput_per_node)),
        *((name, text(value)) for name, value in summary.facts.items() if not _is_table(value)),
    ]
    known: list[Block] = [Facts([(name, value) for name, value in pairs if value])]
    known += [_fact_table(name, value) for name, value in summary.facts.items() if _is_table(value)]
    if summary.throughput is None:
        # a count of points, or a job of one's own with --check, is right without bytes
        valid = summary.verdict == "VALID"
        why = ", since nothing counted the bytes of the job" if valid else " without a checked result"
        known.append(Words(f"There is no throughput{why}.", "quiet"))
    return Section("throughput", "Bytes and throughput", known)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) and row for row in value)


def _fact_table(name: str, value: Any) -> Table:
    keys = list(dict.fromkeys(key for row in value for key in row))
    columns = [Number(key.replace("_", " ")) for key in keys]
    rows = [[text(row.get(key)) for key in keys] for row in value]
    return Table(columns, rows, f"{name}, as measured by the workload")


def gaps(summary: Summary) -> Section:
    """What the record lacks."""
    return Section("gaps", "Gaps in this record", [Listing(summary.gaps, "warn")] if summary.gaps else [])


_FIRST: list[Maker[Summary]] = [
    failure.failure,
    explain.where_the_time_went,
    before.the_run_before,
    replay.replay_of_a_trace,
    stream.stream,
    stream.operators,
    what.what_was_run,
    what.phases,
    timeline.timeline,
    tasks.stages,
    tasks.executors,
    tasks.slowest_tasks,
    profile.cpu_time,
    pauses.gc_pauses,
    flink.flink_vertices,
    losses,
    throughput,
    mapreduce.job_counters,
]
_LAST: list[Maker[Summary]] = [files.logs, files.configuration, gaps, counters.counters]


def makers() -> list[Maker[Summary]]:
    """Of all sections of a run's page, in their order."""
    return [*_FIRST, *probes.listed(), *_LAST]
