"""Every counter of a run with its sums by phase and where it comes from: the one table of a page's sums."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import polars

from weft.model import counters as model
from weft.model.rates import LEVELS
from weft.report.blocks import Column, Section, Table
from weft.report.numbers import amount
from weft.report.sources import Sources
from weft.report.summary import Counter, Span, Summary

_MACHINE = "host"
"""The node name of readings that no single node owns."""
_FEW = 6
"""Nodes that get a column each."""
_NOTE = (
    "Growth of each counter by phase, all nodes together; of memory, the highest reading. A phase's sum reaches to the"
    " reading that was taken when it had ended; on other hosts, to the nearest one."
)


def sums(
    sources: Sources, samples: polars.DataFrame, phases: Sequence[Span], begin: float
) -> tuple[Counter, ...]:
    """Counters of a record by name and component; one without a reading has no sums."""
    described = {
        name: words for name, words in sources.table("sources.json").items() if isinstance(words, dict)
    }
    of_run = [name for name, words in described.items() if words.get("since") == "run"]
    ends = [(span.name, begin + span.begin + span.seconds) for span in phases]
    found: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for node, component, counter, phase, value in model.by_phase(samples, ends, of_run).iter_rows():
        found.setdefault((counter, component), {}).setdefault(phase, {})[node] = value
    known = [
        _counter(name, component, of, _described(described, name)) for (name, component), of in found.items()
    ]
    unread = [name for name in described if not any(fnmatchcase(counter.name, name) for counter in known)]
    return (*known, *(_counter(name, "", {}, described[name]) for name in unread))


def _described(described: Mapping[str, Mapping[str, Any]], name: str) -> Mapping[str, Any]:
    """The source of a counter, or of those that match its name."""
    like = (words for pattern, words in described.items() if fnmatchcase(name, pattern))
    return described.get(name) or next(like, {})


def _counter(
    name: str, component: str, phases: Mapping[str, Mapping[str, float]], words: Mapping[str, Any]
) -> Counter:
    totals: dict[str, float] = {}
    for of in phases.values():
        for node, value in of.items():
            known = totals.get(node, 0.0)
            totals[node] = max(known, value) if name in LEVELS else known + value
    return Counter(
        name=name,
        component=component,
        **{key: str(words.get(key) or "") for key in ("unit", "source", "blind")},
        totals=totals,
        phases={
            phase: grown
            for phase, of in phases.items()
            if (grown := {node: value for node, value in of.items() if value})
        },
    )


def counters(summary: Summary) -> Section:
    """Every counter with its sums, where it comes from and its blind spot."""
    read = [counter for counter in summary.counters if counter.totals and "_hist." not in counter.name]
    unseen = {f"all that the probe {name} observes": why for name, why in summary.probes_missing.items()}
    if not read:
        return Section("counters", "Counters", unseen={"counters": "no probe left a reading", **unseen})
    if unread := [counter.name for counter in summary.counters if not counter.totals]:
        unseen[", ".join(unread)] = "no reading"
    return Section("counters", "Counters", [_sums(read, phases_of(summary)), _sources(summary)], unseen)


def phases_of(summary: Summary) -> list[str]:
    """The phases in which any counter grew, in their order."""
    grown = dict.fromkeys(phase for counter in summary.counters for phase in counter.phases)
    known = [span.name for span in summary.phases]
    return sorted(grown, key=lambda phase: known.index(phase) if phase in known else len(known))


def _sums(read: Sequence[Counter], phases: Sequence[str]) -> Table:
    nodes = list(dict.fromkeys(node for counter in read for node in counter.totals))
    shown = nodes if 1 < len(nodes) <= _FEW else []
    columns = [Column("counter"), Column("processes of")]
    columns += [Column(title, number=True) for title in (*phases, "whole run", *shown)]
    rows = [
        (
            counter.name,
            counter.component or "-",
            *(amount(whole(counter, phase), counter.unit) for phase in phases),
            amount(whole(counter), counter.unit),
            *(amount(counter.totals.get(node), counter.unit) for node in shown),
        )
        for counter in read
    ]
    return Table(columns, rows, _NOTE)


def whole(counter: Counter, phase: str = "") -> float:
    """A counter of all nodes together, in a phase or over the whole observation; the machine's own includes its nodes'."""
    of = counter.phases.get(phase, {}) if phase else counter.totals
    own = [value for node, value in of.items() if node != _MACHINE]
    return sum(own) if set(counter.totals) - {_MACHINE} else sum(of.values())


def _sources(summary: Summary) -> Table:
    rows = [
        (", ".join(names), source, blind or "-")
        for (source, blind), names in _by_source(summary.counters).items()
        if source
    ]
    return Table([Column("counters"), Column("source"), Column("could not see")], rows)


def _by_source(found: Sequence[Counter]) -> dict[tuple[str, str], list[str]]:
    named: dict[tuple[str, str], dict[str, None]] = {}
    for counter in found:
        family, _, rest = counter.name.partition(".")
        last = rest.split(".")[2:3] if "_hist." in rest else rest.split(".")[-1:]
        name = ".*.".join([family, *last]) if "." in rest else counter.name
        named.setdefault((counter.source, counter.blind), {})[name] = None
    return {key: [*names] for key, names in named.items()}
