"""Cumulative counters as rates, reduced to as many points as a report can show."""

import math

import polars

LEVELS = frozenset({"memory"})
"""Counters that are gauges, not sums."""

POINTS = 400
"""Maximum points of a line: about one per two pixels of a page."""

_SHORTEST = 0.2
"""Seconds below which a rate depends more on the clock than on the machine."""


def of_nodes(samples: polars.DataFrame, begin: float) -> polars.DataFrame:
    """The nodes' own counters as (t, node, counter, value): rates in units per second, gauges unchanged.

    t is seconds after `begin`, in the middle of the interval of a rate. Long runs are thinned to whole intervals.
    """
    own = samples.filter((polars.col("process") == "") & polars.col("t").is_finite()).sort("t")
    moments = own["t"].unique().sort()
    kept = moments.gather_every(max(1, math.ceil(len(moments) / POINTS)))
    last = moments.tail(1)
    own = own.filter(polars.col("t").is_in(polars.concat([kept, last]).unique().implode()))
    over = ["node", "counter"]
    passed = polars.col("t").diff().over(over)
    # a process that ends between two readings is missing from the second, so that a sum can decrease
    gained = polars.col("value").diff().over(over).clip(lower_bound=0)
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
