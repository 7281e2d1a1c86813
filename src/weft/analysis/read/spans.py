"""When a record's phases were: from its events, or without these from their durations."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars

from weft.analysis.read.part import Part
from weft.analysis.read.sources import Sources
from weft.record.record import PHASES


class Span(Part):
    """A phase in time; an unfinished one extends to the last sign of life."""

    name: str
    begin: float
    seconds: float
    ended: bool = True


def begin(events: Sequence[Mapping[str, Any]], samples: polars.DataFrame) -> float:
    """When the run began, in seconds since the epoch."""
    if events:
        return float(events[0]["t"])
    return float(samples["t"].min() or 0.0) if samples.height else 0.0  # type: ignore[arg-type]


def phases(
    sources: Sources, events: Sequence[Mapping[str, Any]], sign: float, since: float
) -> tuple[Span, ...]:
    """Phases from the events, or without these from their durations in record.json; `sign` is the last sign of life."""
    last = max([sign, *(float(event["t"]) for event in events)])
    spans: list[Span] = []
    for event in events:
        name, at = str(event.get("phase", "")), float(event["t"])
        if event["event"] == "phase-begin":
            spans.append(Span(name=name, begin=at - since, seconds=max(0.0, last - at), ended=False))
        elif event["event"] == "phase-end" and spans and spans[-1].name == name:
            open_ = spans.pop()
            spans.append(Span(name=name, begin=open_.begin, seconds=max(0.0, at - since - open_.begin)))
    return tuple(spans) or _spans(sources.head.phases)


def _spans(seconds: Mapping[str, float]) -> tuple[Span, ...]:
    spans, at = [], 0.0
    for name in PHASES:
        if name in seconds:
            spans.append(Span(name=name, begin=at, seconds=float(seconds[name])))
            at += float(seconds[name])
    return tuple(spans)
