"""A recorded job with what a paper says of its own one, in place of what the small run did."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from weft.analysis.predict.jobprofile import CallsPerTask, JobProfile, StageWork
from weft.analysis.predict.projection import Recorded
from weft.analysis.predict.target import AskedTasks

_WAYS = {"read": "read", "written": "write"}
"""The call that moves bytes, by the way they go."""
_EACH_READ = 0.5
"""From so many for each read on, attributes are asked for before each read."""


@dataclass(frozen=True)
class Counted:
    """What is known of a paper's job; what is not known is as in the small run."""

    first: int = 0
    """The stage that is its first one: those before it are of weft's job alone."""
    moved: Sequence[Mapping[str, float]] = ()
    """By stage: bytes over those of the input, such as `input read`. Calls on input and output go through HDFS then."""
    request: float = 0.0
    """Bytes of a call that moves them."""
    calls: Mapping[str, float] = field(default_factory=dict)
    """Calls of all tasks, such as `scratch read`, where they are known better than by `request`."""
    maps: int | None = None
    """Tasks that read the input."""

    def of(self, recorded: Recorded, size: float) -> Recorded:
        """The job so. `size`: of the paper's input, by which its calls are spread over the small run's."""
        work = _from(recorded.work, self.first)
        if self.moved:
            stages = zip(work.stages, self.moved, strict=True)
            share = work.size / size
            work = replace(work, stages=[self._stage(one, moved, work.size, share) for one, moved in stages])
        found = replace(recorded, work=work)
        return found if self.maps is None else _with_maps(found, self.maps)

    def _stage(self, stage: StageWork, moved: Mapping[str, float], size: float, share: float) -> StageWork:
        each = {key: times * size / stage.count for key, times in moved.items()}
        made = [self._calls(key, bytes_, share / stage.count) for key, bytes_ in each.items()]
        before, now = (_count(calls, "scratch read") for calls in (stage.calls, made))
        kept = [_asked(call, now / before if before else 1.0, stage) for call in stage.calls]
        return replace(stage, bytes=each, calls=[*(call for call in kept if call), *made])

    def _calls(self, key: str, bytes_: float, share: float) -> CallsPerTask:
        role, _, way = key.partition(" ")
        count = self.calls[key] * share if key in self.calls else bytes_ / self.request
        return CallsPerTask(role, _WAYS[way], count, 0.0)


def _count(calls: Sequence[CallsPerTask], key: str) -> float:
    """Of a role and an operation, by the task itself."""
    return sum(call.count for call in calls if f"{call.role} {call.operation}" == key and not call.served)


def _asked(call: CallsPerTask, ratio: float, stage: StageWork) -> CallsPerTask | None:
    """A call that moves nothing; None for others, which the paper's replace. HDFS knows the attributes of the blocks that it reads."""
    if call.served:
        return call
    if call.data:
        return None
    reads = _count(stage.calls, f"{call.role} read")
    if call.operation != "stat" or not reads or call.count <= _EACH_READ * reads:
        return call
    return replace(call, count=call.count * ratio) if call.role == "scratch" else None


def _from(work: JobProfile, first: int) -> JobProfile:
    """Without the stages before one, and without the time that they took."""
    gone, kept = work.stages[:first], list(work.stages[first:])
    if not gone:
        return work
    seconds = sum(stage.mean * stage.count / min(work.slots, stage.count) for stage in gone)
    seconds += sum(stage.lag for stage in [*gone, kept[0]]) - gone[0].lag
    keys = {stage.key for stage in gone}
    kept = [replace(stage, after=stage.after - keys) for stage in kept]
    kept[0] = replace(kept[0], lag=gone[0].lag)
    return replace(work, stages=kept, wall=work.wall - seconds)


def _with_maps(recorded: Recorded, maps: int) -> Recorded:
    """With so many tasks that read the input anywhere but where it was measured."""
    work, asked = recorded.work, recorded.growth.asked

    def elsewhere(slots: int, size: float) -> AskedTasks:
        found = asked(slots, size)
        return found if (slots, size) == (work.slots, work.size) else replace(found, files=maps, bytes=0.0)

    return replace(recorded, growth=replace(recorded.growth, asked=elsewhere))


def of_table(table: Mapping[str, Any]) -> Counted:
    """Of the keys of a job in bench/publishedjobs.toml."""
    words = ("first", "moved", "request", "calls", "maps")
    return Counted(**{word: table[word] for word in words if word in table})
