"""The first section of a run's report: where its slot time went. The same structure in every report."""

from collections.abc import Iterator, Sequence

from weft.analysis.explain.balance import Balance
from weft.analysis.explain.findings import LEAST_GAIN
from weft.analysis.explain.slots import EMPTY, START
from weft.analysis.explain.sqlparts import OperatorTimes
from weft.analysis.explain.tasktime import CPU, FAILED, GC, NETWORK, SHUFFLE_WRITE, UNCLASSIFIED, WAITING
from weft.analysis.explain.timeparts import (
    Covered,
    Explanation,
    Limit,
    StageTime,
    Suggestion,
    TimePart,
    Trying,
)
from weft.analysis.summary.summary import Summary
from weft.report.draw.blocks import Bar, Block, Gauges, Listing, Number, Section, Table, Words
from weft.report.draw.cells import Shares
from weft.report.draw.families import TERMINAL
from weft.text.numbers import NONE, amount, percent, seconds, size
from weft.text.units import show_size

TITLE = "Where the time went"
_SMALL = 0.01
"""Parts below this share are shown together."""
_FAMILIES = {
    SHUFFLE_WRITE: "data",
    CPU: "cpu",
    WAITING: "queue",
    GC: "gc",
    NETWORK: "network",
    FAILED: "failed",
    UNCLASSIFIED: "unknown",
}
_KINDS = {"collector": "GC", "compiler": "JIT compilation", "server": "shuffle service"}
"""What threads do that are not of tasks, by the name of their kind in samples."""
_OPERATORS = 15
"""Operators that are shown: those whose stages took most."""
_NAMED = 0.05
"""Share of a stage from which a part is named."""
_MOMENT = 0.05
"""Seconds without a ratio: the distance of two samples."""


def where_the_time_went(summary: Summary) -> Section:
    """One bar of 100 %, the stages with their largest part, what to try next, and what the answer is based on."""
    found = summary.explanation
    if found is None:
        why = "the engine left no job metrics in the run phase, so that slot time cannot be split"
        if summary.stream:
            why = "a stream lasts as long as its schedule"
        return Section("explain", TITLE, unseen={} if summary.idle else {"where the time went": why})
    # the page says the sentence above all sections
    return Section("explain", TITLE, blocks(found)[len(first_screen(found)) :])


def nothing(work: str) -> str:
    """Where nothing is to be gained."""
    return f"{work} No change that weft knows surely saves more than {percent(LEAST_GAIN)}.".strip()


def trying(one: Trying) -> tuple[str, str]:
    """The first thing to try, with its gain; and the command or the engine's setting that does it."""
    gain = "."
    if one.gain is not None:
        gain = f": saves {percent(one.gain)} of the time ({percent(one.low)} to {percent(one.high)})."
    elif one.high is not None:
        gain = f": saves at most {percent(one.high)} of the time."
    return f"Try {one.change}{gain}", one.command or one.settings


def first_screen(explanation: Explanation) -> list[str]:
    """What a reader wants to know first: where the job's time went, the start apart, one thing to try."""
    return [explanation.sentence, *filter(None, [explanation.start]), *to_try(explanation)]


def to_try(explanation: Explanation) -> list[str]:
    """One thing and its command; or that nothing helps. Of a failed run, and without predictions, nothing."""
    if explanation.trying:
        return [words for words in trying(explanation.trying) if words]
    decided = explanation.decided and explanation.verdict and not explanation.no_gain
    return [nothing(explanation.work)] if decided else []


def blocks(explanation: Explanation) -> list[Block]:
    """The section's content."""
    doubts = _cross_check(explanation.coverage)
    return [
        Words(explanation.sentence, "plain" if explanation.verdict else "warn"),
        *(Words(words) for words in first_screen(explanation)[1:]),
        bar(explanation),
        *(
            [Gauges([(limit.name, limit.share, gauge(limit)) for limit in explanation.gauges])]
            if explanation.gauges
            else []
        ),
        _parts(explanation),
        _stages(explanation.stages),
        *(_operators(explanation.sql, explanation.job) if explanation.sql else ()),
        *([Listing([_fact(one) for one in explanation.findings])] if explanation.findings else []),
        *([Words(doubts, "warn")] if doubts else []),
        *([Words(explanation.calibration, "quiet")] if explanation.calibration else []),
        Words(_covered(explanation), "quiet"),
    ]


def bar(explanation: Explanation) -> Bar:
    """Parts as shares of the job's slot time; those too small to see are one."""
    shares = [
        (part.name, part.seconds / (explanation.job or 1.0))
        for part in explanation.parts
        if part.name != START
    ]
    shown = [(name, share, percent(share)) for name, share in shares if share >= _SMALL]
    rest = sum(share for _, share in shares if share < _SMALL)
    families = [family(part) for part in explanation.parts if part.name in {name for name, _, _ in shown}]
    smaller = [("smaller parts", rest, percent(rest))] if rest else []
    return Bar([*shown, *smaller], [*families, *("unknown" for _ in smaller)])


def family(part: TimePart) -> str:
    """What a part's colour means."""
    return part.on.kind if part.on else _named_family(part.name)


def _named_family(name: str) -> str:
    """The same by the name of a part."""
    kind = name.partition(":")[0]
    if kind in {"metadata", "data"}:
        return kind
    if name in EMPTY:
        return "idle"
    return "python" if name.startswith("Python") else _FAMILIES.get(name, "wait")


def gauge(limit: Limit) -> str:
    """31,000 of 45,000 operations a second (69 %), peak 44,000."""
    observed, ceiling, peak = (
        _amount(value, limit.unit) for value in (limit.observed, limit.ceiling, limit.peak)
    )
    unit = {"B": "", "cores": " cores"}.get(limit.unit, f" {limit.unit}")
    second = "" if limit.unit == "cores" else " a second"
    return f"{observed} of {ceiling}{unit}{second} ({percent(limit.share)}), peak {peak}"


def _amount(value: float, unit: str) -> str:
    if unit == "B":
        return show_size(value)
    return f"{value:.2f}" if unit == "cores" else f"{value:,.0f}"


def _parts(explanation: Explanation) -> Table:
    gains = [] if explanation.no_gain else ["maximum speed-up"]
    titles = ["of the job", "slot-seconds", "total seconds", *gains]
    # the application's start is no part of the job, so it comes last
    ordered = sorted(explanation.parts, key=lambda part: part.name == START)
    rows = [
        (
            Shares.of(_named(part), [(family(part), part.share)]),
            percent(None if part.name == START else part.seconds / (explanation.job or 1.0)),
            seconds(part.seconds),
            seconds(part.resource),
            *([] if explanation.no_gain else [NONE if part.bound is None else f"{part.bound:.2f} x"]),
        )
        for part in ordered
        if part.share >= _SMALL or not part.seconds
    ]
    note = "Slot-seconds are exclusive; total seconds include time overlapped with other work."
    note += "" if explanation.no_gain else " The maximum speed-up is that of the run phase without the part."
    return Table(["part", *map(Number, titles)], rows, note)


def _named(part: TimePart) -> str:
    """With what data calls waited for, by the calibration."""
    causes = [
        f"{name} {percent(each / part.seconds)}"
        for name, each in part.split.items()
        if each > part.seconds / 200
    ]
    return f"{part.name} ({', '.join(causes)})" if causes else part.name


def _stages(stages: Sequence[StageTime]) -> Table:
    rows = [(row.stage, row.name, percent(row.share), _shares(row), *_ratios(row.balance)) for row in stages]
    columns = ["stage", "name", Number("of slot time"), "largest parts", Number("causes"), Number("CPU")]
    note = (
        "causes: what was measured of file calls, fetches and GC, less what of it may have been run-queue wait, over the time"
        " that tasks were blocked;"
        " CPU: measured on a CPU or in its run queue, over the time that tasks had. Above 100 % something is counted twice."
    )
    return Table(columns, rows, note)


def _ratios(found: Balance) -> Iterator[str]:
    for one, other in ((found.causes, found.blocked), (found.running, found.held)):
        yield percent(one / other if other > _MOMENT else None)


def _operators(found: OperatorTimes, job: float) -> list[Block]:
    """The slot time by kind of operator, and each operator that took much."""
    kinds = ", ".join(
        f"{name} {percent(seconds / job)}" for name, seconds in found.kinds.items() if seconds >= _SMALL * job
    )
    titles = ("of the job", "rows", "bytes", "files", "partitions", "spill", "own time, s")
    rows = [
        (
            str(row.query),
            row.name,
            ", ".join(row.stages),
            percent(row.share),
            amount(row.rows),
            size(row.bytes),
            amount(row.files),
            amount(row.partitions),
            size(row.spilled),
            seconds(row.seconds),
        )
        for row in found.operators[:_OPERATORS]
    ]
    more = len(found.operators) + found.left_out - len(rows)
    note = (
        "of the job: the slot time of the stages in which it ran, with the other operators of these stages; own time: of all tasks,"
        " by the engine's timer of its work alone."
    )
    note += f" {more} smaller operators are not shown." if more else ""
    return [
        Words(f"Of the job's slot time by operator: {kinds}."),
        Table(["query", "operator", "stages", *map(Number, titles)], rows, note),
    ]


def _fact(one: Suggestion) -> str:
    gain = "" if one.gain is None else f" (at most {percent(one.gain)} of the time)"
    return f"{one.part}: {one.change}{gain}"


def _shares(row: StageTime) -> Shares:
    """All parts as a bar, the largest ones by name."""
    whole = row.seconds or 1.0
    named = [(name, part / whole) for name, part in row.parts.items() if part > 0]
    words = ", ".join(f"{name} {percent(share)}" for name, share in named[:3] if share >= _NAMED)
    merged: dict[str, float] = {}
    for name, share in named:
        found = _named_family(name)
        merged[found] = merged.get(found, 0.0) + share
    return Shares.of(words, sorted(merged.items(), key=lambda pair: list(TERMINAL).index(pair[0])))


def _cross_check(coverage: Covered) -> str:
    pair = coverage.cross_check
    if pair is None or pair.agree:
        return ""
    return (
        f"Two measurements disagree: file calls took {seconds(pair.timed)} s by the clock around each, and were seen for"
        f" {seconds(pair.seen)} s from outside; at most {seconds(pair.runnable)} s of the difference are explained."
    )


def _read(coverage: Covered) -> str:
    seen, ran = coverage.processes_seen, coverage.processes_ran
    # where each task has a process of its own, the engine's list of executors is that of nodes
    return (
        f"threads of {seen} of {ran} executors were read"
        if seen <= ran
        else f"threads of {seen} processes were read"
    )


def _slots(explanation: Explanation) -> str:
    if abs(explanation.slots * explanation.wall - explanation.slot_time) < explanation.slot_time / 1000:
        return f"{explanation.slots} slots x {seconds(explanation.wall)} s"
    return f"up to {explanation.slots} slots in {seconds(explanation.wall)} s, {seconds(explanation.slot_time)} slot-seconds in all"


def _covered(explanation: Explanation) -> str:
    coverage = explanation.coverage
    words = [
        f"{_slots(explanation)}; {coverage.tasks:,} tasks",
        _read(coverage),
        f"the stages scheduled again take {percent(coverage.replay)} of the real time",
    ]
    if (pair := coverage.cross_check) and pair.agree:
        words.append(
            "two measurements of file calls agree"
            if pair.runnable < pair.timed / 2
            else "two measurements of file calls cannot be compared: most of the time in them was run-queue wait"
        )
    if (python := coverage.python) is not None:
        words.append(
            f"{python.processes} Python workers served {python.tasks:,} tasks, with at most {show_size(python.peak)} and"
            f" {python.modules:,} modules each"
        )
    if explanation.background:
        kinds = ", ".join(
            f"{_KINDS.get(name, name)} {seconds(used)} s" for name, used in explanation.background.items()
        )
        words.append(f"CPU time outside of tasks: {kinds}")
    words += [f"not measured: {name} ({what})" for name, what in coverage.missing.items()]
    return "; ".join([*words, *coverage.lost]) + "."
