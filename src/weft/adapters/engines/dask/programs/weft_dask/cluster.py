"""Dask's cluster as weft's programs use it, and their shuffle of blocks as tasks of Dask.

Every map task's result is cut into a block for each reduce task. The blocks are results of tasks: they stay in the memory of
the worker that made them, which writes them to its local directory where they do not fit, and the worker that reduces them
fetches them from there.
"""

from collections.abc import Callable, Sequence
from typing import Any, Self

import dask
from dask.delayed import Delayed
from distributed import Client, wait
from distributed.scheduler import KilledWorker


class DaskCluster:
    """A connection to the run's cluster, whose workers have all registered."""

    def __enter__(self) -> Self:
        self.client = Client(set_as_default=True)
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    @staticmethod
    def lost(error: Exception) -> str:
        return str(error).partition(". The last")[0] if isinstance(error, KilledWorker) else ""

    @property
    def slots(self) -> int:
        return sum(self.client.nthreads().values())

    def task(self, function: Callable[..., Any], *arguments: Any) -> Delayed:
        return dask.delayed(function, pure=False)(*arguments)

    def keep(self, tasks: Sequence[Delayed]) -> Sequence[Delayed]:
        kept: Sequence[Delayed] = dask.persist(*tasks)
        wait(kept)
        return kept

    def results(self, tasks: Sequence[Delayed]) -> Sequence[Any]:
        found: Sequence[Any] = dask.compute(*tasks)
        return found

    def shuffled(
        self,
        maps: Sequence[Delayed],
        cut: Callable[[Any, int], Any],
        reduce: Callable[..., Any],
        parts: int,
        *more: Any,
    ) -> Sequence[Any]:
        """There are maps x parts tasks of `cut`, of each of which the scheduler takes about a millisecond.

        Those of one map's result follow each other. Dask's own order is that of the parts, in which each result is read from
        scratch, and written there again, as many times as there are parts.
        """
        one, all_ = dask.delayed(cut, pure=False), dask.delayed(reduce, pure=False)
        blocks = []
        for place, each in enumerate(maps):
            with dask.annotate(priority=len(maps) - place):
                blocks.append([one(each, number) for number in range(parts)])
        return self.results(
            [all_(number, list(of), *more) for number, of in enumerate(zip(*blocks, strict=True))]
        )


CLUSTER = DaskCluster
