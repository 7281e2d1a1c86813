"""Processor time that a hypervisor took from tasks: the kernel counts it neither as their use of a processor nor as their wait."""

from collections.abc import Mapping

import numpy as np
import polars

from weft.analysis.explain.spread import Indexes, Numbers

_MACHINE = "host"
"""The node under which a record has the whole machine's counters, where several nodes share one."""
_USED = ("cpu_user", "cpu_system")


def of_tasks(
    samples: polars.DataFrame, places: Mapping[str, Indexes], used: Numbers | None, begin: float, end: float
) -> Numbers | None:
    """By task: its share of what was stolen from its machine, by the processor time of its thread. None where that is not known."""
    if used is None:
        return None
    found: Numbers = np.zeros(len(used))
    for node, here in places.items():
        found[here] = used[here] * _ratio(samples, node, begin, end)
    return found


def _ratio(samples: polars.DataFrame, node: str, begin: float, end: float) -> float:
    """Seconds stolen for each second of a processor that the machine gave; where a node is a machine of its own, gave the run."""
    own = samples.filter(
        polars.col("node").is_in([node, _MACHINE])
        & (polars.col("process") == "")
        & polars.col("counter").is_in(["steal", *_USED])
        & polars.col("t").is_finite()
    ).sort("t")
    machine = own.filter((polars.col("counter") == "steal") & (polars.col("node") == node))
    own = own.filter(polars.col("node") == (_MACHINE if machine.is_empty() else node))
    grown = {
        str(counter): float(np.diff(np.interp([begin, end], frame["t"], frame["value"]))[0])
        for (counter,), frame in own.group_by("counter")
    }
    given = sum(grown.get(name, 0.0) for name in _USED)
    return max(0.0, grown.get("steal", 0.0)) / given if given > 0 else 0.0
