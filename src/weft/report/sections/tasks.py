"""Sections of a run's page: its stages, executors and tasks."""

from weft.analysis.summary.summary import ExecutorRow, StageRow, Summary
from weft.report.draw import charts
from weft.report.draw.blocks import Block, Chart, Number, Section, Table
from weft.text.numbers import NONE, amount, percent, seconds, size, times

_BOXES = 16
"""Stages whose task times are drawn."""


def stages(summary: Summary) -> Section:
    """The engine's stages, one row per attempt."""
    if not summary.stages:
        why = _why_no_metrics(summary)
        return Section("stages", "Stages", unseen={"stages and tasks": why} if why else {})
    titles = ("tasks", "seconds", "median task", "p95", "longest", "skew", "CPU", "GC", "fetch wait",
              "spill", "shuffle in", "of it remote", "shuffle out", "input", "output")  # fmt: skip
    columns = ["stage", "name", *map(Number, titles)]
    note = (
        "CPU, GC and fetch wait are shares of the tasks' run time; skew is the longest task over the median one;"
        " of it remote: read from other executors' nodes; spill is the data written to disk. Times and bytes are those of successful tasks."
    )
    if summary.stages_left_out:
        note += f" {summary.stages_left_out} later stages are not shown."
    table = Table(columns, [_stage(row) for row in summary.stages], note)
    return Section("stages", "Stages", [table, *_spread(summary)])


def _remote(remote: float | None, whole: float) -> str:
    return percent(remote / whole) if whole and remote is not None else NONE


def _spread(summary: Summary) -> list[Block]:
    """How the times of the tasks of each large stage are distributed."""
    known = [row for row in summary.stages if row.longest and row.done > 1]
    largest = sorted(known, key=lambda row: -row.task_seconds)[:_BOXES]
    shown = [row for row in known if row in largest]
    if not shown:
        return []
    rows = [
        {"name": f"stage {row.label}, {row.done} tasks", "low": row.shortest, "high": row.longest}
        | {name: getattr(row, name) for name in ("p25", "median", "p75", "p95")}
        for row in shown
    ]
    plain = [
        f"stage {row.label:<4} {row.done:>6} tasks: shortest {seconds(row.shortest)}, a quarter up to {seconds(row.p25)},"
        f" half up to {seconds(row.median)}, three quarters up to {seconds(row.p75)}, longest {seconds(row.longest)}"
        for row in shown
    ]
    note = "Line: shortest to longest task, with a dot. Box: the middle half, with a mark at the median. Tick: 95 % of the tasks are shorter."
    note += f" The {_BOXES} stages with most task time." if len(known) > len(shown) else ""
    return [Chart("Task times of each stage, s", lambda: charts.boxes(rows, "seconds"), plain, note)]


def executors(summary: Summary) -> Section:
    """What each executor did, and from where its tasks read."""
    if not any(row.done or row.failed for row in summary.executors):
        return Section("executors", "Executors")
    numbers = (
        "slots",
        "tasks",
        "task time",
        "busy",
        "CPU",
        "GC",
        "shuffle in, local",
        "shuffle in, remote",
        "input",
    )
    columns = ["executor", "node", *map(Number, numbers), "lived"]
    rows = [_executor(row, summary) for row in summary.executors]
    note = (
        "busy: task time over the time of its slots in the run phase; CPU and GC are shares of the task time."
        " local: shuffle blocks of the same node; remote: of others."
    )
    note += (
        f" {summary.executors_left_out} with less task time are not shown."
        if summary.executors_left_out
        else ""
    )
    return Section("executors", "Executors", [Table(columns, rows, note)])


def _executor(row: ExecutorRow, summary: Summary) -> tuple[str, ...]:
    failed = f", {row.failed} failed" if row.failed else ""
    return (
        row.executor,
        row.node,
        amount(row.slots),
        f"{row.done}{failed}",
        f"{seconds(row.task_seconds)} s",
        percent(_busy(row, summary)),
        _part(row.cpu, row.task_seconds),
        _part(row.gc, row.task_seconds),
        *(NONE if moved is None else size(moved) for moved in (row.shuffle_local, row.shuffle_remote)),
        size(row.input),
        _lived(row),
    )


def _busy(row: ExecutorRow, summary: Summary) -> float | None:
    """Of an executor whose slots and life are known: task time over slot time, within the run phase."""
    run = [span for span in summary.phases if span.name == "run"]
    if not row.slots or row.begin is None or not run:
        return None
    end = run[-1].begin + run[-1].seconds
    lived = min(end, row.end if row.end is not None else end) - max(row.begin, run[0].begin)
    return row.task_seconds / (lived * row.slots) if lived > 0 else None


def _part(part: float | None, whole: float) -> str:
    return percent(min(1.0, part / whole)) if part is not None and whole else NONE


def _lived(row: ExecutorRow) -> str:
    since = NONE if row.begin is None else f"from {seconds(row.begin)} s"
    if row.end is None:
        return since
    return f"{since} to {seconds(row.end)} s{f': {row.reason}' if row.reason else ''}"


def _why_no_metrics(summary: Summary) -> str:
    """Why the engine left no job metrics; empty where it has none."""
    if summary.idle:
        return ""
    return "the engine left no job metrics" if "engine" in summary.probes else "the probe engine was not on"


def _stage(row: StageRow) -> tuple[str, ...]:
    tasks = f"{row.done}" if row.tasks in {None, row.done} else f"{row.done} of {row.tasks}"
    failed = f", {row.failed} failed" if row.failed else ""
    return (
        row.label,
        row.name + (" - FAILED" if row.failure else ""),
        tasks + failed,
        seconds(row.seconds),
        seconds(row.median),
        seconds(row.p95),
        seconds(row.longest),
        times(row.skew),
        percent(row.cpu_share),
        percent(row.gc_share),
        percent(row.fetch_share),
        size(row.disk_spill),
        size(row.shuffle_read),
        _remote(row.shuffle_remote, row.shuffle_read),
        size(row.shuffle_write),
        size(row.input),
        size(row.output),
    )


def slowest_tasks(summary: Summary) -> Section:
    """The longest tasks, and what they waited for."""
    if not summary.slowest:
        return Section("tasks", "Slowest tasks")
    numbers = ("seconds", "of the stage's median", "CPU", "GC", "fetch wait", "spill", "shuffle in", "input")
    columns = ["stage", "task", "host", "executor", *map(Number, numbers)]
    rows = [
        (
            t.label, str(t.index), t.host, t.executor,
            seconds(t.seconds), times(t.times_median), seconds(t.cpu), seconds(t.gc), seconds(t.fetch_wait),
            size(t.disk_spill), size(t.shuffle_read), size(t.input),
        )
        for t in summary.slowest
    ]  # fmt: skip
    return Section("tasks", "Slowest tasks", [Table(columns, rows)])
