"""Every counter of a run with its sums by phase, and where it comes from."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars

from weft.analysis.read import counters as model
from weft.analysis.read.rates import LEVELS
from weft.analysis.read.sources import Sources
from weft.analysis.read.spans import Span
from weft.analysis.summary.summary import CounterRow
from weft.record.samples import LABELS, Measure

_MACHINE = "host"
"""The node name of readings that no single node owns."""
_OF_MACHINES = "idle"
"""A counter that only whole machines have."""


def sums(
    sources: Sources, samples: polars.DataFrame, phases: Sequence[Span], begin: float
) -> tuple[CounterRow, ...]:
    """Counters of a record by name and component; one without a reading has no sums."""
    described = {
        name: words for name, words in sources.table("sources.json").items() if isinstance(words, dict)
    }
    of_run = [name for name, words in described.items() if words.get("since") == "run"]
    ends = [(span.name, begin + span.begin + span.seconds) for span in phases]
    found: dict[tuple[Measure, str], dict[str, dict[str, float]]] = {}
    for node, component, *names, phase, value in model.by_phase(samples, ends, of_run).iter_rows():
        found.setdefault((Measure(*names), component), {}).setdefault(phase, {})[node] = value
    if own := _alone(found):
        found = {key: _of_node(own, of) for key, of in found.items()}
    known = [
        _counter(measure, component, of, described.get(measure.counter, {}))
        for (measure, component), of in found.items()
    ]
    unread = described.keys() - {measure.counter for measure, _ in found}
    return (
        *known,
        *(_counter(Measure(name), "", {}, described[name]) for name in described if name in unread),
    )


def _alone(found: Mapping[tuple[Measure, str], Mapping[str, Mapping[str, float]]]) -> str:
    """The one node of the machine that runs weft, where the others are on hosts of their own, which have such readings by their names."""
    nodes, away = set[str](), set[str]()
    for (measure, _), of in found.items():
        names = {node for each in of.values() for node in each} - {_MACHINE}
        nodes |= names
        away |= names if measure.counter == _OF_MACHINES else set()
    here = nodes - away
    return here.pop() if away and len(here) == 1 else ""


def _of_node(own: str, phases: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """A counter of which that node has no reading but its machine's."""
    if any(own in of for of in phases.values()):
        return phases
    return {
        phase: {own if node == _MACHINE else node: value for node, value in of.items()}
        for phase, of in phases.items()
    }


def _counter(
    measure: Measure, component: str, phases: Mapping[str, Mapping[str, float]], words: Mapping[str, Any]
) -> CounterRow:
    totals: dict[str, float] = {}
    for of in phases.values():
        for node, value in of.items():
            known = totals.get(node, 0.0)
            totals[node] = max(known, value) if measure.counter in LEVELS else known + value
    return CounterRow(
        name=measure.counter,
        **dict(zip(LABELS, measure[1:], strict=True)),
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
