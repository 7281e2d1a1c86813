"""Figures of a file system by phase: those of one submission, or a percentile of all of a kind, each with the path of its row."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from weft.facts.io500 import submissions
from weft.facts.io500.kinds import KINDS, OTHER, Figure, FileSystemKind
from weft.facts.io500.phases import CREATE, PHASES, READ, WRITE
from weft.facts.io500.submissions import Submission
from weft.facts.io500.summary import ResultSummary


@dataclass(frozen=True)
class Figures:
    """How fast a file system was, while all processes of the benchmark used it."""

    kind: FileSystemKind
    about: str
    """What it is, for people."""
    rates: Mapping[str, Figure]
    """By phase: operations or bytes per second of all processes together."""
    took: Mapping[str, Figure]
    """By phase: seconds of one call beside those of all others, which is processes over rate."""
    of_node: Mapping[str, Figure]
    """By phase: bytes per second that each node got while all nodes worked."""


def of_submission(one: Submission) -> Figures:
    """The figures of one row."""
    source = f"IO500, {one.path}"
    rates = {phase: Figure(rate, f"{source}: {phase}") for phase, rate in one.rates.items()}
    took = _found(PHASES, one.took, f"{source}: {one.processes} processes over the rate")
    of_node = _found((WRITE, READ), one.of_node, f"{source}: the rate over {one.nodes} nodes")
    about = f"{one.kind.words} ({one.file_system}) of {one.system}, {one.institution}, as IO500 {one.year} measured it"
    return Figures(one.kind, about, rates, took, of_node)


def of_summary(found: ResultSummary, source: str, processes: int = 0, nodes: int = 0) -> Figures:
    """The figures of a result_summary.txt. `processes`, `nodes`: 0 if they are not known."""
    known = f", IO500 {found.version}" if found.version else ""
    one = Submission("", "", "", "", 0, nodes, processes, found.rates, source)
    return replace(of_submission(one), kind=OTHER, about=f"a file system as in {source}{known}")


def _found(phases: Iterable[str], value: Callable[[str], float | None], source: str) -> dict[str, Figure]:
    found = {phase: value(phase) for phase in phases}
    return {phase: Figure(one, f"{source} of {phase}") for phase, one in found.items() if one is not None}


def of_percentile(kind: str, percentile: int) -> Figures:
    """What so many per cent of a kind's submissions do at most, phase by phase: each the figure of one row (nearest rank)."""
    rows = submissions.of_kind(kind)
    words = f"{len(rows)} submissions of {KINDS[kind].words}"

    def ranked(phase: str, value: Callable[[Submission, str], float | None], share: int) -> Figure:
        found = sorted((seen, one.path) for one in rows if (seen := value(one, phase)) is not None)
        number, path = found[max(1, math.ceil(share / 100 * len(found))) - 1]
        return Figure(number, f"IO500, {share}th percentile of {words}: {phase} of {path}")

    # a call takes least where rates are high
    return Figures(
        KINDS[kind],
        f"{KINDS[kind].words} at the {percentile}th percentile of {len(rows)} submissions to IO500",
        {phase: ranked(phase, lambda one, name: one.rates.get(name), percentile) for phase in PHASES},
        {phase: ranked(phase, Submission.took, 100 - percentile) for phase in PHASES},
        {phase: ranked(phase, Submission.of_node, percentile) for phase in (WRITE, READ)},
    )


def shortest(kind: FileSystemKind) -> Figure:
    """The least time that a create with its close took in any submission of a kind: what one alone takes at most, there.

    Of a file system whose kind is not known: in any submission of a known kind.
    """
    kinds = [kind.name] if kind.name in KINDS else list(KINDS)
    rows = [one for name in kinds for one in submissions.of_kind(name)]
    return Figure(*min((took, one.path) for one in rows if (took := one.took(CREATE))))
