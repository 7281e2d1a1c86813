"""What share each of the tasks at one place has in what they did together, by the engine's CPU time of each."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars

from weft.analysis.explain.spread import Numbers

_LEAST = 1e-3
"""Of a task in what tasks of its place did together: it ran there, so that it may have done some of it."""


@dataclass(frozen=True)
class Weights:
    """Of each task, its share of what tasks at one place did together; None where the engine says nothing of their CPU time."""

    running: Numbers | None = None
    waiting: Numbers | None = None
    blocked: Numbers | None = None


def of_tasks(tasks: polars.DataFrame, weight: Numbers, held: Numbers) -> Weights:
    """Who computes all the time is not blocked, and does not wait in the run queue; who is blocked all the time does not either."""
    cpu = tasks["cpu_ns"]
    if cpu.null_count() == len(cpu):
        return Weights()
    seconds = cpu.fill_null(0).to_numpy().astype(float) * 1e-9 * weight
    share = np.clip(seconds / np.maximum(held, 1e-9), 0.0, 1.0)
    return Weights(
        np.maximum(share, _LEAST),
        np.maximum(share * (1 - share), _LEAST),
        np.maximum(1 - share, _LEAST),
    )


def in_files(sampled_calls: Mapping[str, Numbers | None], busy: Weights) -> Mapping[str, Numbers] | None:
    """By operation: the weight of each task in what was counted of a node, by how long its thread was seen in it."""
    if busy.blocked is None:
        return None
    floor = _LEAST * busy.blocked
    found = {name: seen + floor for name, seen in sampled_calls.items() if seen is not None and seen.any()}
    return {"": busy.blocked, **found}
