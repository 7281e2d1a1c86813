"""The lines of Ray's tasks as job metrics: what has the same name in one program is a stage.

A slot is a CPU of a node. Ray gives a task one when its inputs are on the node; here it holds one from when it could have run, where the
slot had nothing else to do and inputs were on their way. A call of an actor holds none, and shares those that there are.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from weft.facts import jobmetrics, taskstream
from weft.facts.engines.ray import FILE
from weft.facts.taskstream import Slot

_SECONDS = ("cpu", "codec_cpu", "made", "written")
Span = tuple[float, float]


class _RayTimes:
    """What is known of one task. Raises ValueError for times that no clock has."""

    def __init__(self, task: Mapping[str, Any], begin: float, end: float) -> None:
        self.begin, self.end, self.actor = begin, end, bool(task.get("actor"))
        self.took = {key: float(task.get(key, 0.0)) for key in _SECONDS}
        self.known = float(task.get("known") or begin)
        self.remote = int(task.get("remote", 0))
        self.restored, self.spilled = _spans(task.get("restored", ())), _spans(task.get("spilled", ()))
        ((self.storing, self.stored),) = _spans([task.get("stored", (end, end))])
        spans = [*self.restored, *self.spilled, (self.storing, self.stored)]
        moments = (self.known, *self.took.values(), *(at for span in spans for at in span))
        if not all(0 <= value < jobmetrics.LATEST for value in moments):
            raise ValueError("a time is not plausible")

    def columns(self, slot: Slot) -> dict[str, float]:
        """Seconds, in the columns of tasks."""
        took, first = self.took, self.begin
        since = max(self.known, slot[0])
        if since < first and not self.actor and (self.remote or self.restored):
            # nothing says when an input arrived: what of the time was the way to the worker is in it
            first = since
        restored = min(_within(self.restored, first, self.begin), self.begin - first)
        waited = self.begin - first - restored
        spilling = _within(self.spilled, self.storing, self.stored)
        # what is left of storing is copying into the store, by threads of Ray's own
        storing = max(took["written"], self.stored - self.storing - spilling)
        return {
            "begin": first,
            "end": self.end,
            "run_ms": self.end - self.begin,
            "fetch_wait_ms": waited if self.remote else 0.0,
            "scheduler_ms": 0.0 if self.remote else waited,
            "spill_ms": restored + spilling,
            "codec_ms": took["made"] + storing,
            "cpu_ns": max(0, round((took["cpu"] - took["codec_cpu"]) * 1e9)),
        }

    def left(self, slot: Slot) -> Slot:
        """What its slot is afterwards."""
        return slot if self.actor else (self.end, slot[1])

    def sizes(self) -> dict[str, int]:
        """Bytes, in the columns of tasks."""
        return {"remote_bytes": self.remote}


def _spans(pairs: Iterable[Any]) -> list[Span]:
    return [(float(first), float(last)) for first, last in pairs]


def _within(spans: Iterable[Span], begin: float, end: float) -> float:
    """Seconds of the spans from `begin` to `end`; several at once count once."""
    seconds, at = 0.0, begin
    for first, last in sorted(spans):
        since, until = max(first, at), min(last, end)
        if until > since:
            seconds, at = seconds + until - since, until
    return seconds


LOG = taskstream.log("ray", FILE, _RayTimes, slots_are="CPUs of the nodes")
