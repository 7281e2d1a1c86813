"""Cumulative counters as rates, reduced to as many points as a report can show."""

import polars

LEVELS = frozenset({"memory"})
"""Counters that are gauges, not sums."""

POINTS = 400
"""Maximum points of a line: about one per two pixels of a page."""

_SHORTEST = 0.2
"""Seconds below which a rate depends more on the clock than on the machine."""
_LINE = ["node", "counter"]


def of_nodes(samples: polars.DataFrame, begin: float) -> polars.DataFrame:
    """The nodes' own counters as (t, node, counter, value): rates in units per second, gauges unchanged.

    t is seconds after `begin`, in the middle of the interval of a rate. Long runs are thinned to whole intervals.
    """
    own = _thinned(samples.filter((polars.col("process") == "") & polars.col("t").is_finite()).sort("t"))
    passed = polars.col("t").diff().over(_LINE)
    # a process that ends between two readings is missing from the second, so that a sum can decrease
    gained = polars.col("value").diff().over(_LINE).clip(lower_bound=0)
    level = polars.col("counter").is_in(list(LEVELS))
    return (
        own.with_columns(
            polars.when(level)
            .then(polars.col("value"))
            .when(passed >= _SHORTEST)
            .then(gained / passed)
            .alias("value"),
            polars.when(level).then(polars.col("t")).otherwise(polars.col("t") - passed / 2).alias("t"),
        )
        .drop_nulls(["value", "t"])
        .select((polars.col("t") - begin).round(3).alias("t"), "node", "counter", "value")
    )


def _thinned(own: polars.DataFrame) -> polars.DataFrame:
    """Of each line the first reading in each of equal intervals, and its last: each host and each probe reads at moments of its own."""
    if max(own.group_by(_LINE).len()["len"].to_list(), default=0) <= POINTS:
        return own
    t, interval = polars.col("t"), polars.col("interval")
    placed = own.with_columns(((t - t.min()) / ((t.max() - t.min()) / POINTS)).floor().alias("interval"))
    kept = placed.filter(interval.ne_missing(interval.shift().over(_LINE)) | (t == t.max().over(_LINE)))
    return kept.drop("interval")
