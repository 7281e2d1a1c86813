"""Processor time of a run by category, from the stacks in its record."""

from collections.abc import Mapping

from weft.analysis.explain import stacks
from weft.analysis.explain.timeparts import Operation
from weft.analysis.read.part import Part
from weft.text.entry import Entry

_UNMATCHED = 5
"""Frames without a rule that are named."""


class Profiled(Part):
    """Processor seconds by side and category, from sampled stacks."""

    processes: int
    columns: Mapping[str, Mapping[str, float]]
    """By side of the tasks, and last `beside the tasks`: seconds by category."""
    unmatched: Mapping[str, float] = {}
    """Leaf frames that no rule names, with their seconds."""

    def of_tasks(self) -> tuple[Operation, ...]:
        """Processor seconds of the tasks by category, most first, over all sides; samples are no calls."""
        sums: dict[str, float] = {}
        for side, column in self.columns.items():
            if side != stacks.BESIDE:
                for name, seconds in column.items():
                    sums[name] = sums.get(name, 0.0) + seconds
        ranked = sorted(sums.items(), key=lambda item: -item[1])
        return tuple(Operation(name=name, seconds=round(seconds, 3), calls=0) for name, seconds in ranked)


def of_record(folder: Entry) -> Profiled | None:
    """The profile of a record; None where no stack was sampled."""
    found = stacks.profile(stacks.read(folder / "profile"))
    if not found.processes:
        return None
    unmatched = dict(found.unmatched.most_common(_UNMATCHED))
    return Profiled(processes=found.processes, columns=stacks.as_table(found), unmatched=unmatched)
