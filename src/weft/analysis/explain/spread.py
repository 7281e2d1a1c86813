"""Counters of a node, sampled, attributed to the tasks that ran there meanwhile: in equal parts at each moment."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars

from weft.record.samples import LABELS, Measure

Numbers = np.ndarray[tuple[int], np.dtype[np.float64]]
Indexes = np.ndarray[tuple[int], np.dtype[np.intp]]
Flags = np.ndarray[tuple[int], np.dtype[np.bool]]


_ENGINE = ("engine", "")
"""Components whose processes are the engine's; records of older versions count all as one."""


@dataclass(frozen=True)
class Readings:
    """Readings of one cumulative counter."""

    times: Numbers
    values: Numbers

    def grown(self, begin: float, end: float) -> float:
        """By how much it grew from one moment to another."""
        first, last = np.interp([begin, end], self.times, self.values)
        return float(last - first)


Counters = Mapping[tuple[str, Measure], Readings]
"""By node, and what was counted."""


def to_tasks(
    counters: Counters, measure: Measure, places: Mapping[str, Indexes], begins: Numbers, ends: Numbers
) -> Numbers | None:
    """The growth of the nodes' counters of a measure, by task; None if no node has one. `places`: by node, its tasks' indexes."""
    known = [node for node in places if (node, measure) in counters]
    found: Numbers = np.zeros(len(begins))
    for node in known:
        here = places[node]
        found[here] = over_tasks(counters[node, measure], begins[here], ends[here])
    return found if known else None


def over_tasks(counter: Readings, begins: Numbers, ends: Numbers) -> Numbers:
    """The growth of a counter by task; growth while no task ran is not attributed."""
    if len(counter.times) < 2 or not len(begins):
        return np.zeros(len(begins))
    edges = np.unique(np.concatenate([counter.times, begins, ends]))
    grown = np.diff(np.interp(edges, counter.times, counter.values))
    running = np.searchsorted(np.sort(begins), edges[:-1], side="right") - np.searchsorted(
        np.sort(ends), edges[:-1], side="right"
    )
    each = np.where(running > 0, grown / np.maximum(running, 1), 0.0)
    sums = np.concatenate([[0.0], np.cumsum(each)])
    found: Numbers = np.interp(ends, edges, sums) - np.interp(begins, edges, sums)
    return found


def of_processes(
    samples: polars.DataFrame, prefix: str, programs: frozenset[str]
) -> dict[tuple[str, Measure], Readings]:
    """By node and counter: the sums over all processes of these programs, including ended ones.

    Such a counter is only written when it has changed, so that it grew since the reading before.
    """
    wanted = samples.filter(polars.col("counter").str.starts_with(prefix) & polars.col("t").is_finite())
    program = polars.col("process").str.split("/").list.first()
    own = wanted.filter(program.is_in(list(programs))).sort("t")
    grown = own.with_columns(
        polars.col("value")
        .diff()
        .over("node", "process", "counter", *LABELS)
        .fill_null(polars.col("value"))
        .alias("value")
    )
    moments = {
        str(node): frame["t"].unique().sort().to_numpy() for (node,), frame in wanted.group_by(["node"])
    }
    found = {}
    for (node, *measure), frame in grown.group_by(["node", "counter", *LABELS], maintain_order=True):
        times = moments[str(node)]
        sums = np.zeros(len(times))
        np.add.at(sums, np.searchsorted(times, frame["t"].to_numpy()), frame["value"].to_numpy())
        found[str(node), Measure(*map(str, measure))] = Readings(times, np.cumsum(sums))
    return found


def of_nodes(samples: polars.DataFrame, *prefixes: str) -> dict[tuple[str, Measure], Readings]:
    """By node and counter: the nodes' own sums over the engine's processes. Such a counter is not written while it is 0."""
    named = polars.any_horizontal(*(polars.col("counter").str.starts_with(prefix) for prefix in prefixes))
    own = samples.filter(
        named
        & (polars.col("process") == "")
        & polars.col("component").is_in(list(_ENGINE))
        & polars.col("t").is_finite()
    ).sort("t")
    moments = {str(node): frame["t"].unique().sort().to_numpy() for (node,), frame in own.group_by(["node"])}
    found = {}
    for (node, *measure), frame in own.group_by(["node", "counter", *LABELS], maintain_order=True):
        times, values = frame["t"].to_numpy(), frame["value"].to_numpy()
        before = moments[str(node)][moments[str(node)] < times[0]][-1:]
        zero = np.zeros(len(before))
        found[str(node), Measure(*map(str, measure))] = Readings(
            np.concatenate([before, times]), np.concatenate([zero, values])
        )
    return found
