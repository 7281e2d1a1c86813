"""Where a job is predicted: nodes, storages, size, partitions; and what of its work changes there.

Tasks and data grow with slots, size and partitions by known rules, not by fitting.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from weft.analysis.explain.slots import Stage
from weft.analysis.predict.constants import VALUE
from weft.analysis.predict.jobprofile import JobProfile, StageWork
from weft.analysis.predict.machine import Machine
from weft.analysis.predict.storagemodel import StorageModel


@dataclass(frozen=True)
class TaskRule:
    """A number of tasks: so many for each slot, and at least one for each block of the data."""

    per_slot: float
    block: float = 0.0
    """Bytes; 0: whatever the size."""
    split: float = 0.0
    """Bytes of a split of an input file, of which there are `per_slot` for each slot; 0: files are not split."""
    reads: bool | None = None
    """Whether it is for stages that read a shuffle, or only for those that do not; None: for all."""

    def tasks(self, slots: int, size: float) -> int:
        count = max(1, round(self.per_slot * slots))
        if self.split:
            return count * max(1, math.ceil(size / count / self.split - VALUE["split_slop"]))
        return max(count, math.ceil(size / self.block) if self.block else 0)

    def fits(self, stage: StageWork, work: JobProfile) -> bool:
        """Whether the stage was as it says, where it was measured."""
        of_side = self.reads is None or self.reads == stage.reads_shuffle
        return of_side and self.tasks(work.slots, work.size) == stage.count


@dataclass(frozen=True)
class Growth:
    """The rules of a workload."""

    rules: Sequence[TaskRule] = ()
    each: bool = False
    """Whether each task has its own amount of data, so that more tasks are more data."""
    all_stages: bool = False
    """Whether a number of tasks that is asked for is that of every stage, and not only of those that read a shuffle."""

    def tasks(
        self, stage: StageWork, work: JobProfile, slots: int, size: float, partitions: int | None
    ) -> int:
        """Tasks of a stage elsewhere: a stage whose number a rule gives where it was measured follows the rule."""
        rule = next((r for r in self.rules if r.fits(stage, work)), None)
        shuffles = stage.reads_shuffle or (stage.writes_shuffle and self.each)
        if partitions is not None and (shuffles or ((self.each or self.all_stages) and rule)):
            return partitions
        return stage.count if rule is None else rule.tasks(slots, size)

    def data(self, stage: StageWork, tasks: int, work: JobProfile, size: float) -> float:
        """The stage's data over what was measured."""
        if self.each:
            return tasks / stage.count
        return size / work.size if work.size else 1.0


_BLOCK = 64e6
"""Bytes from which weft's sorts and TeraSorts use more partitions than two a slot (workloads/terarecords.py)."""
_SPLIT = float(128 << 20)
"""Bytes of a split of their input, of which there are two files a slot (`--split-bytes` of the jobs)."""
_RECORDS = (
    TaskRule(2, split=_SPLIT, reads=False),
    TaskRule(1, reads=False),
    TaskRule(2, _BLOCK, reads=True),
    TaskRule(2, reads=True),
)
_OF_SPARK_PERF = (
    "scheduling-throughput", "aggregate-by-key", "aggregate-by-key-int", "aggregate-by-key-naive", "sort-by-key",
    "sort-by-key-int", "count", "count-with-filter", "summary-statistics", "pearson", "spearman", "chi-sq-feature",
    "chi-sq-gof", "chi-sq-mat", "svd", "pca", "block-matrix-mult", "fp-growth", "prefix-span", "naive-bayes",
    "glm-regression", "glm-classification", "decision-tree", "kmeans", "gmm", "pic", "als", "lda", "word2vec",
)  # fmt: skip
"""Its core tests, and those of MLlib."""
_WHOLE_JOB = (*_OF_SPARK_PERF, "pi")
"""Workloads whose number of tasks is that of their data, which all of their stages have."""
_SLOTS: Mapping[str, tuple[str, Sequence[TaskRule]]] = {
    "terasort": ("partitions", _RECORDS),
    "sort": ("partitions", _RECORDS),
    "teracount": ("partitions", _RECORDS),
    **dict.fromkeys(("pagerank", "pagerank-graphx"), ("partitions", (TaskRule(2),))),
    "wordcount": ("partitions", (TaskRule(1), TaskRule(2))),
    "grep": ("partitions", (TaskRule(1), TaskRule(2))),
    "pi": ("tasks", (TaskRule(4),)),
    **dict.fromkeys(_OF_SPARK_PERF, ("partitions", (TaskRule(4),))),
}
"""By workload: the key that fixes the number of its tasks, or of those that read a shuffle, and the rules without it."""


def tasks_key(kind: str) -> str:
    """A workload's key for the number of its tasks, or of those that read a shuffle."""
    return "mappers" if kind == "groupby" else _SLOTS.get(kind, ("partitions",))[0]


_PARALLELISM = (TaskRule(1),)
"""Of an engine all stages of which share the slots at once: a task for each slot, where the workload does not ask for more."""


def of_workload(table: Mapping[str, Any], *, pipelined: bool = False) -> Growth:
    """The rules of one of weft's workloads, from its table in a record; none for a user's own job. `pipelined`: on an engine
    all stages of which run at once."""
    kind = str(table.get("kind"))
    if kind == "groupby":
        own = () if table.get("mappers") else (TaskRule(float(table.get("mappers_per_slot") or 4)),)
        return Growth(own, each=True)
    key, rules = _SLOTS.get(kind, ("", ()))
    fixed = bool(key and table.get(key))
    every = (*rules, *(_PARALLELISM if pipelined else ()))
    kept = tuple(rule for rule in every if not fixed or rule.reads is False)
    return Growth(kept, all_stages=kind in _WHOLE_JOB)


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
    before = [one for one in work.stages if one.key in stage.after and one.writes_shuffle]
    behind = [one for one in work.stages if stage.key in one.after and one.reads_shuffle]
    maps, maps_now = sum(one.count for one in before), sum(count(one) for one in before)
    reducers, reducers_now = sum(one.count for one in behind), sum(count(one) for one in behind)
    writes = 1.0
    if stage.writes_shuffle and reducers and reducers <= BYPASS:
        writes = reducers_now / reducers if reducers_now <= BYPASS else 0.0
    reads = maps_now / maps if stage.reads_shuffle and maps else 1.0
    return Scaled(tasks, data, reads, writes, stage.blocks * reads * tasks)
