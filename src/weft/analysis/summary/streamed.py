"""The latencies of a stream, from the collector's report in the record."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from weft.analysis.explain import pauses
from weft.analysis.read.part import Part
from weft.analysis.summary.streamrecovery import Moment, Recovery, moments, recovery, waiting
from weft.record.record import Stored
from weft.text.numbers import seconds

_NOTABLE = 0.005
"""Seconds of the shortest collector pause that is drawn."""

SHOWN = ("median", "p99")
"""The latencies of the sentence about a stream."""
_REASONS = {
    "producer": "producers send late, and do not wait for the brokers",
    "broker": "producers wait for the brokers' acknowledgements",
    "engine": "records are in the brokers' log, and wait for the engine",
}


NOTHING_TO_COMPARE = "results"
"""Why a rate was not sustained, as the collector says it, where nobody can know."""
_MISSED = {
    "producers": ("late", "in the last quarter producers sent {} s late"),
    "backlog": ("waited", "in the last quarter records waited {} s for the engine"),
    "latency": ("growth", "latency grew by {} s from the second quarter to the last"),
    "end": ("behind", "the engine needed {} s after the last of them until it had consumed all"),
}
"""By what grew: the number that shows it, and what it says. A collector that does not say looks at latencies only."""
_ENGINES = ("backlog", "end")
"""What grows because of the engine, whatever the latencies of the results that there are."""


def _limit(step: Mapping[str, JsonValue]) -> str:
    """What limited a rate that was not sustained."""
    return "engine" if step.get("missed") in _ENGINES else str(step.get("limit", ""))


class Streamed(Part):
    """A stream; `began` is in seconds after the run began, latencies in seconds."""

    began: float
    seconds: float
    records: int
    results: int
    throughput: float
    latency: Mapping[str, float]
    early: int
    """Records whose result arrived before they should have been sent: clocks differ."""
    clocks: float = 0.0
    """How far the clock of a producer and the collector's can be apart, at most."""
    paused: tuple[float, float]
    """When the longest time without a result began, after the stream did, and its length."""
    fallbacks: int
    """How often a result held fewer records than one before: the engine continued from a checkpoint."""
    distribution: tuple[tuple[float, float], ...]
    over_time: tuple[Moment, ...]
    steps: tuple[Mapping[str, JsonValue], ...]
    backlog: Mapping[str, float] = {}
    """If the engine began after the producers: records that waited, how long, and the time until it had caught up."""
    collector: tuple[tuple[float, float], ...] = ()
    """Pauses of the engine's garbage collector: when, after the stream began, and how long."""
    lag: tuple[tuple[float, int], ...] = ()
    """Records of the brokers' log that no complete checkpoint or micro-batch had: when, after the stream began, and how many."""
    recoveries: tuple[Recovery, ...] = ()
    """What each loss did to it."""

    @property
    def sustained(self) -> bool:
        """Whether the engine kept up with a rate that was offered."""
        return not self.steps or any(step.get("sustained") for step in self.steps)

    @property
    def sentence(self) -> str:
        """Whether the rate was sustained, otherwise what limited it; of a search, the highest rate."""
        rate = f"{self.throughput:,.0f} records/s were in results"
        if len(self.steps) > 1:
            best = max(
                (float(str(step["rate"])) for step in self.steps if step.get("sustained")), default=0.0
            )
            return f"The highest rate that was sustained: {best:,.0f} records/s ({rate})."
        if self.sustained:
            return f"The offered rate was sustained: {rate}."
        (step,) = self.steps
        offered, missed = f"offered rate of {float(str(step['rate'])):,.0f} records/s", step.get("missed")
        if missed == NOTHING_TO_COMPARE:
            return (
                f"Whether the {offered} was sustained is not known: {rate}, and its second quarter or its last one had no result"
                " that could be compared. A longer time has more of them."
            )
        key, why = _MISSED.get(str(missed), _MISSED["latency"])
        limit = _limit(step)
        how = why.format(seconds(float(str(step[key]))))
        return f"The {offered} was not sustained: {rate}, and {how}. The limit is the {limit}: {_REASONS[limit]}."

    @property
    def missed(self) -> bool:
        """Whether a rate was offered that the engine did not sustain."""
        return any(not step.get("sustained") and _limit(step) == "engine" for step in self.steps)

    @property
    def late(self) -> str:
        """How an engine that began after the producers caught up; empty if it did not begin late."""
        if not self.backlog:
            return ""
        waited = f"The engine began {seconds(self.backlog['waited'])} s after the producers, with {self.backlog['records']:,.0f} records in the brokers' log."
        took = self.backlog.get("caught_up")
        if took is None:
            return f"{waited} It did not catch up with them."
        return f"{waited} {seconds(took)} s later it had caught up: 99 % of the records were as fast as at the end, within a factor of two."


def of_record(stored: Stored, begin: float, losses: Sequence[tuple[float, str]] = ()) -> Streamed | None:
    """None if the run measured no stream. `begin`: when the run began, in seconds since 1970; `losses`: when after that, and what."""
    found = stored.json("outcomes/collect.json")
    if "over_time" not in found:
        return None
    began, end = float(found["began"]), float(found["began"]) + float(found["seconds"])
    pause = found["longest_pause"]
    over_time, lag = moments(found), waiting(found)
    lost = [(at + begin - began, what) for at, what in losses]
    made = Streamed(
        **{
            name: found[name]
            for name in ("seconds", "records", "results", "throughput", "latency", "early", "fallbacks")
        },
        began=began - begin,
        paused=(max(0.0, pause["began"] - began), pause["seconds"]),
        clocks=max((max(-each["least"], each["most"]) for each in found.get("clocks", ())), default=0.0),
        distribution=found["distribution"],
        over_time=over_time,
        lag=lag,
        recoveries=tuple(
            one
            for at, what in lost
            if 0 <= at <= found["seconds"] and (one := recovery(over_time, lag, at, what))
        ),
        steps=tuple(found["steps"]),
        backlog=found.get("backlog", {}),
        collector=_collector(stored, began, end),
    )
    # a damaged report is a gap of its record, and no page that cannot be made
    _ = (made.sentence, made.late, *(made.latency[name] for name in SHOWN))
    return made


def _collector(stored: Stored, began: float, end: float) -> tuple[tuple[float, float], ...]:
    found = [
        (pause.begin - began, pause.end - pause.begin)
        for log in pauses.read(stored.folder / "pauses").values()
        for pause in log
        if began <= pause.begin <= end and pause.end - pause.begin >= _NOTABLE
    ]
    return tuple(sorted(found))
