"""What the parts of a run's slot time suggest to change, each with the most that it can save."""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from weft.analysis.explain import limits
from weft.analysis.explain.attribution import Attribution
from weft.analysis.explain.limits import Ceilings
from weft.analysis.explain.slots import DRIVER, SCHEDULING
from weft.analysis.explain.tasktime import CPU, GC, INPUT, THREADS, UNCLASSIFIED
from weft.analysis.explain.timeparts import Explanation, Limit, Suggestion, TimePart
from weft.facts import engines

LEAST_GAIN = 0.05
"""Share of the time below which a change is not worth a line."""
SHORT_DRIVER = 10.0
"""Seconds. In two short queries of bench/defects.py and bench/skewed.py the driver was alone for 1.7 and 5 s, on two busy cores (2026-11-25, one run each, not kept);
twice the longer one is taken."""
_PROBE = ("--probe",)
_NAMING = ("threads", "fileops")
"""Probes without which slot time has no name."""
_INPUT = "a task of a pipeline waits for its input, which is the vertex before it"
_RUN = "weft submit, which watches what tasks wait for: a log does not say it"


def of_parts(found: Attribution, parts: Sequence[TimePart], ceilings: Ceilings) -> tuple[Suggestion, ...]:
    """Those that save most first, then those that only show more. Without a verdict, only how to get one.

    `parts` are those of the attribution, with more detail.
    """
    if not found.verdict:
        return () if found.doubt else tuple(_observing(found.coverage.missing))
    suggested = [
        suggestion
        for part in parts
        if (part.bound is not None or part.name == CPU)
        and not (planning(part, found.slots) or _one_for_each_slot(part, found))
        for suggestion in _suggestions(part.name, _category(part), _gain(part), ceilings.of_part(part.name))
    ]
    worth = [one for one in suggested if one.gain is None or one.gain >= LEAST_GAIN]
    return tuple(sorted(worth, key=lambda one: -(one.gain or 0.0)))


def planning(part: TimePart, slots: int) -> bool:
    """Whether the driver was alone for no longer than it is in any short application, in which it plans and compiles queries."""
    return part.name == DRIVER and part.seconds < SHORT_DRIVER * slots


def _one_for_each_slot(part: TimePart, found: Attribution) -> bool:
    """Whether tasks were launched mostly in stages that have one for each slot at most: there, fewer would leave slots empty."""
    launched = [
        (len(found.evidence.where[stage]) > found.slots, row.parts.get(SCHEDULING, 0.0))
        for stage, row in found.stages.items()
    ]
    return part.name == SCHEDULING and sum(seconds for many, seconds in launched if many) < part.seconds / 2


def refined(facts: Sequence[Suggestion], general: Sequence[Suggestion]) -> tuple[Suggestion, ...]:
    """What single stages and plans show says more than what the same part suggests in general, and saves at most as much."""
    gains = {one.part: one.gain for one in general if not one.shows}
    known = [
        one.model_copy(update={"fact": True, "gain": gains.get(one.part) if one.gain is None else one.gain})
        for one in facts
    ]
    left = [one for one in general if one.shows or one.part not in {fact.part for fact in facts}]
    worth = [one for one in (*known, *left) if one.gain is None or one.gain >= LEAST_GAIN]
    return tuple(sorted(worth, key=lambda one: -(one.gain or 0.0)))


def of_run(
    found: Explanation, probes: Collection[str], engine: str, conf: Mapping[str, str], *, imported: bool
) -> Explanation:
    """Without suggestions to watch what was watched, with the engine's key for its heap, and with settings of its own that paid elsewhere.

    A log was watched by nobody, and what it lacks needs a run.
    """
    submit = {"change": _RUN, "flags": ("--probe", "fileops")}
    left = []
    for one in found.findings:
        if not (one.shows and _watched(one, probes, imported=imported)):
            left.append(_of_engine(one, engine, imported=imported))
        elif imported and one.part == UNCLASSIFIED:
            left.append(one.model_copy(update=submit))
    # of a log it is not known which settings its cluster had
    known = () if imported else _paying(found, engine, conf)
    return found.model_copy(update={"findings": (*left, *known)})


def _paying(found: Explanation, engine: str, conf: Mapping[str, str]) -> Iterator[Suggestion]:
    """Settings that paid for stages of such names, where the run has no value of its own; how much they bring here is not known."""
    for one in engines.of(engine).paying if found.verdict and not found.no_gain else ():
        share = sum(row.share for row in found.stages if re.search(one.stages, row.name))
        if share >= LEAST_GAIN and one.key not in conf:
            flags = ("--set", f"engine.conf.{one.key}={one.value}")
            change = f"{one.seen}: {' '.join(flags)}"
            yield Suggestion(part=CPU, change=change, gain=None, flags=flags, fact=True)


def _of_engine(one: Suggestion, engine: str, *, imported: bool) -> Suggestion:
    """With its keys: weft's for a larger heap, or of an imported run the engine's own; and for what tasks of a pipeline wait."""
    facts = engines.of(engine)
    if one.part == THREADS and facts.pipelined:
        return one.model_copy(update={"change": f"{one.change}; {_INPUT}"})
    if one.part == INPUT and facts.settings.begin_late:
        return one.model_copy(update={"change": f"{one.change}: {facts.settings.begin_late}"})
    key = facts.settings.heap if imported else facts.memory_key and f"--set engine.{facts.memory_key}=SIZE"
    return one.model_copy(update={"change": f"{one.change}: {key}"}) if one.part == GC and key else one


def _watched(one: Suggestion, probes: Collection[str], *, imported: bool) -> bool:
    return one.flags[:1] == _PROBE and (imported or set(one.flags[1::2]) <= set(probes))


def _observing(missing: Mapping[str, str]) -> Iterator[Suggestion]:
    """The probes that would name more."""
    if lacking := [name for name in _NAMING if name in missing]:
        flags = tuple(word for name in lacking for word in (*_PROBE, name))
        yield Suggestion(
            part=UNCLASSIFIED,
            change=f"more probes: {' '.join(flags)}",
            gain=None,
            flags=flags,
            shows=True,
        )


def _gain(part: TimePart) -> float | None:
    return None if part.bound is None else 1 - 1 / part.bound


def _category(part: TimePart) -> str:
    """Of CPU time, its largest, where stacks were sampled."""
    return part.operations[0].name if part.name == CPU and part.operations else ""


def _suggestions(part: str, category: str, gain: float | None, limit: Limit | None) -> list[Suggestion]:
    known = advice()
    row = known.get((part, category)) or known.get((part, ""))
    if row is None:
        return []
    change, flags = (
        "; ".join([_words(row, limits.full(limit)), *limits.advice(limit)]),
        tuple(row.get("flags", ())),
    )
    of_row = {"flags": flags, **{key: row.get(key, False) for key in ("program", "shows")}}
    return [Suggestion(part=part, change=change, gain=None if row.get("shows") else gain, **of_row)]


def _words(row: Mapping[str, Any], full: bool | None) -> str:
    """Without what its gauge contradicts: more at a time at a ceiling, or more than is used below it."""
    found = [
        row.get("words"),
        row.get("parallel") if not full else "",
        row.get("wider") if full is not False else "",
    ]
    return ", or ".join(filter(None, found))


@cache
def advice() -> dict[tuple[str, str], dict[str, Any]]:
    """By part and category of CPU time."""
    text = resources.files("weft.analysis.explain").joinpath("advice.toml").read_text(encoding="utf-8")
    return {(each["part"], each.get("category", "")): each for each in tomllib.loads(text)["advice"]}
