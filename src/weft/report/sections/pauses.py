"""A section of a run's page: GC pauses by node, next to what the engine says of the tasks' time in them."""

from weft.analysis.summary.summary import Summary
from weft.report.draw.blocks import Number, Section, Table, Tone, Words
from weft.text.numbers import amount, seconds

_APART = 0.15
"""Share of the larger figure by which the two measurements may differ, and seconds that are too few to compare."""
_FEW = 0.2


def gc_pauses(summary: Summary) -> Section:
    """By node, and whether the two measurements of the tasks' time in pauses agree."""
    if not summary.pauses:
        why = {"GC pauses": "no JVM wrote its log"} if "pauses" in summary.probes else {}
        return Section("pauses", "GC pauses", unseen=why)
    titles = ("processes", "pauses", "seconds", "longest, s", "tasks' seconds in them")
    rows = [
        (
            each.node,
            amount(each.processes),
            amount(each.count),
            seconds(each.seconds),
            seconds(each.longest),
            seconds(each.of_tasks),
        )
        for each in summary.pauses
    ]
    table = Table(["node", *map(Number, titles)], rows)
    words, tone = cross_check(
        sum(each.of_tasks for each in summary.pauses), summary.usage.gc_seconds if summary.usage else None
    )
    return Section("pauses", "GC pauses", [table, Words(words, tone)])


def cross_check(logged: float, reported: float | None) -> tuple[str, Tone]:
    """The comparison as text: seconds by the JVMs' logs, and by the engine."""
    if reported is None:
        return "The engine does not say how long its tasks were stopped.", "quiet"
    both = f"{seconds(logged)} s of tasks by the JVMs' logs, {seconds(reported)} s by the engine"
    if max(logged, reported) < _FEW:
        return f"Too little to compare: {both}.", "quiet"
    if abs(logged - reported) <= _APART * max(logged, reported):
        return f"The two agree: {both}.", "quiet"
    return f"The two disagree: {both}.", "warn"
