"""Cells of a bench that a seed draws: a job, and one or two things about it that are not as they were measured."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from random import Random
from typing import Any

Cell = Mapping[str, Any]
"""`from`: a job; and what changes: nodes, scratch, size, tasks."""


@dataclass(frozen=True)
class Choice:
    """What cells are drawn from."""

    jobs: Mapping[str, Mapping[str, Sequence[Any]]]
    """By job and by what may change of it: its values, the first of which is that of the measured run."""
    small: Callable[[Cell], bool] = lambda _: False
    """Whether a small run may be the cell, so that it may have been seen."""

    def possible(self, job: str) -> list[Cell]:
        """Every cell of a job."""
        values = self.jobs[job]
        found = [
            {"from": job, **dict(zip(keys, changed, strict=True))}
            for count in (1, 2)
            for keys in combinations(values, count)
            for changed in product(*(values[key][1:] for key in keys))
        ]
        return [cell for cell in found if not self.small(cell)]

    def stream(self, seed: int, job: str) -> Iterator[Cell]:
        """The cells of a job in the order in which they are drawn: half of them with one change, as long as there are some."""
        random = Random(f"{seed} {job}")  # noqa: S311 - a draw that anybody can repeat, and no secret
        left: dict[int, list[Cell]] = {1: [], 2: []}
        for cell in self.possible(job):
            left[len(cell) - 1].append(cell)
        while any(left.values()):
            count = random.choice([count for count, cells in left.items() if cells])
            yield left[count].pop(random.randrange(len(left[count])))

    def shares(self, seed: int, cells: int) -> dict[str, int]:
        """How many cells each job gets: as many as the others, or one more by lot."""
        each, more = divmod(cells, len(self.jobs))
        lucky = Random(f"{seed} more").sample(sorted(self.jobs), more)  # noqa: S311
        return {job: each + (job in lucky) for job in self.jobs}


def shuffled(seed: int, cells: Sequence[Cell]) -> list[Cell]:
    """The order in which they run, so that how fast the machine is at the time is not of one job only."""
    found = list(cells)
    Random(f"{seed} order").shuffle(found)  # noqa: S311
    return found
