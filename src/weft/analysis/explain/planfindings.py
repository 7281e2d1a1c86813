"""What the plans of a run's queries suggest: tables read twice, small files, few or skewed partitions."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from weft.analysis.explain.bounds import Bounds
from weft.analysis.explain.operators import CACHED, OTHER, Key, by_stage, files_of
from weft.analysis.explain.slots import FEW, SCHEDULING, STRAGGLERS
from weft.analysis.explain.timeparts import StageTime, Suggestion
from weft.text.units import show_size

Row = Mapping[str, Any]
Stages = Mapping[tuple[str, int, int], StageTime]
_SCAN = "scan"
_FILES, _SMALL = 32, 16 << 20
"""So many files of a mean size below this are many small ones: Spark reads up to 128 MB at a time (spark.sql.files.maxPartitionBytes),
and counts 4 MB for opening a file (spark.sql.files.openCostInBytes)."""
_A_TASK = 32
"""Empty files that Spark gives a task: 128 MB over 4 MB."""
_TINY, _MANY = 1 << 20, 10
"""Bytes of a partition, and partitions of a slot, below and above which they are too many: AQE joins those below 1 MB
(spark.sql.adaptive.coalescePartitions.minPartitionSize)."""
_LEAST = 0.02
"""Share of the job's slot time of a stage, from which it is worth a word."""


def suggestions(rows: Sequence[Row], stages: Stages, bounds: Bounds, job: float) -> list[Suggestion]:
    """Facts of the plans, each with the most that it can save where that is known. `job`: slot-seconds of the job."""
    shares = _shares(stages, job)
    worth = [
        row for row in rows if sum(shares.get((row["app"], each), 0.0) for each in row["stages"]) >= _LEAST
    ]
    found = [
        *_twice(worth, stages, bounds, by_stage(rows)),
        *_small_files(worth, bounds.slots),
        *_partitions(worth, rows, stages, bounds.slots),
        *_skewed(worth),
    ]
    return list({(one.part, one.change): one for one in found}.values())


def _shares(stages: Stages, job: float) -> dict[Key, float]:
    found: dict[Key, float] = defaultdict(float)
    for (app, number, _), row in stages.items():
        found[app, number] += row.seconds / job
    return found


def _twice(
    rows: Sequence[Row], stages: Stages, bounds: Bounds, of_stage: Mapping[Key, Sequence[Row]]
) -> Iterator[Suggestion]:
    """A table that a query scans more than once, and a scan whose stages all read it again."""
    groups: dict[tuple[str, int, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row["kind"] == _SCAN and not row["reused"] and not row["name"].startswith(CACHED):
            groups[row["app"], row["query"], row["table"] or f"operator {row['operator']}"].append(row)
    for (app, query, table), scans in groups.items():
        numbers = sorted({stage for row in scans for stage in row["stages"]})
        if len(numbers) < 2:
            continue
        mine = {
            key: row for key, row in stages.items() if (key[0], key[1]) in {(app, each) for each in numbers}
        }
        reading = {
            key: _reading(row, [scan for scan in scans if key[1] in scan["stages"]], of_stage[key[0], key[1]])
            for key, row in mine.items()
        }
        once = min(reading, key=lambda key: reading[key] * mine[key].seconds, default=None)
        again = {key: {_SCAN: share} for key, share in reading.items() if key != once}
        what = table if scans[0]["table"] else "the input"
        yield Suggestion(
            part=_SCAN,
            change=f"read {what} once: query {query} reads it in stages {', '.join(map(str, numbers))}."
            f" {_once(scans)}",
            gain=1 - 1 / bounds.without(_SCAN, again),
            program=True,
        )


def _once(scans: Sequence[Row]) -> str:
    if len(scans) > 1:
        return "Cache what all of them need of it, or ask for it once"
    return "Cache it, or write it out: a range partitioning samples its input first, and what is not cached is made again"


def _reading(row: StageTime, scans: Sequence[Row], operators: Sequence[Row]) -> float:
    """The share of a stage's time that its scans took: all of it if it does nothing else, otherwise by their timers or file calls."""
    if all(each["kind"] in {_SCAN, OTHER} for each in operators):
        return 1.0
    timed = sum(scan["seconds"] / len(scan["stages"]) for scan in scans if scan["seconds"])
    waited = sum(seconds for name, seconds in row.parts.items() if files_of(row, name) == "input")
    return float(min(1.0, max(timed, waited) / (row.seconds or 1.0)))


def _small_files(rows: Sequence[Row], slots: int) -> Iterator[Suggestion]:
    """So many that they become too many tasks are a matter of scheduling."""
    for row in rows:
        files, size = row["files"], row["bytes"]
        if row["kind"] == _SCAN and files and size is not None and files >= _FILES and size / files < _SMALL:
            yield Suggestion(
                part=SCHEDULING if files > _A_TASK * _MANY * slots else _SCAN,
                change=f"fewer and larger files of {row['table'] or 'the input'}: query {row['query']} reads {files:,}"
                f" of {show_size(size / files)} on average",
                gain=None,
            )


def _partitions(
    rows: Sequence[Row], every: Sequence[Row], stages: Stages, slots: int
) -> Iterator[Suggestion]:
    parents = {(row["app"], row["query"], row["operator"]): row for row in every}
    for row in rows:
        count = row["read_partitions"] or row["partitions"]
        if row["kind"] != "exchange" or not count or row["bytes"] is None:
            continue
        reader = parents.get((row["app"], row["query"], -1 if row["parent"] is None else row["parent"]))
        empty = sum(
            time.parts.get(FEW, 0.0)
            for (app, number, _), time in stages.items()
            if reader and app == row["app"] and number in reader["stages"]
        )
        size, name = row["bytes"] / count, f"an exchange of query {row['query']}"
        # one partition by the plan, as of a window over all rows, is one whatever the settings
        if count < slots and empty and size > _TINY and row["partitions"] != 1:
            yield Suggestion(
                part=FEW,
                change=f"more partitions: {name} has {count} for {slots} slots"
                " (spark.sql.shuffle.partitions, spark.sql.adaptive.coalescePartitions.parallelismFirst)",
                gain=None,
            )
        elif count > _MANY * slots and size < _TINY:
            yield Suggestion(
                part=SCHEDULING,
                change=f"fewer partitions: {name} has {count:,} of {show_size(size)} (spark.sql.shuffle.partitions,"
                " spark.sql.adaptive.enabled)",
                gain=None,
            )


def _skewed(rows: Sequence[Row]) -> Iterator[Suggestion]:
    for row in rows:
        if row["skewed"]:
            yield Suggestion(
                part=STRAGGLERS,
                change=f"spread the keys of query {row['query']}: {row['skewed']:,} partitions of an exchange were so large"
                " that Spark split them",
                gain=None,
            )
