"""The first section of a run's report: where its slot time went. The same structure in every report."""

from collections.abc import Sequence

from weft.analysis.explain.timeparts import Covered, Explanation, Limit, StageTime, TimePart
from weft.analysis.summary.summary import Summary
from weft.report.draw.blocks import Bar, Block, Gauges, Listing, Number, Section, Table, Words
from weft.text.numbers import percent, seconds
from weft.text.units import show_size

TITLE = "Where the time went"
_SMALL = 0.01
"""Parts below this share are shown together."""
_NAME = 40
"""Characters of a stage's name."""


def where_the_time_went(summary: Summary) -> Section:
    """One bar of 100 %, the stages with their largest part, what to try next, and what the answer is based on."""
    found = summary.explanation
    if found is None:
        why = "the engine left no job metrics in the run phase, so that slot time cannot be split"
        if summary.stream:
            why = "a stream lasts as long as its schedule"
        return Section("explain", TITLE, unseen={} if summary.idle else {"where the time went": why})
    # the page says the sentence above all sections
    return Section("explain", TITLE, blocks(found)[1:])


def blocks(explanation: Explanation) -> list[Block]:
    """The section's content."""
    doubts = _cross_check(explanation.coverage)
    return [
        Words(explanation.sentence, "plain" if explanation.verdict else "warn"),
        bar(explanation),
        *(
            [Gauges([(limit.name, limit.share, gauge(limit)) for limit in explanation.gauges])]
            if explanation.gauges
            else []
        ),
        _parts(explanation),
        _stages(explanation.stages),
        *([Listing([f"Try next: {words}." for words in explanation.next])] if explanation.next else []),
        *([Words(doubts, "warn")] if doubts else []),
        *([Words(explanation.calibration, "quiet")] if explanation.calibration else []),
        Words(_covered(explanation), "quiet"),
    ]


def bar(explanation: Explanation) -> Bar:
    """Parts as shares of slots x wall time; those too small to see are one."""
    shown = [
        (part.name, part.share, percent(part.share)) for part in explanation.parts if part.share >= _SMALL
    ]
    rest = sum(part.share for part in explanation.parts if part.share < _SMALL)
    return Bar([*shown, *([("smaller parts", rest, percent(rest))] if rest else [])], explanation.headline)


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
    gains = [] if explanation.failed else ["faster without it, at most"]
    titles = ["share", "slot-seconds", "seconds in all", *gains]
    rows = [
        (
            _named(part),
            percent(part.share),
            seconds(part.seconds),
            seconds(part.resource),
            *([] if explanation.failed else [f"{part.bound:.2f} x"]),
        )
        for part in explanation.parts
        if part.share >= _SMALL or not part.seconds
    ]
    note = "Slot-seconds are a part's alone; seconds in all also count what cost the job nothing."
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
    rows = [(row.stage, row.name[:_NAME], percent(row.share), _largest(row)) for row in stages]
    return Table(["stage", "name", Number("of slot time"), "largest parts"], rows)


def _largest(row: StageTime) -> str:
    most = list(row.parts.items())[:3]
    return ", ".join(
        f"{name} {percent(part / row.seconds)}" for name, part in most if part >= row.seconds / 20
    )


def _cross_check(coverage: Covered) -> str:
    pair = coverage.cross_check
    if pair is None or pair.agree:
        return ""
    return (
        f"Witnesses disagree: file calls took {seconds(pair.timed)} s by the clock around each, and were seen for"
        f" {seconds(pair.seen)} s from outside; at most {seconds(pair.runnable)} s of the difference are explained."
    )


def _covered(explanation: Explanation) -> str:
    coverage = explanation.coverage
    words = [
        f"{explanation.slots} slots x {seconds(explanation.wall)} s; {coverage.tasks:,} tasks",
        f"threads of {coverage.processes_seen} of {coverage.processes_ran} executors were read",
        f"the stages scheduled again take {percent(coverage.replay)} of the real time",
    ]
    if (pair := coverage.cross_check) and pair.agree:
        words.append(
            "two measurements of file calls agree"
            if pair.runnable < pair.timed / 2
            else "two measurements of file calls cannot be compared: most of the time in them was waiting for a processor"
        )
    if (python := coverage.python) is not None:
        words.append(
            f"{python.processes} Python workers served {python.tasks:,} tasks, with at most {show_size(python.peak)} and"
            f" {python.modules:,} modules each"
        )
    if explanation.background:
        kinds = ", ".join(f"{name} {seconds(used)} s" for name, used in explanation.background.items())
        words.append(f"CPU time beside the tasks: {kinds}")
    words += [f"not measured: {name} ({what})" for name, what in coverage.missing.items()]
    return "; ".join([*words, *coverage.lost]) + "."
