"""The work of each stage: its tasks' times and bytes, summed and compared."""

import polars

from weft.model.jobmetrics import JobMetrics

_SUMS = (
    "run_ms",
    "gc_ms",
    "fetch_wait_ms",
    "scheduler_ms",
    "memory_spill_bytes",
    "disk_spill_bytes",
    "shuffle_write_bytes",
    "input_bytes",
    "input_records",
    "output_bytes",
    "output_records",
)


def table(metrics: JobMetrics) -> polars.DataFrame:
    """One row per stage attempt, in order of begin. Times in seconds, shares of task run time from 0 to 1.

    Adds to the columns of `jobmetrics.STAGES`: done, failed (tasks that ended), median_s, p95_s, longest_s, skew (longest
    over median), cpu_share, gc_share, fetch_share, task_s (sum), shuffle_read_bytes and the sums of the tasks' bytes.
    Times and bytes are those of successful tasks; the time of failed tasks is lost_s.
    """
    ok = polars.col("ok")
    run = polars.col("run_ms").filter(ok)
    grouped = metrics.tasks.group_by("app", "stage", "attempt").agg(
        ok.sum().cast(polars.Int64).alias("done"),
        (~ok).sum().cast(polars.Int64).alias("failed"),
        (run.median() / 1e3).alias("median_s"),
        (run.quantile(0.95, "linear") / 1e3).alias("p95_s"),
        (run.max() / 1e3).alias("longest_s"),
        (polars.col("end") - polars.col("begin")).filter(~ok).sum().alias("lost_s"),
        (_sum("cpu_ns") / 1e6).alias("cpu_ms"),
        (polars.col("remote_bytes") + polars.col("local_bytes")).filter(ok).sum().alias("shuffle_read_bytes"),
        polars.col("remote_bytes").filter(ok).sum().alias("shuffle_remote_bytes"),
        *(_sum(name).alias(name) for name in _SUMS),
    )
    keys = ["app", "stage", "attempt"]
    return (
        metrics.stages.join(grouped, on=keys, how="full", coalesce=True)
        .with_columns(
            _share("cpu_ms").alias("cpu_share"),
            _share("gc_ms").alias("gc_share"),
            _share("fetch_wait_ms").alias("fetch_share"),
            (polars.col("run_ms") / 1e3).alias("task_s"),
            polars.when(polars.col("median_s") > 0)
            .then(polars.col("longest_s") / polars.col("median_s"))
            .alias("skew"),
            polars.col("done", "failed").fill_null(0),
            polars.col("name", "failure").fill_null(""),
        )
        .sort("begin", "stage", "attempt", nulls_last=True)
    )


def _sum(column: str) -> polars.Expr:
    """Over successful tasks; null if the engine does not report it."""
    values = polars.col(column).filter(polars.col("ok"))
    return polars.when(values.count() > 0).then(values.sum())


def _share(column: str) -> polars.Expr:
    # garbage collection and waiting are counted per process, so that their share of the tasks' time can exceed it
    return polars.when(polars.col("run_ms") > 0).then((polars.col(column) / polars.col("run_ms")).clip(0, 1))


def slowest(metrics: JobMetrics, count: int) -> polars.DataFrame:
    """The longest tasks, longest first, with the ratio to the median of their stage."""
    median = polars.col("run_ms").median().over("app", "stage", "attempt")
    return (
        metrics.tasks.filter(polars.col("ok"))
        .with_columns(polars.when(median > 0).then(polars.col("run_ms") / median).alias("times_median"))
        .sort("run_ms", descending=True)
        .head(count)
    )
