"""Where a job is predicted: nodes, storages, size, partitions; and what of its work changes there.

Tasks are as many as the job asks for there, and data grows with size or tasks: by known rules, not by fitting.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from weft.analysis.explain.slots import Stage
from weft.analysis.predict.constants import VALUE
from weft.analysis.predict.jobprofile import JobProfile, StageWork
from weft.analysis.predict.machine import Machine
from weft.analysis.predict.storagemodel import StorageModel
from weft.facts import engines

_SPLIT = float(128 << 20)
"""Bytes of a split of an input file (`--split-bytes` of weft's jobs)."""


@dataclass(frozen=True)
class AskedTasks:
    """What a workload asks its engine for on so many slots."""

    tasks: tuple[int, ...] = ()
    """Numbers of tasks, each for some of its stages; always in the same order."""
    files: int = 0
    """Of its input, which are read in splits; 0: it is not of that kind."""
    bytes: float = 0.0
    """Of all of them; 0: not known."""

    @property
    def splits(self) -> int:
        """Tasks that read the input; 0 without one."""
        if not self.files:
            return 0
        return self.files * max(1, math.ceil(self.bytes / self.files / _SPLIT - VALUE["split_slop"]))


def _nothing(slots: int, size: float) -> AskedTasks:  # noqa: ARG001 - whatever they are
    """Of a job that says nothing of its tasks, such as a user's own."""
    return AskedTasks()


@dataclass(frozen=True)
class Growth:
    """How a job grows."""

    asked: Callable[[int, float], AskedTasks] = _nothing
    """What it asks for, by slots and size."""
    per_slot: tuple[int, ...] = ()
    """Tasks that its engine makes for each slot by itself."""
    each: bool = False
    """Whether each task has its own amount of data, so that more tasks are more data."""
    all_stages: bool = False
    """Whether a number of tasks that is asked for is that of every stage, and not only of those that read a shuffle."""
    key: str = "partitions"
    """The workload's key for the number of its tasks, or of those that read a shuffle."""

    def tasks(
        self, stage: StageWork, work: JobProfile, slots: int, size: float, partitions: int | None
    ) -> int:
        """Tasks of a stage elsewhere: one that had as many as the job asked for has as many as it asks for there."""
        found = self._asked(stage, work, slots, size)
        shuffles = stage.reads_shuffle or (stage.writes_shuffle and self.each)
        if partitions is not None and (shuffles or ((self.each or self.all_stages) and found)):
            return partitions
        return found or stage.count

    def _asked(self, stage: StageWork, work: JobProfile, slots: int, size: float) -> int | None:
        was, now = self.asked(work.slots, work.size), self.asked(slots, size)
        if not stage.reads_shuffle and was.splits == stage.count:
            return now.splits
        own = next(
            (after for before, after in zip(was.tasks, now.tasks, strict=True) if before == stage.count), None
        )
        each = next((count for count in self.per_slot if count * work.slots == stage.count), 0)
        return own or each * slots or None

    def by_slots(self, work: JobProfile) -> bool:
        """Whether there are more tasks on more slots."""
        return any(
            self.tasks(stage, work, 2 * work.slots, work.size, None) != stage.count for stage in work.stages
        )

    def data(self, stage: StageWork, tasks: int, work: JobProfile, size: float) -> float:
        """The stage's data over what was measured."""
        if self.each:
            return tasks / stage.count
        return size / work.size if work.size else 1.0


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

    memory: float = 0.0
    """Bytes in which the tasks of an executor sort and group; 0: as many as where the work was measured."""

    reopened: bool = False
    """Whether a task that sorts its blocks into one file opens that file for each of them, as Spark did before 2.1."""

    whole: bool = False
    """Whether what made some tasks longer than others stays in one piece, such as a single key; otherwise it is divided."""

    crowded: frozenset[Stage] = frozenset()
    """Stages whose tasks write to scratch what has no room in memory, and read it again."""

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
    reopens: float
    """How often it opens that one file again: for each block, or not at all."""
    blocks: float
    """Shuffle blocks of the whole stage."""


BYPASS = VALUE["bypass_merge_threshold"]
"""With at most so many reducers, each block is first a file of its own."""


def scale(stage: StageWork, work: JobProfile, target: Target) -> Scaled:
    """How a stage changes with the number of tasks around it."""

    def count(stage: StageWork) -> int:
        size = target.size or work.size
        return target.growth.tasks(stage, work, target.slots, size, target.partitions)

    tasks = count(stage)
    data = target.growth.data(stage, tasks, work, target.size or work.size) * stage.count / tasks
    before, behind = work.neighbours[stage.key]
    maps, maps_now = sum(one.count for one in before), sum(count(one) for one in before)
    reducers, reducers_now = sum(one.count for one in behind), sum(count(one) for one in behind)
    writes = 1.0
    if engines.of(work.engine).block_files and stage.writes_shuffle and reducers and reducers <= BYPASS:
        writes = reducers_now / reducers if reducers_now <= BYPASS else 0.0
    reopens = reducers_now if target.reopened and writes == 0 else 0
    reads = maps_now / maps if stage.reads_shuffle and maps else 1.0
    return Scaled(tasks, data, reads, writes, reopens, stage.blocks * reads * tasks)
