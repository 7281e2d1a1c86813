"""The work of each stage: its tasks' times and bytes, summed and compared."""

from collections.abc import Iterator

import polars

from weft.facts.jobmetrics import JobMetrics

_SUMS = (
    "run_ms",
    "gc_ms",
    "fetch_wait_ms",
    "scheduler_ms",
    "disk_spill_bytes",
    "shuffle_write_bytes",
    "input_bytes",
    "output_bytes",
)
_USED = ("app", "stage", "attempt", "ok", "cpu_ns", "remote_bytes", "local_bytes", *_SUMS)
_BLOCK = 500_000
"""Tasks that are grouped at once; those of a stage are, however many."""


def table(metrics: JobMetrics) -> polars.DataFrame:
    """One row per stage attempt, in order of begin. Times in seconds, shares of task run time from 0 to 1.

    Adds to the columns of `jobmetrics.STAGES`: done, failed (tasks that ended), shortest, p25, median, p75, p95, longest,
    skew (longest over median), cpu_share, gc_share, fetch_share, task_seconds (sum), and the sums of the tasks' bytes.
    Times and bytes are those of successful tasks.
    """
    ok = polars.col("ok")
    run = polars.col("run_ms").filter(ok)
    figures = (
        ok.sum().cast(polars.Int64).alias("done"),
        (~ok).sum().cast(polars.Int64).alias("failed"),
        (run.min() / 1e3).alias("shortest"),
        (run.quantile(0.25, "linear") / 1e3).alias("p25"),
        (run.median() / 1e3).alias("median"),
        (run.quantile(0.75, "linear") / 1e3).alias("p75"),
        (run.quantile(0.95, "linear") / 1e3).alias("p95"),
        (run.max() / 1e3).alias("longest"),
        (_sum("cpu_ns") / 1e6).alias("cpu_ms"),
        polars.sum_horizontal("remote_bytes", "local_bytes").filter(ok).sum().alias("shuffle_read"),
        _sum("remote_bytes").alias("shuffle_remote"),
        *(_sum(name).alias(name.removesuffix("_bytes")) for name in _SUMS),
    )
    keys = ["app", "stage", "attempt"]
    same = polars.Schema({key: metrics.stages.schema[key] for key in keys})
    grouped = polars.concat([some.group_by(keys).agg(figures).cast(same) for some in _blocks(metrics)])
    return (
        metrics.stages.join(grouped, on=keys, how="full", coalesce=True)
        .with_columns(
            _share("cpu_ms").alias("cpu_share"),
            _share("gc_ms").alias("gc_share"),
            _share("fetch_wait_ms").alias("fetch_share"),
            (polars.col("run_ms") / 1e3).alias("task_seconds"),
            polars.when(polars.col("median") > 0)
            .then(polars.col("longest") / polars.col("median"))
            .alias("skew"),
            polars.col("done", "failed").fill_null(0),
            polars.col("name", "failure").fill_null(""),
        )
        .sort("begin", "stage", "attempt", nulls_last=True)
    )


def _blocks(metrics: JobMetrics) -> Iterator[polars.DataFrame]:
    """The tasks of some stages at a time: those of all need as much memory again for their groups."""
    yield metrics.tasks.clear()
    sizes = metrics.every.group_by("stage").len().sort("stage").collect()
    block = (polars.col("len").cum_sum() // _BLOCK).alias("block")
    ranges = sizes.group_by(block).agg(first=polars.col("stage").min(), last=polars.col("stage").max())
    for first, last in ranges.select("first", "last").iter_rows():
        yield metrics.every.filter(polars.col("stage").is_between(first, last)).select(_USED).collect()


def _sum(column: str) -> polars.Expr:
    """Over successful tasks; null if the engine does not report it."""
    values = polars.col(column).filter(polars.col("ok"))
    return polars.when(values.count() > 0).then(values.sum())


def _share(column: str) -> polars.Expr:
    # garbage collection and waiting are counted per process, so that their share of the tasks' time can exceed it
    return polars.when(polars.col("run_ms") > 0).then((polars.col(column) / polars.col("run_ms")).clip(0, 1))


def slowest(metrics: JobMetrics, count: int) -> polars.DataFrame:
    """The longest tasks, longest first, with the ratio to the median of their stage."""
    keys, run = ["app", "stage", "attempt"], polars.col("run_ms")
    done = metrics.every.select(polars.when("ok").then(run)).collect().to_series()
    order = done.arg_sort(descending=True, nulls_last=True)[: min(count, done.count())]
    rows = [metrics.every.slice(at, 1) for at in order]
    longest = polars.concat([metrics.tasks.clear().lazy(), *rows]).collect()
    its_stages = polars.col("stage").is_in(longest["stage"].unique().implode())
    theirs = metrics.every.filter("ok", its_stages).select(*keys, "run_ms").collect()
    median = polars.when(run.median() > 0).then(run.median())
    found = longest.join(
        theirs.group_by(keys).agg(median.alias("median")), on=keys, how="left", maintain_order="left"
    )
    return found.with_columns((run / polars.col("median")).alias("times_median"))
