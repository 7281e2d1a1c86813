"""Every counter of a run with its sums by phase and where it comes from: the one table of a page's sums."""

from collections import defaultdict
from collections.abc import Sequence

from weft.analysis.summary.summary import CounterRow, Summary
from weft.analysis.summary.totals import whole
from weft.report.draw.blocks import Number, Section, Table
from weft.text.numbers import amount

_FEW = 6
"""Nodes that get a column each."""
_NOTE = (
    "Growth of each counter by phase, all nodes together; of memory, the highest reading. A phase's sum reaches to the"
    " reading that was taken when it had ended; on other hosts, to the nearest one."
)


def counters(summary: Summary) -> Section:
    """Every counter with its sums, where it comes from and its blind spot."""
    read = [counter for counter in summary.counters if counter.totals and not counter.floor]
    unseen = {f"all that the probe {name} observes": why for name, why in summary.probes_missing.items()}
    if not read:
        return Section("counters", "Counters", unseen={"counters": "no probe left a reading", **unseen})
    if unread := [counter.name for counter in summary.counters if not counter.totals]:
        unseen[", ".join(unread)] = "no reading"
    blocks = [_sums(read, phases_of(summary)), _sources(summary)]
    return Section("counters", "Counters", blocks, unseen, folded=True)


def phases_of(summary: Summary) -> list[str]:
    """The phases in which any counter grew, in their order."""
    grown = dict.fromkeys(phase for counter in summary.counters for phase in counter.phases)
    known = [span.name for span in summary.phases]
    return sorted(grown, key=lambda phase: known.index(phase) if phase in known else len(known))


def _sums(read: Sequence[CounterRow], phases: Sequence[str]) -> Table:
    nodes = list(dict.fromkeys(node for counter in read for node in counter.totals))
    shown = nodes if 1 < len(nodes) <= _FEW else []
    columns = ["counter", "processes of", *map(Number, (*phases, "whole run", *shown))]
    rows = [
        (
            _label(counter),
            counter.component or "-",
            *(amount(whole(counter, phase), counter.unit) for phase in phases),
            amount(whole(counter), counter.unit),
            *(amount(counter.totals.get(node), counter.unit) for node in shown),
        )
        for counter in read
    ]
    return Table(columns, rows, _NOTE)


def _label(counter: CounterRow) -> str:
    return " ".join(filter(None, (counter.name, counter.thread, counter.path_class, counter.operation)))


def _sources(summary: Summary) -> Table:
    named: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for counter in summary.counters:
        named[counter.source, counter.blind][counter.name] = None
    rows = [(", ".join(names), source, blind or "-") for (source, blind), names in named.items() if source]
    return Table(["counters", "source", "could not see"], rows)
