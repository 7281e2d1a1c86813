"""Every counter of a run with its sums by phase, and where it comes from."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import polars

from weft.analysis.read import counters as model
from weft.analysis.read.rates import LEVELS
from weft.analysis.read.sources import Sources
from weft.analysis.read.spans import Span
from weft.analysis.summary.summary import CounterRow

_MACHINE = "host"
"""The node name of readings that no single node owns."""


def sums(
    sources: Sources, samples: polars.DataFrame, phases: Sequence[Span], begin: float
) -> tuple[CounterRow, ...]:
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
) -> CounterRow:
    totals: dict[str, float] = {}
    for of in phases.values():
        for node, value in of.items():
            known = totals.get(node, 0.0)
            totals[node] = max(known, value) if name in LEVELS else known + value
    return CounterRow(
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


def whole(counter: CounterRow, phase: str = "") -> float:
    """A counter of all nodes together, in a phase or over the whole observation; the machine's own includes its nodes'."""
    of = counter.phases.get(phase, {}) if phase else counter.totals
    own = [value for node, value in of.items() if node != _MACHINE]
    return sum(own) if set(counter.totals) - {_MACHINE} else sum(of.values())
