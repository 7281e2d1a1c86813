"""Counters of nodes that a timeline needs and no probe writes as such: processor time by kind of thread, metadata operations."""

import polars

_KINDS = ("task", "server", "collector", "compiler", "other")
THREADS = {f"threads.{kind}.cpu": f"cpu_of_{kind}" for kind in _KINDS}
"""Derived counter by the counter that it is."""
METADATA = "metadata"
_OPERATIONS = (
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
)
_COUNTED = rf"^fileops\.[^.]+\.({'|'.join(_OPERATIONS)})\.count$"


def of_nodes(samples: polars.DataFrame) -> polars.DataFrame:
    """Derived counters in the form of samples: sums over the nodes' path classes and components."""
    own = samples.filter(polars.col("process") == "")
    named = own.filter(polars.col("counter").is_in(list(THREADS))).with_columns(
        polars.col("counter").replace_strict(THREADS, return_dtype=polars.String)
    )
    counted = own.filter(polars.col("counter").str.contains(_COUNTED)).with_columns(
        polars.lit(METADATA).alias("counter")
    )
    both = polars.concat([named, counted])
    return (
        both.group_by("t", "node", "process", "counter", maintain_order=True)
        .agg(polars.col("value").sum())
        .with_columns(polars.lit("").alias("component"))
        .select(samples.columns)
    )
