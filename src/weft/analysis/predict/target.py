"""Where a job is predicted: nodes, storages, size, partitions; and what of its work changes there."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from weft.analysis.predict.growth import Growth
from weft.analysis.predict.jobprofile import JobProfile, StageWork
from weft.analysis.predict.machine import Machine, StorageModel


@dataclass(frozen=True)
class Target:
    """A machine, and how much of it."""

    machine: Machine
    nodes: int
    cores: int
    """Slots of a node."""
    storages: Mapping[str, StorageModel] = field(default_factory=dict)
    """By role; a role without one keeps what was measured."""
    size: float = 0.0
    partitions: int | None = None
    growth: Growth = field(default_factory=Growth)
    gc: float = 1.0
    """Of the measured garbage collection."""
    network: float = 1.0
    """Of the measured waiting for blocks of other nodes."""

    uncompressed: float | None = None
    """Of shuffled bytes without compression over those that were measured; None: compressed as they were."""

    whole: bool = False
    """Whether what made some tasks longer than others stays in one piece, such as a single key; otherwise it is divided."""

    rested: bool = False
    """Whether waiting for a processor after calls ends with the calls; otherwise it belongs to what tasks compute."""

    @property
    def slots(self) -> int:
        return self.nodes * self.cores

    @property
    def inflation(self) -> float:
        """Of shuffled bytes."""
        return self.uncompressed or 1.0


@dataclass(frozen=True)
class Scaled:
    """One stage at a target: its number of tasks and the ratios by which each task's work changes."""

    tasks: int
    data: float
    """Of a task's data."""
    reads: float
    """Of the blocks that a task reads."""
    writes: float
    """Of the files that a task writes in which each block is one; 0 where it writes all its blocks to one file."""
    blocks: float
    """Shuffle blocks of the whole stage."""


BYPASS = 200
"""spark.shuffle.sort.bypassMergeThreshold: with at most so many reducers, each block is first a file of its own."""


def scaled(stage: StageWork, work: JobProfile, target: Target) -> Scaled:
    """How a stage changes with the number of tasks around it."""

    def count(one: StageWork) -> int:
        size = target.size or work.size
        return target.growth.tasks(one, work, target.slots, size, target.partitions)

    tasks = count(stage)
    data = target.growth.data(stage, tasks, work, target.size or work.size) * stage.count / tasks
    before = [one for one in work.stages if one.key in stage.after and one.writes_shuffle]
    behind = [one for one in work.stages if stage.key in one.after and one.reads_shuffle]
    maps, maps_now = sum(one.count for one in before), sum(count(one) for one in before)
    reducers, reducers_now = sum(one.count for one in behind), sum(count(one) for one in behind)
    writes = 1.0
    if stage.writes_shuffle and reducers and reducers <= BYPASS:
        writes = reducers_now / reducers if reducers_now <= BYPASS else 0.0
    reads = maps_now / maps if stage.reads_shuffle and maps else 1.0
    return Scaled(tasks, data, reads, writes, stage.blocks * reads * tasks)
