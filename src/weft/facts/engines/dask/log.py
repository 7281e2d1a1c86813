"""The lines of Dask's tasks as job metrics: what has the same key prefix in one graph is a stage.

A slot is a thread of a worker process. A task holds one from when its function's inputs are asked for, where the slot waits for nothing
else, until its result is stored. Workers' times are their own; `known` is the scheduler's, and says when it could send the task.
"""

from collections.abc import Mapping
from typing import Any

from weft.facts import jobmetrics, taskstream
from weft.facts.engines.dask import FILE
from weft.facts.taskstream import Slot

_MOMENTS = ("waiting", "ready", "submitted", "start", "stop", "returned")


class _Times:
    """The moments of one task. Raises ValueError for those that no clock has."""

    def __init__(self, task: Mapping[str, Any], begin: float, end: float) -> None:
        self.task, self.begin, self.end = task, begin, end
        self.at = {key: float(task[key]) for key in _MOMENTS if key in task}
        self.cpu = float(task.get("cpu", 0.0))
        loops = [value for pair in task.get("loop", {}).values() for value in pair]
        if not all(0 <= float(value) < jobmetrics.LATEST for value in (*self.at.values(), self.cpu, *loops)):
            raise ValueError("a time is not plausible")

    def loop(self, moment: str) -> tuple[float, float]:
        """Seconds of the worker's event loop until then: with spilled results, with making objects and bytes."""
        spill, codec = self.task.get("loop", {}).get(moment, (0.0, 0.0))
        return float(spill), float(codec)

    def columns(self, slot: Slot) -> dict[str, float]:
        """Seconds, in the columns of tasks; `slot`: what its slot was before."""
        begin, at = self.begin, self.at
        free, before = slot
        first, since = begin, self.loop("submitted")
        if max(free, at.get("waiting", begin)) < begin:
            # it waited from when it was there, and its slot for it from when that had nothing else to do
            first, since = max((at["waiting"], self.loop("waiting")), (free, before))
        ready = min(max(first, at.get("ready", begin)), begin)
        submitted = max(begin, at.get("submitted", begin))
        start, stop = max(submitted, at.get("start", submitted)), at.get("stop", self.end)
        late = min(max(at.get("returned", stop), stop), self.end) - stop
        spill, codec = _within(submitted - first, since, self.loop("submitted"))
        more = _within(self.end - stop, self.loop("stop"), self.loop("end"))
        # where the event loop was at work, neither others nor the way to the thread were waited for
        left = submitted - first - spill - codec
        fetch = min(ready - first, left)
        handed = min(begin - ready, left - fetch) + (start - submitted) + max(0.0, late - sum(more))
        return {
            "begin": first,
            "end": self.end,
            "run_ms": max(0.0, stop - start),
            "scheduler_ms": handed,
            "fetch_wait_ms": fetch,
            "spill_ms": spill + more[0],
            "codec_ms": codec + more[1],
            "cpu_ns": round(self.cpu * 1e9),
        }

    def left(self, slot: Slot) -> Slot:
        """What its slot is afterwards: what the event loop had done until then."""
        return self.end, max(slot[1], self.loop("end"))

    def sizes(self) -> dict[str, int]:
        """Bytes, in the columns of tasks."""
        columns = {"remote_bytes": "remote", "local_bytes": "local", "disk_spill_bytes": "spilled"}
        return {column: int(self.task.get(key, 0)) for column, key in columns.items()}


def _within(seconds: float, since: tuple[float, float], until: tuple[float, float]) -> tuple[float, float]:
    """What the event loop did between two of its readings, of so many seconds that a slot waited."""
    spill, codec = (max(0.0, later - earlier) for earlier, later in zip(since, until, strict=True))
    scale = min(1.0, seconds / (spill + codec)) if spill + codec else 0.0
    return spill * scale, codec * scale


LOG = taskstream.log("dask", FILE, _Times, slots_are="threads of the worker processes")
