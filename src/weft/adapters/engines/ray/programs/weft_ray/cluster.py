"""Ray's cluster as weft's programs use it, and their shuffle of blocks as tasks of Ray.

A map task returns a block for each reduce task, as objects of their own. They stay in the object store of the node that made them,
which spills them to its directory where they do not fit, and the node of the reduce task fetches them from there.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import ray
from ray.exceptions import (
    NodeDiedError,
    ObjectLostError,
    OutOfMemoryError,
    RayTaskError,
    WorkerCrashedError,
)


@dataclass(frozen=True)
class Task:
    """A function and its arguments; it runs when its results are wanted."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    made: Any = None
    """Its result, if it has been kept."""

    def started(self) -> Any:
        """What stands for its result."""
        return self.made or ray.remote(self.function).remote(*given(self.arguments))


class RayCluster:
    """A connection to the run's cluster, whose nodes have all registered."""

    def __enter__(self) -> Self:
        address = os.environ["WEFT_RAY_NODE"]
        ray.init(_node_ip_address=address, log_to_driver=False, logging_level="WARNING")
        return self

    def __exit__(self, *_: object) -> None:
        ray.shutdown()

    @staticmethod
    def lost(error: Exception) -> str:
        if isinstance(error, RayTaskError):
            error = error.cause
        if isinstance(error, NodeDiedError | ObjectLostError | OutOfMemoryError | WorkerCrashedError):
            return f"a worker was lost: {type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
        return ""

    @property
    def slots(self) -> int:
        return int(ray.cluster_resources()["CPU"])

    def task(self, function: Callable[..., Any], *arguments: Any) -> Task:
        return Task(function, arguments)

    def keep(self, tasks: Sequence[Task]) -> Sequence[Task]:
        made = [each.started() for each in tasks]
        ray.wait(made, num_returns=len(made), fetch_local=False)
        return [Task(same, (each,), each) for each in made]

    def results(self, tasks: Sequence[Task]) -> Sequence[Any]:
        found: Sequence[Any] = ray.get([each.started() for each in tasks])
        return found

    def shuffled(
        self,
        maps: Sequence[Task],
        cut: Callable[[Any, int], Any],
        reduce: Callable[..., Any],
        parts: int,
        *more: Any,
    ) -> Sequence[Any]:
        """There are as many objects as map tasks times parts. One that is small is sent with the end of its task, and never spilled."""
        one = ray.remote(divided).options(num_returns=parts)
        made = [one.remote(each.function, cut, parts, *given(each.arguments)) for each in maps]
        blocks = [each if parts > 1 else [each] for each in made]
        all_ = ray.remote(reduced)
        found: Sequence[Any] = ray.get(
            [
                all_.remote(reduce, number, len(maps), *(each[number] for each in blocks), *more)
                for number in range(parts)
            ]
        )
        return found


CLUSTER = RayCluster


def given(arguments: Sequence[Any]) -> list[Any]:
    """Arguments, with what stands for the results of tasks among them."""
    return [each.started() if isinstance(each, Task) else each for each in arguments]


def same(value: Any) -> Any:
    """What was kept."""
    return value


def divided(function: Callable[..., Any], cut: Callable[[Any, int], Any], parts: int, *arguments: Any) -> Any:
    """A map task: its blocks, each of them an object."""
    made = function(*arguments)
    blocks = [cut(made, number) for number in range(parts)]
    return blocks if parts > 1 else blocks[0]


def reduced(reduce: Callable[..., Any], number: int, maps: int, *blocks: Any) -> Any:
    """A reduce task: Ray fetches its blocks before it begins."""
    return reduce(number, list(blocks[:maps]), *blocks[maps:])
