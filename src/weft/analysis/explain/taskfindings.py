"""What the engine's own figures of tasks suggest: spills, and stages of which one task reads most."""

import re
from collections.abc import Iterator, Mapping

import numpy as np

from weft.analysis.explain.evidence import Evidence
from weft.analysis.explain.slots import STRAGGLERS, Stage
from weft.analysis.explain.timeparts import StageTime, Suggestion
from weft.text.numbers import percent
from weft.text.units import show_size

_FOLDERS = re.compile(r" at \S*/")
_LEAST = 0.02
"""Share of the slot time of a stage, from which it is worth a word."""
_SKEWED = 5.0
"""Times the median from which a task reads too much: Spark's own spark.sql.adaptive.skewJoin.skewedPartitionFactor."""


def suggestions(found: Evidence, stages: Mapping[Stage, StageTime]) -> Iterator[Suggestion]:
    """Facts of stages. How much of their time that took, nobody measured."""
    yield from _skewed(found, stages)
    yield from _spills(found, stages)


def _skewed(found: Evidence, stages: Mapping[Stage, StageTime]) -> Iterator[Suggestion]:
    """Of each stage that had empty slots while a task read most of its shuffle; attempts that failed, and copies, read it again."""
    read = sum(found.tasks[name].fill_null(0).to_numpy() for name in ("remote_bytes", "local_bytes"))
    for stage, row in stages.items():
        mine = np.asarray(read)[found.succeeded(found.where[stage])]
        if row.parts.get(STRAGGLERS, 0.0) < _LEAST * found.use.whole or not len(mine):
            continue
        most, median = float(mine.max()), float(np.median(mine))
        if most >= _SKEWED * median > 0:
            yield Suggestion(
                part=STRAGGLERS,
                change=f"spread the keys of {_named(row)}: one of its {len(mine):,} tasks read"
                f" {percent(most / float(mine.sum()))} of its shuffle, {most / median:.0f} times the median",
                gain=None,
                program=True,
            )


def _spills(found: Evidence, stages: Mapping[Stage, StageTime]) -> Iterator[Suggestion]:
    """Of each stage whose tasks wrote to disk what did not fit into their memory."""
    column = found.tasks["disk_spill_bytes"].fill_null(0).to_numpy()
    for stage, row in stages.items():
        if row.share >= _LEAST and (spilled := int(column[found.where[stage]].sum())):
            yield Suggestion(
                part="spill",
                change=f"more memory for each task, or more and smaller partitions: {_named(row)}"
                f" spilled {show_size(spilled)}",
                gain=None,
            )


def _named(row: StageTime) -> str:
    """With the line of the program that began it, without the folders that PySpark has in it."""
    name = _FOLDERS.sub(" at ", row.name)
    return f"stage {row.stage} ({name})" if name else f"stage {row.stage}"
