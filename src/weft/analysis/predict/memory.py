"""Whether what was in memory where a job was measured still has room at a target: what tasks sort and group, what the job caches."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from weft.analysis.explain.slots import Stage
from weft.analysis.predict.constants import VALUE
from weft.analysis.predict.jobprofile import JobProfile, StageWork
from weft.analysis.predict.target import Target, scale
from weft.facts import engines
from weft.facts.enginefacts import Held
from weft.text.units import show_size

_AS_MUCH = 1.001
"""Times what there was, up to which there is as much."""


@dataclass(frozen=True)
class Shortage:
    """What has no room, or may have none."""

    stage: Stage
    name: str
    cached: bool
    """Whether it is what an executor caches for the stage; otherwise it is what each of the stage's tasks sorts and groups."""
    needs: float
    """Bytes: at least, if that is sure; otherwise at most."""
    room: float
    """Bytes."""
    sure: bool

    @property
    def says(self) -> str:
        """As a clause."""
        bound = "at least" if self.sure else "up to"
        needs, room = show_size(int(self.needs)), show_size(int(self.room))
        if self.cached:
            return (
                f"an executor caches {bound} {needs} for {self.name}, and has room for {room}:"
                " the rest is computed again, or read from disk"
            )
        return f"a task of {self.name} sorts and groups {bound} {needs}, and has room for {room}: the rest is spilled"


def shortages(work: JobProfile, target: Target) -> list[Shortage]:
    """What has less room than it had, and not surely enough; nothing where the room is not known."""
    held = engines.of(work.engine).held
    if held is None or not work.memory:
        return []
    return [*_sorted(work, target, held), *_cached(work, target, held)]


def fits(work: JobProfile, target: Target) -> bool:
    """Whether nothing surely lacks room."""
    return not any(one.sure for one in shortages(work, target))


def _sorted(work: JobProfile, target: Target, held: Held) -> Iterator[Shortage]:
    kept = VALUE["storage_fraction"] if any(stage.cached for stage in work.stages) else 0.0
    for stage in work.stages:
        least, most = _of_task(stage, held, work.memory / max(1, work.slots // work.nodes))
        new = scale(stage, work, target)
        was = _room(work.memory, held, work.nodes, work.slots, stage.count)
        now = _room(target.memory or work.memory, held, target.nodes, target.slots, new.tasks)
        if stage.spilled or least > was or new.data * was <= _AS_MUCH * now:
            continue  # what was spilled is in what the stage did, and grows with its data
        if least * new.data > now:
            yield Shortage(stage.key, stage.name, cached=False, needs=least * new.data, room=now, sure=True)
        elif most * new.data > now * (1 - kept):
            room = now * (1 - kept)
            yield Shortage(stage.key, stage.name, cached=False, needs=most * new.data, room=room, sure=False)


def _of_task(stage: StageWork, held: Held, room: float) -> tuple[float, float]:
    """Bytes that a task of a stage held where it was measured: at least, and at most. `room`: of each slot."""
    if stage.held is None and held.reported:
        return 0.0, 0.0
    if stage.held is None:
        return 0.0, VALUE["held_of_read"] * stage.bytes.get("scratch read", 0.0)
    return max(0.0, stage.held - min(held.page, room / held.pages)), stage.held


def _room(memory: float, held: Held, nodes: int, slots: int, tasks: int) -> float:
    """Bytes that a task has room for, where so many tasks run on so many slots."""
    if held.of == "task":
        return memory
    sharing = slots if held.of == "slot" else min(slots, tasks)
    return memory / max(1, math.ceil(sharing / nodes))


def _cached(work: JobProfile, target: Target, held: Held) -> Iterator[Shortage]:
    if held.of != "running":
        return
    kept = VALUE["storage_fraction"] if any(stage.held for stage in work.stages) else 1.0
    memory = target.memory or work.memory
    found = []
    for stage in work.stages:
        new = scale(stage, work, target)
        was = stage.cached * stage.count / min(work.nodes, stage.count)
        now = stage.cached * new.data * new.tasks / min(target.nodes, new.tasks)
        if now / memory > _AS_MUCH * was / work.memory and now > kept * memory:
            found.append((now, stage))
    if found:
        now, stage = max(found, key=lambda one: one[0])
        sure = now > memory
        room = memory if sure else kept * memory
        yield Shortage(stage.key, stage.name, cached=True, needs=now, room=room, sure=sure)
