"""Cumulative counters as sums by phase, node and component: the table for all sums of a report."""

import math
from collections.abc import Sequence

import polars

from weft.analysis.read.rates import LEVELS
from weft.record.samples import LABELS

SCHEMA = {
    "node": polars.String,
    "component": polars.String,
    "counter": polars.String,
    **dict.fromkeys(LABELS, polars.String),
    "phase": polars.String,
    "value": polars.Float64,
}
_KEY = ["node", "component", "counter", *LABELS]
_FIRST_DAEMONS = "start"
"""The phase before which a run has no process of its own."""


def by_phase(
    samples: polars.DataFrame, phases: Sequence[tuple[str, float]], of_run: Sequence[str] = ()
) -> polars.DataFrame:
    """The growth of each counter in each phase; of a gauge, the highest reading.

    `phases`: names with their ends, in order, each beginning at the end of the previous one; the last one includes
    everything later. `of_run`: counters that were 0 before the run's first process.

    A reading is taken right after each phase, so the reading nearest to a phase's end closes it. A counter that
    appears later than others of its probe and node was 0 until then.
    """
    own = samples.filter((polars.col("process") == "") & polars.col("t").is_finite())
    if own.is_empty():
        return polars.DataFrame(schema=SCHEMA)
    known = list(phases) or [("", math.inf)]
    level = polars.col("counter").is_in(list(LEVELS))
    return polars.concat(
        [_grown(own.filter(~level), known, of_run), _highest(own.filter(level), known)]
    ).sort(*_KEY, maintain_order=True)


def _grown(
    samples: polars.DataFrame, phases: Sequence[tuple[str, float]], of_run: Sequence[str]
) -> polars.DataFrame:
    readings = polars.concat([samples.select("t", *_KEY, "value"), _zeros(samples, phases, of_run)]).sort("t")
    first = (
        readings.group_by(_KEY, maintain_order=True)
        .first()
        .with_columns(polars.lit(-1).cast(polars.Int32).alias("number"))
    )
    keys = first.select(_KEY)
    ends = polars.DataFrame(
        {
            "number": range(len(phases)),
            "end": [*(end for _, end in phases[:-1]), float(readings["t"].max() or 0.0) + 1.0],  # type: ignore[arg-type]
        },
        {"number": polars.Int32, "end": polars.Float64},
    )
    closed = (
        keys.join(ends, how="cross")
        .sort("end")
        .join_asof(readings, left_on="end", right_on="t", by=_KEY, strategy="nearest", check_sortedness=False)
    )
    steps = polars.concat([frame.select(*_KEY, "number", "value") for frame in (first, closed)])
    return _named(
        steps.sort(*_KEY, "number")
        .with_columns(polars.col("value").diff().over(_KEY).clip(lower_bound=0))
        .filter(polars.col("number") >= 0),
        phases,
    )


def _zeros(
    samples: polars.DataFrame, phases: Sequence[tuple[str, float]], of_run: Sequence[str]
) -> polars.DataFrame:
    """Zeros that were not written: the reading before the first one of a counter that starts with the run, or late."""
    family = polars.col("counter").str.extract(r"^(\w+)\.").fill_null("").alias("family")
    first = samples.sort("t").group_by(_KEY, maintain_order=True).first().with_columns(family)
    moments = samples.select("node", family, polars.col("t").alias("before")).unique().sort("before")
    found = first.sort("t").join_asof(
        moments,
        left_on="t",
        right_on="before",
        by=["node", "family"],
        allow_exact_matches=False,
        check_sortedness=False,
    )
    start = polars.min_horizontal(polars.lit(_before_daemons(phases)), "t")
    before = polars.when(polars.col("counter").is_in(list(of_run))).then(start)
    return found.select(
        polars.coalesce("before", before).alias("t"), *_KEY, polars.lit(0.0).alias("value")
    ).drop_nulls("t")


def _before_daemons(phases: Sequence[tuple[str, float]]) -> float:
    """The end of the phase before the one that starts daemons."""
    names = [name for name, _ in phases]
    at = names.index(_FIRST_DAEMONS) if _FIRST_DAEMONS in names else 0
    return phases[at - 1][1] if at else -math.inf


def _highest(samples: polars.DataFrame, phases: Sequence[tuple[str, float]]) -> polars.DataFrame:
    ends = [end for _, end in phases[:-1]]
    number = polars.sum_horizontal(
        polars.lit(0), *((polars.col("t") > end).cast(polars.Int32) for end in ends)
    )
    found = samples.with_columns(number.cast(polars.Int32).alias("number"))
    return _named(found.group_by(*_KEY, "number").agg(polars.col("value").max()), phases)


def _named(samples: polars.DataFrame, phases: Sequence[tuple[str, float]]) -> polars.DataFrame:
    """With the names of the phases; those of one name are one."""
    names = polars.DataFrame(
        {"number": range(len(phases)), "phase": [name for name, _ in phases]},
        {"number": polars.Int32, "phase": polars.String},
    )
    level = polars.col("counter").is_in(list(LEVELS))
    return (
        samples.join(names, on="number")
        .sort("number")
        .group_by([*_KEY, "phase"], maintain_order=True)
        .agg(polars.when(level.first()).then(polars.col("value").max()).otherwise(polars.col("value").sum()))
        .select(list(SCHEMA))
    )
