"""Spark's queries as operators: the plan that ran in the end, and what each operator counted, from the events of Spark SQL.

An operator's metrics are accumulators. A stage's end names those that its tasks changed, which says in which stages it ran.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from weft.facts.engines.spark.operators import WRAPPERS, kind

_TEXT = 200
"""Characters that are kept of a name or a description."""
_OF_PLAN, _OF_LOG, _VALUES, _STAGES = 5_000, 50_000, 500_000, 100
"""Operators of a plan and of a log, values of accumulators, and stages of one, that are kept."""
_COUNTS: Mapping[str, Sequence[str]] = {
    "rows": ("number of output rows", "shuffle records written", "records read"),
    "bytes": ("size of files read", "shuffle bytes written", "written output", "data sent to Python workers", "data size"),
    "files": ("number of files read", "number of written files"),
    "partitions": ("number of partitions",),
    "spilled": ("spill size",),
}  # fmt: skip
"""Column, by the names of metrics of which the first that an operator has counts."""
_OWN_TIME: Mapping[str, float] = {"sort time": 1e-3, "scan time": 1e-3, "shuffle write time": 1e-9}
"""Timers of the operator's own work alone, and their unit in seconds. Others include what feeds it."""
_SKEWED = "number of skewed partitions"
_LOCATION = re.compile(r"\[(?:\w+:)?/*([^\],]*)")
_NAME = re.compile(r"[\w.`$-]+")


@dataclass
class Operator:
    """A node of a plan."""

    name: str
    kind: str
    table: str
    parent: int | None
    """Position of the operator that reads its output."""
    metrics: Mapping[str, int]
    """Accumulator by name."""
    read: Mapping[str, int] = field(default_factory=dict)
    """The same of what reads its output for another stage."""
    reused: bool = False
    place: str = ""
    """Of a scan of files that are no table: their directory, or the first of several."""


@dataclass
class Query:
    """An execution of Spark SQL."""

    begin: float
    description: str
    operators: list[Operator]


@dataclass
class Plans:
    """The queries of one log, and the accumulators of those that have not ended."""

    queries: dict[tuple[str, int], Query] = field(default_factory=dict)
    values: dict[tuple[str, int], int] = field(default_factory=dict)
    stages: dict[tuple[str, int], list[int]] = field(default_factory=lambda: defaultdict(list))
    """By accumulator: the stages that changed it."""
    kept: int = 0
    """Operators, also of queries that have not ended."""
    lost: int = 0
    """Queries of which there was no room."""

    def begun(self, app: str, event: Mapping[str, Any]) -> None:
        """SQLExecutionStart."""
        key, name = (app, int(event["executionId"])), str(event.get("description") or "")[:_TEXT]
        query = Query(event["time"] / 1000, name, [])
        if self._fits(query, operators(event["sparkPlanInfo"])):
            self.queries[key] = query

    def changed(self, app: str, event: Mapping[str, Any]) -> None:
        """SQLAdaptiveExecutionUpdate: the plan that runs from now on."""
        if query := self.queries.get((app, int(event["executionId"]))):
            self._fits(query, operators(event["sparkPlanInfo"]))

    def _fits(self, query: Query, plan: list[Operator]) -> bool:
        """Give a query this plan if there is room for it."""
        more = len(plan) - len(query.operators)
        if self.kept + more > _OF_LOG:
            self.lost += 1
            return False
        self.kept += more
        query.operators = plan
        return True

    def counted(self, app: str, event: Mapping[str, Any]) -> None:
        """DriverAccumUpdates: what the driver counted."""
        for number, value in event["accumUpdates"]:
            self._value(app, int(number), value)

    def stage(self, app: str, info: Mapping[str, Any]) -> None:
        """What the tasks of a stage counted, with those of stages before it that changed the same."""
        for each in info.get("Accumulables") or ():
            if each.get("Metadata") == "sql":
                number = int(each["ID"])
                if self._value(app, number, each.get("Value")):
                    known = self.stages[app, number]
                    known += [int(info["Stage ID"])] if len(known) < _STAGES else []

    def _value(self, app: str, number: int, value: Any) -> bool:
        if (app, number) not in self.values and len(self.values) >= _VALUES:
            return False
        self.values[app, number] = int(value)
        return True

    def ended(
        self, app: str, event: Mapping[str, Any]
    ) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
        """SQLExecutionEnd: the query and its operators, as rows."""
        number = int(event["executionId"])
        if (app, number) in self.queries:
            failure = str(event.get("errorMessage") or "")[:_TEXT]
            yield from self._rows(app, number, event["time"] / 1000, failure)

    def rest(self) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
        """Those that had not ended when the log did."""
        for app, number in list(self.queries):
            yield from self._rows(app, number, None, "")

    def _rows(
        self, app: str, number: int, end: float | None, failure: str
    ) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
        query = self.queries.pop((app, number))
        of_query = {"app": app, "query": number}
        rows = [
            {**of_query, "operator": position, **self._row(app, each)}
            for position, each in enumerate(query.operators)
        ]
        for each in query.operators:
            for own in (*each.metrics.values(), *each.read.values()):
                self.values.pop((app, own), None)
                self.stages.pop((app, own), None)
        times = {"begin": query.begin, "end": end, "failure": failure}
        yield {**of_query, "description": query.description, **times}, rows

    def _row(self, app: str, each: Operator) -> dict[str, Any]:
        def value(metrics: Mapping[str, int], names: Iterable[str]) -> int | None:
            found = (self.values.get((app, metrics[name])) for name in names if name in metrics)
            return next((number for number in found if number is not None and number >= 0), None)

        own = [self.stages.get((app, number), ()) for number in each.metrics.values()]
        timers = [
            seconds * unit
            for name, unit in _OWN_TIME.items()
            if (seconds := value(each.metrics, (name,))) is not None
        ]
        return {
            "parent": each.parent,
            "name": each.name,
            "kind": each.kind,
            "table": each.table,
            "reused": each.reused,
            "stages": sorted({stage for found in own for stage in found} - self._readers(app, each)),
            **{column: value(each.metrics, names) for column, names in _COUNTS.items()},
            "read_partitions": value(each.read, ("number of partitions",)),
            "skewed": value(each.read, (_SKEWED,)),
            "seconds": sum(timers) if timers else None,
        }

    def _readers(self, app: str, each: Operator) -> set[int]:
        """Of an exchange, the stages that only read what it wrote."""
        if each.kind != "exchange":
            return set()
        written = {stage for name in _COUNTS["bytes"] for stage in self._of(app, each, name)}
        read = {
            stage for name in ("records read", "local blocks read") for stage in self._of(app, each, name)
        }
        return read - written

    def _of(self, app: str, each: Operator, name: str) -> Sequence[int]:
        return self.stages.get((app, each.metrics.get(name, -1)), ())


def operators(plan: Mapping[str, Any]) -> list[Operator]:
    """A plan's nodes, those first that are nearest to its result; without those that only wrap others. Raises ValueError."""
    found: list[Operator] = []
    seen: set[frozenset[int]] = set()
    waiting: list[tuple[Mapping[str, Any], int | None, Mapping[str, int]]] = [(plan, None, {})]
    while waiting:
        node, parent, read = waiting.pop()
        name = str(node["nodeName"]).strip()[:_TEXT]
        metrics = {str(each["name"]): int(each["accumulatorId"]) for each in node.get("metrics", ())}
        ids = frozenset(metrics.values())
        below, through = parent, read
        if name.startswith("AQEShuffleRead"):
            through = metrics
        elif not name.startswith(WRAPPERS) and not (ids and ids in seen):
            if len(found) == _OF_PLAN:
                raise ValueError("a plan of too many operators")
            seen.add(ids)
            below, through, (table, place) = len(found), {}, _table(name, node)
            found.append(
                Operator(
                    name,
                    kind(name),
                    table,
                    parent,
                    metrics,
                    read,
                    name.startswith("Reused"),
                    place,
                )
            )
        if not name.startswith("Reused"):  # what made it is in the plan as well
            waiting += [(child, below, through) for child in reversed(node.get("children", ()))]
    return _apart(found)


def _apart(found: list[Operator]) -> list[Operator]:
    """Where directories of one name are different ones, scans have their paths."""
    places: dict[str, set[str]] = defaultdict(set)
    for each in found:
        places[each.table].add(each.place)
    for each in found:
        if each.place and len(places[each.table]) > 1:
            each.table = each.place[:_TEXT]
    return found


def _table(name: str, node: Mapping[str, Any]) -> tuple[str, str]:
    """What a scan reads: the table's name, or all that stands for it. Without one it is the name of a directory of files, and its path."""
    if kind(name) != "scan":
        return "", ""
    _, *others = name.split()
    if len(others) > 1:
        return others[-1] if _NAME.fullmatch(others[-1]) else " ".join(others), ""
    location = _LOCATION.search(str((node.get("metadata") or {}).get("Location", "")))
    place = location[1].rstrip("/") if location else ""
    return place.rpartition("/")[2][:_TEXT], place
