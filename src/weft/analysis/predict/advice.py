"""Advice on a run: what to change, its predicted gain with an interval, what it is based on, how to check it."""

import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import mean
from typing import Any

from weft.analysis.explain.filepart import FilePart, of_calls
from weft.analysis.explain.findings import LEAST_GAIN
from weft.analysis.explain.tasktime import CPU, GC, NETWORK, UNCLASSIFIED
from weft.analysis.explain.timeparts import Explanation, Suggestion, Trying
from weft.analysis.predict import correction, curve, holdout, jobprofile, memory, remedies
from weft.analysis.predict.candidates import Candidate, candidates
from weft.analysis.predict.correction import USUAL, Correction
from weft.analysis.predict.curve import Point
from weft.analysis.predict.forecast import Model
from weft.analysis.predict.jobprofile import JobProfile
from weft.analysis.predict.machine import Machine
from weft.analysis.predict.projection import Recorded
from weft.analysis.predict.remedies import Remedy
from weft.analysis.predict.target import Target
from weft.analysis.read.part import Part
from weft.analysis.read.sums import sums
from weft.text.numbers import percent
from weft.text.units import show_seconds

MOST = 5
"""Lines of advice."""


class Line(Part):
    """One change. Gains are shares of the measured time: 0.2 is a fifth less."""

    family: str
    """What is changed: storage of scratch, partitions, nodes, memory, network, compression, engine; the best of each is a line."""
    change: str
    flags: tuple[str, ...]
    """Of `weft run`; empty where weft has no flag for it."""
    settings: str
    """Of the engine, for jobs without weft."""
    seconds: float
    gain: float
    low: float
    high: float
    part: str
    counter: str
    check: str


class OneNode(Part):
    """The same queries by an engine of one node, which no model predicts."""

    change: str
    flags: tuple[str, ...]
    """Of `weft run`."""
    says: str
    """What is known of it, as a sentence without its full stop."""


class Advice(Part):
    """What to change about a run."""

    run: str
    directory: str
    """Of its record; empty if that cannot be run again."""
    measured: float
    replay: float
    job_class: str
    """CPU-bound, data-intensive, metadata-intensive or start-bound: what its slots spent most time on."""
    shares: Mapping[str, float]
    """Of the slot time, by class."""
    lines: tuple[Line, ...]
    """Changes whose whole interval is a gain."""
    uncertain: tuple[Line, ...]
    """Changes that would gain as much if the model is right, and by their interval may make the run slower."""
    findings: tuple[Suggestion, ...] = ()
    """What the parts of the slot time suggest and no model predicts: at most so much."""
    own: bool = True
    """Whether the program is the user's, who can change it."""
    work: str = ""
    """What there is to say where nothing helps."""
    unmeasured: tuple[Remedy, ...] = ()
    """What Lustre itself offers, whose gain was measured nowhere."""
    notes: tuple[str, ...]
    one_node: tuple[OneNode, ...] = ()

    @property
    def first(self) -> Trying | None:
        """The one thing to try: to observe more where little else is known; else a change that surely gains, or what a part of the slot
        time suggests; nothing that may lose."""
        for found in self.findings[:1]:
            if found.part == UNCLASSIFIED:
                return self._found(found)
        for line in self.lines[:1]:
            return self._trying(line)
        possible = [one for one in self.findings if self.own or not one.program]
        known = [one for one in possible if one.gain is not None]
        facts = [one for one in possible if one.gain is None and not one.shows]
        more = [one for one in possible if one.part == UNCLASSIFIED]
        for found in (*known, *facts, *more):
            return self._found(found)
        return None

    def _trying(self, line: Line) -> Trying:
        return Trying(
            change=line.change,
            gain=line.gain,
            low=line.low,
            high=line.high,
            command=line.check,
            settings=line.settings,
        )

    def _found(self, found: Suggestion) -> Trying:
        return Trying(
            change=found.change, gain=None, high=found.gain, command=_command(self.directory, found.flags)
        )


def advise(
    recorded: Recorded,
    directory: str,
    machine: Machine,
    others: Sequence[Recorded] = (),
    run: float = USUAL,
    explained: Explanation | None = None,
    *,
    own: bool = True,
) -> Advice:
    """The best change of each family, those first that gain most. `others`: runs of the same work by other engines; `run`: the
    relative deviation of one run; `explained`: where its slot time went; `own`: whether the program is the user's."""
    known = correction.fit((), run)
    model = recorded.model(machine)
    work = recorded.work
    changes = [one for one in candidates(recorded.situation(machine)) if memory.fits(work, one.target)]
    found = [
        *(_line(one, _point(model, one, known), work, directory) for one in changes),
        *_engines(recorded, directory, machine, others, known),
    ]
    predicted = {part for one in changes for part in _parts(one.part)}
    sure = _best([line for line in found if line.low > 0])
    unsure = _best([line for line in found if line.family not in {line.family for line in sure}])
    return Advice(
        run=recorded.name,
        directory=directory,
        measured=work.measured,
        replay=model.replay(),
        job_class=jobprofile.job_class(work),
        shares={str(name): share for name, share in jobprofile.class_shares(work).items()},
        lines=tuple(sure[:MOST]),
        uncertain=tuple(unsure[:MOST]),
        **_suggested(explained, predicted),
        own=own,
        unmeasured=tuple(remedies.of_lustre(work, recorded.spec, recorded.lustre)),
        notes=(
            *recorded.doubts,
            *(f"not measured, and not advised on: {words}" for words in work.missing),
        ),
    )


def unpredicted(explained: Explanation, name: str, directory: str, why: str, *, own: bool = True) -> Advice:
    """What can be advised on a run whose record lacks what the model needs; `why` names it. `own`: whether the program is the user's."""
    return Advice(
        run=name,
        directory=directory,
        measured=explained.wall,
        replay=explained.coverage.replay,
        job_class="",
        shares={},
        lines=(),
        uncertain=(),
        **_suggested(explained, set()),
        own=own,
        notes=(f"nothing was predicted: {why}",),
    )


def _parts(part: str | FilePart) -> tuple[str, ...]:
    """Those of which a prediction of this part says all: another storage changes metadata and data calls alike."""
    if isinstance(part, str):
        return (part,)
    return tuple(str(of_calls(part.files, data=data)) for data in (False, True))


def _suggested(explained: Explanation | None, predicted: Collection[str]) -> dict[str, Any]:
    """What the explanation suggests: facts, and of parts of which no model shows more."""
    if explained is None:
        return {}
    found = [one for one in explained.findings if one.fact or one.part not in predicted]
    return {"findings": tuple(found[:MOST]), "work": explained.work}


def _best(lines: Sequence[Line]) -> list[Line]:
    """The best line of each family, those first that gain most."""
    best: dict[str, Line] = {}
    for line in lines:
        if line.gain > max(LEAST_GAIN, best[line.family].gain if line.family in best else 0.0):
            best[line.family] = line
    return sorted(best.values(), key=lambda line: -line.gain)


def _point(model: Model, candidate: Candidate, known: Correction) -> Point:
    """A candidate's time: halfway between the two ends of what is not known, with a band around both."""
    targets = [candidate.target, *([candidate.otherwise] if candidate.otherwise else [])]
    ends = [curve.points(model, _at(target), [target.nodes], known, both_again=True)[0] for target in targets]
    between = {
        "seconds": mean(end.seconds for end in ends),
        "low": min(end.low for end in ends),
        "high": max(end.high for end in ends),
    }
    return ends[0].model_copy(update=between)


def _at(target: Target) -> Callable[[int], Target]:
    """A target, whatever number of nodes it is asked for."""
    return lambda nodes: replace(target, nodes=nodes)


def _line(candidate: Candidate, point: Point, work: JobProfile, directory: str) -> Line:
    return Line(
        family=candidate.family,
        change=candidate.change,
        flags=candidate.flags,
        settings=candidate.settings,
        seconds=point.seconds,
        gain=1 - point.seconds / work.measured,
        low=1 - point.high / work.measured,
        high=1 - point.low / work.measured,
        part=str(candidate.part),
        counter=_counter(candidate.part, work),
        check=_command(directory, candidate.flags),
    )


def _command(directory: str, flags: Sequence[str]) -> str:
    return shlex.join(["weft", "run", f"{directory}/spec.toml", *flags]) if flags and directory else ""


def _engines(
    recorded: Recorded, directory: str, machine: Machine, others: Sequence[Recorded], known: Correction
) -> Iterator[Line]:
    """Other engines that have done the same work, each predicted from its own run to where this one was measured."""
    for other in others:
        if other.work.engine == recorded.work.engine or not holdout.same_work(recorded, other):
            continue
        target = replace(recorded.on(machine), growth=other.growth)
        point = curve.points(other.model(machine), _at(target), [target.nodes], known)[0]
        engine = other.work.engine
        took = f"{other.name} took {show_seconds(other.work.measured)} on {other.work.nodes} node{'s' if other.work.nodes > 1 else ''}"
        took += "" if other.checked else ", and its result was not checked"
        change = f"{engine} instead of {recorded.work.engine}"
        one = Candidate("engine", change, ("--engine", engine), "", target, "engine")
        yield _line(one, point, recorded.work, directory).model_copy(update={"counter": took})


def _counter(part: str | FilePart, work: JobProfile) -> str:
    """What was measured of a part: its share of slot time, and its most frequent call."""
    whole = work.slots * work.wall
    calls = [(call, stage.count) for stage in work.stages for call in stage.calls if call.part == part]
    if calls:
        counts = sums((call.operation, call.count * tasks) for call, tasks in calls)
        blocked = sum(call.seconds * tasks for call, tasks in calls)
        most = max(counts, key=lambda name: counts[name])
        return f"{percent(blocked / whole)} of slot time; {most}: {counts[most]:,.0f} calls (probe fileops)"
    each = {CPU: "cpu", GC: "gc", NETWORK: "network", "compression": "compression"}
    if part in each:
        source = "sampled stacks" if part == "compression" else "job metrics"
        seconds = sum(getattr(stage, each[part]) * stage.count for stage in work.stages)
        return f"{percent(seconds / whole)} of slot time ({source})"
    return f"{work.slots} slots, {max(stage.count for stage in work.stages)} tasks in the widest stage (job metrics)"


class Trial(Part):
    """Advice that was tried. Gains are shares of the time."""

    run: str
    change: str
    flags: tuple[str, ...]
    gain: float | None = None
    """None where nothing was predicted; then there is no interval either, and seconds are those of the run phase."""
    low: float | None = None
    high: float | None = None
    old: tuple[float, ...]
    """Seconds of the runs without the change."""
    new: tuple[float, ...]
    """Seconds of the runs with it."""
    real: float

    @property
    def held(self) -> bool | None:
        """Whether the real gain lies in the predicted interval, if there is one."""
        if self.low is None or self.high is None:
            return None
        return self.low <= self.real <= self.high
