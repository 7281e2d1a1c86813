"""Comparison of runs: grouped by their spec, medians with intervals, and no ranking that the runs do not support."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from weft.analysis.compare import statistics
from weft.analysis.compare.against import Against
from weft.analysis.compare.estimate import LEAST, Estimate
from weft.analysis.compare.headline import Headline, failed_before
from weft.analysis.compare.operations import Operations
from weft.analysis.explain.timeparts import Explanation
from weft.analysis.read.part import Part
from weft.record.record import PHASES

_UNSAID = {"UNCHECKED": "its result was not checked"}
"""By verdict: why a run without a reason has no time."""
_FEW = 4
"""Maximum number of cells that are listed individually."""


class Group(Part):
    """The valid runs of one spec. Times in seconds; `ratio` is its time divided by that of the first group, which has none."""

    label: str
    names: tuple[str, ...] = ()
    """What distinguishes it, of which its label is made: scratch=disk."""
    key: str
    runs: tuple[str, ...]
    values: tuple[float, ...]
    seconds: Estimate | None = None
    ratio: Estimate | None = None
    throughput: Estimate | None = None
    phases: Mapping[str, Estimate] = {}
    emulated: tuple[str, ...] = ()
    operations: tuple[Operations, ...] = ()
    """Of the runs in which they were counted."""
    coordinates: Mapping[str, str] = {}
    """By key of its study's matrix."""
    facts: tuple[Mapping[str, Any], ...] = ()
    """What the workloads of its runs found."""
    parts: Mapping[str, float] = {}
    """Seconds of the run phase by what the slots did: means over the runs that could be split, which sum to its time."""
    unmeasured: tuple[str, ...] = ()
    """What was not measured in all of them, so that its time has other names."""


class Left(Part):
    """A run that was not counted, and why."""

    id: str
    verdict: str
    reason: str = ""


class Comparison(Part):
    """Groups of runs, in the given order; their differences; what can be concluded about their ranking."""

    title: str
    groups: tuple[Group, ...]
    left_out: tuple[Left, ...] = ()
    differences: Mapping[str, tuple[str, ...]] = {}
    """By key of the spec: its value in each group, if they differ."""
    sentences: tuple[str, ...] = ()
    against: Against | None = None
    """For a study with rules: the comparison with its papers."""


def compare(lines: Sequence[Headline], title: str, *, each: bool = False) -> Comparison:
    """Group runs by their spec, or with `each` individually, and compare the times of the valid ones."""
    gathered: dict[str, list[Headline]] = {}
    for line in lines:
        gathered.setdefault(line.id if each else line.key or line.id, []).append(line)
    members = list(gathered.values())
    differences = _differences([group[0].spec for group in members])
    names = _names_of(members, differences, each=each)
    base = [line.seconds for line in members[0] if line.seconds is not None] if members else []
    split = [line.explanation for line in lines if line.explanation]
    # the same time must not have one name in one cell and another in the next
    categories = bool(split) and all(found.sampled for found in split)
    groups = tuple(
        _group(own, group, base if index else (), categories=categories)
        for index, (own, group) in enumerate(zip(names, members, strict=True))
    )
    left = tuple(
        Left(
            id=line.id,
            verdict=line.verdict,
            reason=line.reason or _UNSAID.get(line.verdict, "no time was recorded"),
        )
        for line in lines
        if line.seconds is None
    )
    again = _run_again({group.label: members[index] for index, group in enumerate(groups)})
    found = (*sentences(groups), *again, *_known_work(lines), *_imported(lines))
    return Comparison(title=title, groups=groups, left_out=left, differences=differences, sentences=found)


_CONTROLS = {"cpu": "computation", "files": "file calls"}


def _known_work(lines: Sequence[Headline]) -> tuple[str, ...]:
    """How steady the machine was, where a study had known work before its runs."""
    found = []
    for key, what in _CONTROLS.items():
        taken = [line.control[key] for line in lines if line.control.get(key)]
        if len(taken) > 1:
            middle = median(taken)
            found.append(f"{min(taken) / middle:.2f} to {max(taken) / middle:.2f} ({what})")
    return (f"Known work before each run took from {' and '.join(found)} times its median.",) if found else ()


def _run_again(members: Mapping[str, Sequence[Headline]]) -> tuple[str, ...]:
    """How many runs of each cell of a study failed and were run again: the later run alone is among its numbers."""
    found = []
    for label, lines in members.items():
        done = [line for line in lines if line.study and line.verdict != "INVALID"]
        failed = sum(any(failed_before(line, [each]) for line in done) for each in lines)
        if failed:
            found.append(f"[{label}] {failed}")
    return (f"Failed attempts that were run again: {', '.join(found)}.",) if found else ()


def _imported(lines: Sequence[Headline]) -> tuple[str, ...]:
    """Times that a comparison has although no result was checked."""
    names = [line.id for line in lines if line.imported and line.seconds is not None]
    if not names:
        return ()
    return (
        f"Imported from a log: {_names(names)}. Such a time is the application's own, and nobody checked its result.",
    )


def _group(
    names: tuple[str, ...], lines: Sequence[Headline], base: Sequence[float], *, categories: bool
) -> Group:
    valid = [line for line in lines if line.seconds is not None]
    values = [line.seconds for line in valid if line.seconds is not None]
    speeds = [line.throughput_per_node for line in valid if line.throughput_per_node]
    phases = {name: [line.phases[name] for line in valid if name in line.phases] for name in PHASES}
    return Group(
        label=", ".join(names),
        names=names,
        key=lines[0].key,
        runs=tuple(line.id for line in valid),
        facts=tuple(line.facts for line in valid),
        values=tuple(values),
        seconds=statistics.median(values) if values else None,
        ratio=statistics.ratio(values, base)
        if values and base and statistics.median(base).median > 0
        else None,
        throughput=statistics.median(speeds) if speeds else None,
        emulated=tuple(dict.fromkeys(words for line in lines for words in line.emulated)),
        coordinates=lines[0].coordinates,
        parts=_parts([line.explanation for line in valid if line.explanation], categories=categories),
        unmeasured=tuple(
            sorted({name for line in valid if line.explanation for name in line.explanation.coverage.missing})
        ),
        operations=tuple(line.operations for line in valid if line.operations),
        phases={name: statistics.median(taken) for name, taken in phases.items() if taken},
    )


def _parts(found: Sequence[Explanation], *, categories: bool) -> dict[str, float]:
    rows = [each.rows(categories=categories) for each in found]
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: sum(row.get(name, 0.0) for row in rows) / len(rows) for name in names}


def _differences(specs: Sequence[Mapping[str, str]]) -> dict[str, tuple[str, ...]]:
    keys = sorted({key for spec in specs for key in spec})
    rows = {key: tuple(spec.get(key, "") for spec in specs) for key in keys}
    return {key: values for key, values in rows.items() if len(set(values)) > 1}


def _names_of(
    members: Sequence[Sequence[Headline]], differences: Mapping[str, tuple[str, ...]], *, each: bool
) -> list[tuple[str, ...]]:
    """The shortest names that distinguish the groups: coordinates of the study, differences, or the spec's key."""
    if each:
        return [(group[0].id,) for group in members]
    by_cell = [tuple(f"{key}={value}" for key, value in group[0].coordinates.items()) for group in members]
    by_difference = [
        tuple(
            f"{key.removesuffix('.kind')}={values[index] or 'none'}"
            for key, values in list(differences.items())[:3]
        )
        for index in range(len(members))
    ]
    for names in (by_cell, by_difference):
        if all(names) and len(set(names)) == len(names):
            return names
    return [(f"{group[0].workload} {group[0].key or group[0].id}",) for group in members]


def sentences(groups: Sequence[Group]) -> tuple[str, ...]:
    """The ranking of the groups, as text; a tie is named."""
    cells = {group.label: group.seconds for group in groups if group.seconds is not None}
    if not cells:
        return ("None of these runs is VALID, so there is nothing to compare.",)
    if len(groups) == 1:
        return (f"All runs have the same spec: {len(groups[0].values)} valid repetitions of one cell.",)
    ranks, apart = statistics.ranked(cells)
    found = []
    if len(ranks) > 1:
        found.append("Fastest first: " + "; then ".join(_names(rank) for rank in ranks) + ".")
    found += [f"{_names(rank)} are not ranked: their intervals overlap." for rank in ranks if len(rank) > 1]
    if apart:
        which = _names(apart) if ranks or len(apart) <= _FEW else "none of the cells has more"
        found.append(
            f"Not ranked because of too few runs (at least {LEAST} valid ones each are needed): {which}."
        )
    return tuple(found)


def _names(names: Sequence[str]) -> str:
    quoted = [f"[{name}]" for name in names]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " and " + quoted[-1]
