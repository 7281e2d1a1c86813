"""Jobs and machines for the tests of predictions."""

from collections.abc import Sequence
from typing import Any

from weft.analysis.explain.slots import Stage
from weft.analysis.predict.forecast import Model
from weft.analysis.predict.jobprofile import CallsPerTask, JobProfile, StageWork
from weft.analysis.predict.machine import Machine
from weft.analysis.predict.storagemodel import StorageModel
from weft.analysis.predict.target import Growth, Target

MAP: Stage = ("app", 0, 0)
REDUCE: Stage = ("app", 1, 0)
MEMORY = StorageModel("memory", shared=False, latency=3e-6)
LUSTRE = StorageModel("lustre", latency=500e-6, rate=20_000)


def groupby(tasks: int = 16, slots: int = 4, seconds: float = 1.0, opens: float = 2.0) -> JobProfile:
    """A map stage and a reduce stage of as many tasks on memory; each block is opened `opens` times by its reader."""
    common: dict[str, Any] = {"tasks": [seconds] * tasks, "cpu": seconds}
    read = CallsPerTask("scratch", "open", opens * tasks, 0.0)
    stages = [
        StageWork(MAP, "map", writes_shuffle=True, **common),
        StageWork(REDUCE, "reduce", after=frozenset({MAP}), reads_shuffle=True, blocks=tasks, calls=[read], **common),
    ]  # fmt: skip
    return job(stages, slots)


def job(stages: Sequence[StageWork], slots: int = 4) -> JobProfile:
    """A job whose stages follow each other, with only their own lag between them."""
    seconds = sum(stage.lag + -(-stage.count // slots) * stage.mean for stage in stages)
    return JobProfile(
        stages, "spark", nodes=slots, slots=slots, wall=seconds, outside=0.0, after=0.0,
        storages={"scratch": "memory"}, size=1e9,
    )  # fmt: skip


def at(nodes: int, service: StorageModel = MEMORY, cores: int = 1, **more: Any) -> Target:
    growth = more.pop("growth", Growth(per_slot=(4,), each=True))
    machine = Machine("a machine", cores=cores, **more)
    return Target(machine, nodes, cores, {"scratch": service}, growth=growth)


def model(work: JobProfile | None = None, **more: Any) -> Model:
    work = work or groupby()
    return Model(work, at(work.nodes, **more))
