"""A shuffle of blocks as tasks of Dask: every map task's result is cut into a block for each reduce task.

The blocks are results of tasks: they stay in the memory of the worker that made them, which writes them to its local
directory where they do not fit, and the worker that reduces them fetches them from there.
"""

from collections.abc import Callable, Sequence
from typing import Any

import dask
from dask.delayed import Delayed


def shuffled(
    maps: Sequence[Delayed],
    cut: Callable[[Any, int], Any],
    reduce: Callable[..., Any],
    parts: int,
    *more: Any,
) -> list[Delayed]:
    """For each part: reduce(number, blocks, *more), where a block is cut(result of a map task, number).

    There are maps x parts tasks of `cut`, of each of which the scheduler takes about a millisecond.
    """
    one, all_ = dask.delayed(cut, pure=False), dask.delayed(reduce, pure=False)
    return [all_(number, [one(each, number) for each in maps], *more) for number in range(parts)]
