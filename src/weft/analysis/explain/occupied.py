"""The slots that tasks held, by the engine's job metrics: attempts, cores of a task, executors that come and go."""

from collections.abc import Sequence

import polars

from weft.analysis.explain import locality
from weft.analysis.explain.locality import Executor
from weft.analysis.explain.schedule import key_of
from weft.analysis.explain.slots import SlotUse, Stage, Use, use
from weft.facts import executorslots
from weft.facts.jobmetrics import LATEST, LOST_OUTPUT, JobMetrics

_PROCESS = "PROCESS_LOCAL"
_LOCAL = {_PROCESS: True, "NODE_LOCAL": True, "RACK_LOCAL": False, "ANY": False}
"""By Spark's levels (TaskLocality.scala): whether a task ran where it wanted to."""


def of_tasks(
    metrics: JobMetrics,
    tasks: polars.DataFrame,
    stages: Sequence[Stage],
    begin: float,
    end: float,
    slots: int,
) -> tuple[Use, int]:
    """The use of the slots from `begin` to `end`, and how many there were at most at one time; `stages`: of each task."""
    named: dict[tuple[str, str], str] = {}
    places = [
        named.setdefault(row, "{} {}".format(*row)) for row in tasks.select("app", "executor").iter_rows()
    ]
    begins, ends = (tasks[name].to_numpy().astype(float) for name in ("begin", "end"))
    known = tasks["ready"].to_list()
    local = _local(metrics, tasks, stages)
    held = [
        SlotUse(*row) for row in zip(stages, begins, ends, places, _ready(tasks), known, local, strict=True)
    ]
    steps = executorslots.steps(metrics) if executorslots.dynamic(metrics) else ()
    most = max((count for _, count in steps), default=executorslots.configured(metrics, slots))
    own = {stage for stage, at in zip(stages, known, strict=True) if at is not None}
    submitted = {stage: at for stage, at in _submitted(metrics).items() if stage not in own}
    executors = _executors(metrics, begin, end)
    rooms = {name: executor.slots for name, executor in executors.items()}
    found = use(held, submitted, begin, end, most, rooms, steps)
    return found.apart(locality.kept(held, submitted, executors)) if any(local) else found, most


def _local(metrics: JobMetrics, tasks: polars.DataFrame, stages: Sequence[Stage]) -> list[bool | None]:
    """Whether each ran where it wanted to; None where nobody says what it wanted.

    Spark logs PROCESS_LOCAL also of a task that wants no place (TaskSetManager.scala): of one that reads what is cached, it says where.
    """
    cached = {key_of(row) for row in metrics.stages.filter("reads_cache").iter_rows(named=True)}
    levels = zip(tasks["locality"].to_list(), stages, strict=True)
    return [
        None if level == _PROCESS and stage not in cached else _LOCAL.get(level) for level, stage in levels
    ]


def _ready(tasks: polars.DataFrame) -> list[float | None]:
    """Of a further attempt at a partition: the end of those before it, or its own begin where one of them still ran."""
    stage = ("app", "stage", "attempt")
    several = tasks.group_by(stage).agg(polars.len(), polars.col("index").drop_nulls().n_unique().alias("n"))
    again = several.filter(polars.col("len") > polars.col("n")).select(stage)
    found: list[float | None] = [None] * tasks.height
    if again.is_empty():
        return found
    # one whose output was lost afterwards had nothing to repeat until then
    lost = polars.col("reason") == LOST_OUTPUT
    until = polars.when(lost).then(polars.lit(LATEST)).otherwise(polars.col("end"))
    mine = tasks.select(*stage, "index", "task", "begin", end=until).with_row_index("row")
    ordered = mine.join(again, on=stage, how="semi").drop_nulls("index").sort("begin", "task")
    before = polars.col("end").cum_max().shift(1).over(*stage, "index")
    ready = ordered.select("row", ready=polars.min_horizontal(before, "begin"), later=before.is_not_null())
    for row, at in ready.filter("later").select("row", "ready").iter_rows():
        found[row] = at
    return found


def _submitted(metrics: JobMetrics) -> dict[Stage, float]:
    rows = metrics.stages.drop_nulls("begin").select("app", "stage", "attempt", "begin").iter_rows()
    return {(app, stage, attempt): begin for app, stage, attempt, begin in rows}


def _executors(metrics: JobMetrics, begin: float, end: float) -> dict[str, Executor]:
    """By name: those whose slots are known, from `begin` to `end`."""
    there = (
        polars.col("added").fill_null(begin).clip(begin),
        polars.col("removed").fill_null(end).clip(None, end),
    )
    known = metrics.executors.select("executor", "app", executorslots.of_executors().alias("slots"), *there)
    return {f"{app} {name}": Executor(app, *row) for name, app, *row in known.drop_nulls().iter_rows()}
