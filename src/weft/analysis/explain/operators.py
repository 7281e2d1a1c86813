"""The slot time of SQL queries by the operators of their plans.

Spark times the own work of a scan, a sort and the writing of a shuffle; file calls, fetches and Python workers are parts of the slot
time. What else tasks did belongs to the operators of their stage together, whose code is one loop.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from weft.analysis.explain.sqlparts import OperatorRow, OperatorTimes
from weft.analysis.explain.tasktime import NETWORK, SAME_NODE
from weft.analysis.explain.timeparts import StageTime
from weft.analysis.read.sums import sums
from weft.facts.jobmetrics import JobMetrics

Key = tuple[str, int]
"""A stage: application and number."""
Row = Mapping[str, Any]
MOST = 100
"""Operators that are listed."""
_OF_FILES = {"input": "scan", "output": "write", "scratch": "exchange"}
"""Kind of operator that does the file calls of a role."""
_PYTHON = "Python"
OTHER = "other"
CACHED = "InMemoryTableScan"
"""Reads what is in memory. Below it in a plan is what made that, in this query or in an earlier one."""


def rows(metrics: JobMetrics) -> list[dict[str, Any]]:
    """The operators of all plans, each with the stages that it ran in; one that counts nothing ran with its neighbours."""
    found = list(metrics.operators.iter_rows(named=True))
    of_query: dict[Key, dict[int, dict[str, Any]]] = defaultdict(dict)
    for row in found:
        row["stages"] = list(row["stages"] or ())
        of_query[row["app"], row["query"]][row["operator"]] = row
    for plan in of_query.values():
        for row in sorted(plan.values(), key=lambda each: -each["operator"]):
            parent = plan.get(-1 if row["parent"] is None else row["parent"])
            if parent and not parent["stages"] and row["kind"] not in {"exchange", "broadcast"}:
                parent["stages"] = list(row["stages"])
        for row in sorted(plan.values(), key=lambda each: each["operator"]):
            parent = plan.get(-1 if row["parent"] is None else row["parent"])
            under = parent is not None and not parent["name"].startswith(CACHED)
            if parent and under and not row["stages"] and row["kind"] not in {"exchange", "broadcast"}:
                row["stages"] = list(parent["stages"])
    return found


def by_stage(found: Sequence[Row]) -> dict[Key, list[Row]]:
    """The operators of each stage, in the order in which rows go through them."""
    stages: dict[Key, list[Row]] = defaultdict(list)
    for row in reversed(found):
        for stage in row["stages"]:
            stages[row["app"], stage].append(row)
    return stages


def stage_key(stage: tuple[str, int, int]) -> Key:
    """Of any attempt at a stage."""
    return stage[0], stage[1]


def title(operators: Sequence[Row]) -> str:
    """A stage in a few words: scan store_sales, aggregate, exchange."""
    words = [label(row) for row in operators if row["kind"] != OTHER]
    return ", ".join(dict.fromkeys(words))


def label(row: Row) -> str:
    """An operator: its kind, and what it reads or how it joins."""
    if row["kind"] == "scan":
        return f"scan {row['table']}".strip()
    if row["kind"] in {"join", OTHER}:
        return str(row["name"])
    return str(row["kind"])


def of_run(
    metrics: JobMetrics, stages: Mapping[tuple[str, int, int], StageTime], job: float
) -> OperatorTimes | None:
    """None if no query ran. `job`: slot-seconds of the job."""
    found = rows(metrics)
    if not found:
        return None
    held = sums(((app, number), _held(row)) for (app, number, _), row in stages.items())
    ran = [row for row in found if row["kind"] != OTHER and not row["reused"] and row["stages"]]
    share = {id(row): sum(held.get((row["app"], each), 0.0) for each in row["stages"]) / job for row in ran}
    ordered = sorted(ran, key=lambda row: -share[id(row)])
    return OperatorTimes(
        queries=metrics.queries.height,
        operators=tuple(_row(row, share[id(row)]) for row in ordered[:MOST]),
        left_out=max(0, len(ordered) - MOST),
        kinds=dict(sorted(_kinds(found, stages, held).items(), key=lambda item: -item[1])),
    )


def _row(row: Row, share: float) -> OperatorRow:
    same = {name: row[name] for name in ("query", "kind", "rows", "bytes", "files", "spilled", "seconds")}
    partitions = row["read_partitions"] or row["partitions"]
    return OperatorRow(
        **same, name=label(row), stages=tuple(map(str, row["stages"])), partitions=partitions, share=share
    )


def _held(row: StageTime) -> float:
    """Slot-seconds of a stage's tasks, without the way to executors and back."""
    return row.balance.occupied


def _kinds(
    found: Sequence[Row], stages: Mapping[tuple[str, int, int], StageTime], held: Mapping[Key, float]
) -> dict[str, float]:
    """Slot-seconds by kind of operator, of the stages that queries ran."""
    of_stage = by_stage(found)
    pairs: list[tuple[str, float]] = []
    for (app, number, _), time in stages.items():
        operators = of_stage.get((app, number))
        if not operators:
            continue
        left = _held(time)
        for kind, seconds in sorted(_known(operators, time, app, held).items()):
            alone = min(left, seconds)
            left -= alone
            pairs.append((kind, alone))
        pairs.append((_together(operators), left))
    return {kind: seconds for kind, seconds in sums(pairs).items() if seconds > 0}


def _known(
    operators: Sequence[Row], time: StageTime, app: str, held: Mapping[Key, float]
) -> dict[str, float]:
    """What has a timer or a part of its own. A timer contains the file calls of the same work."""
    timed = sums(
        (row["kind"], row["seconds"] * _share(row, time, app, held)) for row in operators if row["seconds"]
    )
    waited = sums(_waits(time))
    both = {kind: max(timed.get(kind, 0.0), waited.get(kind, 0.0)) for kind in {*timed, *waited}}
    if fetched := sum(time.parts.get(name, 0.0) for name in (NETWORK, SAME_NODE)):
        both["exchange"] = both.get("exchange", 0.0) + fetched
    return both


def _share(row: Row, time: StageTime, app: str, held: Mapping[Key, float]) -> float:
    """Of an operator that ran in several stages, this one's by the time of their tasks."""
    whole = sum(held.get((app, each), 0.0) for each in row["stages"])
    return _held(time) / whole if whole else 1 / len(row["stages"])


def files_of(time: StageTime, part: str) -> str:
    """The class of the files that a part's calls are on; empty if it is no part of file calls, or of unknown files."""
    return next((each.files for each in time.operations.get(part, ())), "")


def _waits(time: StageTime) -> Iterator[tuple[str, float]]:
    for name, seconds in time.parts.items():
        if (role := files_of(time, name)) in _OF_FILES:
            yield _OF_FILES[role], seconds
        elif name.startswith(_PYTHON):
            yield _PYTHON, seconds


def _together(operators: Sequence[Row]) -> str:
    """Operators that share the rest of a stage's time, in order; those with a timer of all their own work have theirs."""
    kinds = dict.fromkeys(row["kind"] for row in operators)
    rest = [kind for kind in kinds if kind not in {"exchange", "sort", OTHER}]
    return " + ".join(rest) or OTHER
