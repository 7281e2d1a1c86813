"""Counters of a node or a process, sampled, attributed to the tasks that ran there meanwhile: at each moment by their weights."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars

from weft.record.samples import LABELS, Measure

Numbers = np.ndarray[tuple[int], np.dtype[np.float64]]
Indexes = np.ndarray[tuple[int], np.dtype[np.intp]]
Flags = np.ndarray[tuple[int], np.dtype[np.bool]]


_NOTHING = 1e-6
"""Weight that sums leave by rounding: less than the least of a task."""
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
"""By place, which is a node or a process, and what was counted."""


def to_tasks(
    counters: Counters,
    measure: Measure,
    places: Mapping[str, Indexes],
    begins: Numbers,
    ends: Numbers,
    weights: Numbers | None = None,
) -> Numbers | None:
    """The growth of the places' counters of a measure, by task; None if no place has one. `places`: the indexes of the tasks of each."""
    known = [place for place in places if (place, measure) in counters]
    found: Numbers = np.zeros(len(begins))
    for place in known:
        here = places[place]
        mine = None if weights is None else weights[here]
        found[here] = over_tasks(counters[place, measure], begins[here], ends[here], mine)
    return found if known else None


def over_tasks(counter: Readings, begins: Numbers, ends: Numbers, weights: Numbers | None = None) -> Numbers:
    """The growth of a counter by task; growth while no task ran is not attributed.

    Tasks that run at the same time share it by their weights, which are more than 0; without them in equal parts.
    """
    if len(counter.times) < 2 or not len(begins):
        return np.zeros(len(begins))
    own = np.ones(len(begins)) if weights is None else weights
    edges = np.unique(np.concatenate([counter.times, begins, ends]))
    grown = np.diff(np.interp(edges, counter.times, counter.values))
    running = _up_to(begins, own, edges[:-1]) - _up_to(ends, own, edges[:-1])
    each = np.where(running > _NOTHING, grown / np.maximum(running, _NOTHING), 0.0)
    sums = np.concatenate([[0.0], np.cumsum(each)])
    found: Numbers = (np.interp(ends, edges, sums) - np.interp(begins, edges, sums)) * own
    return found


def _up_to(moments: Numbers, weights: Numbers, edges: Numbers) -> Numbers:
    """The weights of those whose moment is not after an edge."""
    order = np.argsort(moments, kind="stable")
    sums = np.concatenate([[0.0], np.cumsum(weights[order])])
    found: Numbers = sums[np.searchsorted(moments[order], edges, side="right")]
    return found


def of_processes(
    samples: polars.DataFrame,
    prefix: str,
    programs: frozenset[str],
    places: Mapping[tuple[str, str], str] | None = None,
) -> dict[tuple[str, Measure], Readings]:
    """By place and counter: the sums over all processes of these programs, including ended ones.

    `places`: by node and process, the place, where that is not the node.

    Such a counter is only written when it has changed, so that it grew since the reading before.
    """
    wanted = samples.filter(polars.col("counter").str.starts_with(prefix) & polars.col("t").is_finite())
    program = polars.col("process").str.split("/").list.first()
    own = wanted.filter(program.is_in(list(programs))).sort("t")
    own = _at(own, places or {})
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
    by = ["node", "place", "counter", *LABELS]
    for (node, place, *measure), frame in grown.group_by(by, maintain_order=True):
        times = moments[str(node)]
        sums = np.zeros(len(times))
        np.add.at(sums, np.searchsorted(times, frame["t"].to_numpy()), frame["value"].to_numpy())
        found[str(place), Measure(*map(str, measure))] = Readings(times, np.cumsum(sums))
    return found


def _at(own: polars.DataFrame, places: Mapping[tuple[str, str], str]) -> polars.DataFrame:
    """With a column of each reading's place."""
    rows = [(node, process, place) for (node, process), place in places.items()]
    schema = dict.fromkeys(("node", "process", "place"), polars.String)
    known = polars.DataFrame(rows, schema, orient="row")
    found = own.join(known, on=["node", "process"], how="left", maintain_order="left")
    return found.with_columns(polars.col("place").fill_null(polars.col("node")))


def of_nodes(samples: polars.DataFrame, *prefixes: str) -> dict[tuple[str, Measure], Readings]:
    """By node and counter: the nodes' own sums over the engine's processes. One with a dot in its name is not written while it is 0."""
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
        # a counter of the kernel's, whose name has no dot, is always written: its first value is of all the time before
        first = times[0] if "." in str(measure[0]) else -np.inf
        before = moments[str(node)][moments[str(node)] < first][-1:]
        zero = np.zeros(len(before))
        found[str(node), Measure(*map(str, measure))] = Readings(
            np.concatenate([before, times]), np.concatenate([zero, values])
        )
    return found
