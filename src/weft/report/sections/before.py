"""A section of a run's page: the newest run of the same spec before it."""

import shlex

from weft.analysis.summary.summary import Earlier, Summary
from weft.record.record import PHASES
from weft.report.draw.blocks import Block, CommandBlock, Number, Section, Table, Words
from weft.text.numbers import NONE, maybe
from weft.text.units import show_seconds, show_size

TITLE = "The run before"


def the_run_before(summary: Summary) -> Section:
    """Both, one beside the other: times of a run without a checked result are no measurements."""
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
    change = f"{(now - then) / then:+.0%}" if now is not None and then else NONE
    shown = (maybe(show_seconds, each) or NONE for each in (now, then))
    return (f"phase {name}" if name in PHASES else name, *shown, change)  # type: ignore[return-value]


def _rates(summary: Summary, earlier: Earlier) -> tuple[str, str, str, str]:
    now, then = summary.throughput_per_node, earlier.throughput_per_node
    shown = [f"{show_size(each)}/s" if each else NONE for each in (now, then)]
    return ("throughput per node", *shown, f"{(now - then) / then:+.0%}" if now and then else NONE)  # type: ignore[return-value]


def _elsewhere(summary: Summary, earlier: Earlier) -> str:
    """What else was different."""
    words = [f"on {earlier.host}"] if earlier.host != summary.host else []
    versions = ((one.weft, one.commit[:12]) for one in (earlier, summary))
    then, now = (" ".join(filter(None, version)) for version in versions)
    words += [f"by weft {then} instead of {now}"] if then != now else []
    return f" ({', '.join(words)})" if words else ""
