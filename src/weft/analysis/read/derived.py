"""Counters of nodes that a timeline needs and no probe writes as such: CPU time by kind of thread, metadata operations."""

import polars

from weft.record.samples import LABELS

METADATA = "metadata"
_OPERATIONS = [
    "open",
    "close",
    "stat",
    "rename",
    "unlink",
    "mkdir",
    "rmdir",
    "readdir",
    "truncate",
    "other_meta",
]


def of_nodes(samples: polars.DataFrame) -> polars.DataFrame:
    """Derived counters in the form of samples: sums over the nodes' path classes and components."""
    own = samples.filter(polars.col("process") == "")
    named = own.filter(polars.col("counter") == "threads.cpu").with_columns(
        polars.concat_str(polars.lit("cpu_of_"), "thread").alias("counter")
    )
    calls = (polars.col("counter") == "fileops.count") & polars.col("operation").is_in(_OPERATIONS)
    counted = own.filter(calls).with_columns(polars.lit(METADATA).alias("counter"))
    both = polars.concat([named, counted])
    return (
        both.group_by("t", "node", "process", "counter", maintain_order=True)
        .agg(polars.col("value").sum())
        .with_columns(polars.lit("").alias(name) for name in ("component", *LABELS))
        .select(samples.columns)
    )
