"""A section of a run's page: the newest run of the same spec before it."""

import shlex

from weft.analysis.summary.summary import Earlier, Summary
from weft.record.record import PHASES
from weft.report.draw.blocks import Block, CommandBlock, Number, Section, Table, Words
from weft.text.numbers import NONE, maybe
from weft.text.units import show_seconds, show_size

TITLE = "The run before"


def the_run_before(summary: Summary) -> Section:
    """Both, one next to the other: times of a run without a checked result are no measurements."""
    earlier = summary.before
    if earlier is None:
        return Section("before", TITLE)
    rows = [
        ("verdict", summary.verdict, earlier.verdict, ""),
        _times("measured", summary.result, earlier.measured if earlier.verdict == "VALID" else None),
        *(_times(name, summary.seconds(name), earlier.phases.get(name)) for name in PHASES),
        _rates(summary, earlier),
    ]
    columns = ["", Number("this run"), Number("before"), Number("difference")]
    table = Table(columns, [row for row in rows if set(row[1:3]) != {NONE}])
    words = f"{earlier.id}, of the same spec, created {earlier.created}{_elsewhere(summary, earlier)}. Two runs show no interval: repeat with --repeat."
    blocks: list[Block] = [
        Words(words, "quiet"),
        table,
        CommandBlock(
            "Where the difference comes from", shlex.join(["weft", "compare", summary.id, earlier.id])
        ),
    ]
    return Section("before", TITLE, blocks)


def _times(name: str, now: float | None, then: float | None) -> tuple[str, str, str, str]:
    title = f"phase {name}" if name in PHASES else name
    return title, maybe(show_seconds, now) or NONE, maybe(show_seconds, then) or NONE, _change(now, then)


def _rates(summary: Summary, earlier: Earlier) -> tuple[str, str, str, str]:
    now, then = summary.throughput_per_node, earlier.throughput_per_node
    return "throughput per node", _rate(now), _rate(then), _change(now or None, then)


def _rate(value: float | None) -> str:
    return f"{show_size(value)}/s" if value else NONE


def _change(now: float | None, then: float | None) -> str:
    return f"{(now - then) / then:+.0%}" if now is not None and then else NONE


def _elsewhere(summary: Summary, earlier: Earlier) -> str:
    """What else was different."""
    words = [f"on {earlier.host}"] if earlier.host != summary.host else []
    versions = ((one.weft, one.commit[:12]) for one in (earlier, summary))
    then, now = (" ".join(filter(None, version)) for version in versions)
    words += [f"by weft {then} instead of {now}"] if then != now else []
    return f" ({', '.join(words)})" if words else ""
