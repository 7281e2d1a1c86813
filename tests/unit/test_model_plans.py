"""Queries of Spark SQL by operator: from the events of plans and the accumulators of stages to parts of the slot time."""

from pathlib import Path
from typing import Any

import polars
import pytest

from tests.unit.report_fakes import BEGIN, event, ms, stage, task, write_log
from weft.analysis.explain import operators
from weft.analysis.explain.explanation import explain
from weft.analysis.explain.fitting import Used
from weft.analysis.explain.timeparts import Explanation
from weft.analysis.read.nodes import NodeInfo
from weft.analysis.read.spans import Span
from weft.facts.engines.spark import eventlog, plans
from weft.facts.jobmetrics import JobMetrics
from weft.record import sampletable
from weft.text.entry import Entry

NODES = [NodeInfo(name=f"node{n}", address=f"10.0.0.{n}", cores=1) for n in (1, 2)]
READ, WRITTEN, LEFT, SORTED, AGAIN = 1, 2, 3, 4, 5
"""Accumulators: rows of the scan, bytes and rows of the exchange, milliseconds and spilled bytes of the sort, rows of the other scan."""


def node(name: str, *children: dict[str, Any], location: str = "", **metrics: int) -> dict[str, Any]:
    return {
        "nodeName": name,
        "simpleString": name,
        "children": list(children),
        "metadata": {"Location": f"InMemoryFileIndex(1 paths)[file:{location}]"} if location else {},
        "metrics": [
            {"name": key.replace("_", " "), "accumulatorId": number, "metricType": "sum"}
            for key, number in metrics.items()
        ],
    }


def sql(name: str, **fields: Any) -> dict[str, Any]:
    found = event(name, executionId=0, **fields)
    return {**found, "Event": f"org.apache.spark.sql.execution.ui.{found['Event']}"}


SCAN = node("Scan parquet ", location="/data/sales", number_of_output_rows=READ, scan_time=6)
EXCHANGE = node(
    "Exchange",
    node("WholeStageCodegen (1)", node("HashAggregate", node("InputAdapter", SCAN)), duration=8),
    shuffle_bytes_written=WRITTEN,
    shuffle_records_written=LEFT,
    records_read=7,
    number_of_partitions=9,
)
PLAN = node(
    "AdaptiveSparkPlan",
    node(
        "Sort",
        node(
            "AQEShuffleRead",
            node("ShuffleQueryStage", EXCHANGE),
            number_of_partitions=10,
            number_of_skewed_partitions=11,
        ),
        sort_time=SORTED,
        spill_size=12,
    ),
)


def ended(number: int, values: dict[int, int], begin: float, end: float) -> dict[str, Any]:
    found = stage("StageCompleted", number, begin=begin, end=end)
    found["Stage Info"]["Accumulables"] = [
        {"ID": key, "Name": "x", "Value": str(value), "Metadata": "sql"} for key, value in values.items()
    ] + [{"ID": 99, "Name": "internal.metrics.executorRunTime", "Value": 5}]
    return found


def metrics(tmp_path: Path, plan: dict[str, Any] = PLAN, *, cut: bool = False) -> JobMetrics:
    """A query whose first stage scans, aggregates and writes an exchange for 4 s on two slots, and whose second one sorts for 4 s."""
    events = [
        sql("SQLExecutionStart", description="select", time=ms(3), sparkPlanInfo=plan),
        sql("DriverAccumUpdates", accumUpdates=[[9, 200], [10, 4], [11, 1]]),
        *(task(index, stage=0, index=index, begin=4, run_ms=4000) for index in (0, 1)),
        ended(0, {READ: 1000, 6: 1500, WRITTEN: 4000, LEFT: 50, 8: 4000}, 4, 8),
        *(task(2 + index, stage=1, index=index, begin=8, run_ms=4000) for index in (0, 1)),
        ended(1, {7: 50, SORTED: 3000, 12: 1 << 20}, 8, 12),
        *([] if cut else [sql("SQLExecutionEnd", time=ms(12))]),
    ]
    write_log(tmp_path, events)
    return eventlog.read(Entry(tmp_path))


def explained(found: JobMetrics) -> Explanation:
    empty = polars.DataFrame(schema=sampletable.SCHEMA)
    answer = explain(found, empty, [Span(name="run", begin=4, seconds=8.1)], NODES, BEGIN, 2, Used())
    assert answer is not None
    return answer


@pytest.mark.parametrize("cut", [False, True])
def test_an_operator_has_what_it_counted_and_the_stages_in_which_it_ran(tmp_path: Path, *, cut: bool) -> None:
    found = metrics(tmp_path, cut=cut)
    assert found.queries.select("query", "description", "begin", "end", "failure").rows() == [
        (0, "select", BEGIN + 3, None if cut else BEGIN + 12, "")
    ]
    columns = (
        "kind",
        "table",
        "stages",
        "rows",
        "bytes",
        "partitions",
        "read_partitions",
        "skewed",
        "spilled",
        "seconds",
    )
    assert found.operators.select(columns).rows() == [
        ("sort", "", [1], None, None, None, None, None, 1 << 20, 3.0),
        ("exchange", "", [0], 50, 4000, 200, 4, 1, None, None),
        ("aggregate", "", [], None, None, None, None, None, None, None),
        ("scan", "sales", [0], 1000, None, None, None, None, None, 1.5),
    ]
    assert found.operators["parent"].to_list() == [None, 0, 1, 2]


def test_the_plan_that_ran_in_the_end_counts(tmp_path: Path) -> None:
    """AQE changes it while the query runs."""
    changed = [
        sql("SQLExecutionStart", description="select", time=ms(3), sparkPlanInfo=node("SortMergeJoin")),
        sql("SQLAdaptiveExecutionUpdate", sparkPlanInfo=node("BroadcastHashJoin")),
        sql("SQLExecutionEnd", time=ms(9), errorMessage="no space left"),
    ]
    write_log(tmp_path, changed)
    found = eventlog.read(Entry(tmp_path))
    assert found.operators.select("kind", "name").rows() == [("join", "BroadcastHashJoin")]
    assert found.queries["failure"].to_list() == ["no space left"]


def test_an_output_that_is_used_again_was_made_once(tmp_path: Path) -> None:
    plan = node("SortMergeJoin", EXCHANGE, node("ReusedExchange", EXCHANGE))
    found = metrics(tmp_path, plan).operators
    assert found.select("name", "reused").rows() == [
        ("SortMergeJoin", False), ("Exchange", False), ("HashAggregate", False), ("Scan parquet", False),
        ("ReusedExchange", True),
    ]  # fmt: skip


def test_slot_time_is_divided_among_operators(tmp_path: Path) -> None:
    """Scan and sort have timers of their own; what else tasks did is the stage's operators' together."""
    answer = explained(metrics(tmp_path))
    assert answer.sql is not None
    kinds = answer.sql.kinds
    assert (kinds["sort"], kinds["scan"]) == (3.0, 1.5)
    occupied = sum(row.balance.occupied for row in answer.stages)
    assert sum(kinds.values()) == pytest.approx(occupied)
    assert set(kinds) == {"scan", "scan + aggregate", "exchange", "sort", "other"}
    assert [row.name for row in answer.stages] == ["scan sales, aggregate, exchange", "sort"]
    assert {row.name: row.stages for row in answer.sql.operators} == {
        "scan sales": ("0",), "aggregate": ("0",), "exchange": ("0",), "sort": ("1",),
    }  # fmt: skip


def test_a_partition_that_spark_split_is_named(tmp_path: Path) -> None:
    changes = [one.change for one in explained(metrics(tmp_path)).findings]
    assert any(
        "1 partitions of an exchange were so large that Spark split them" in words for words in changes
    )


def test_scans_of_directories_of_one_name_and_of_tables_of_a_database_are_apart() -> None:
    """As those of one day below two tables, or two tables through JDBC, whose names end with the same word."""
    one, other = (node("Scan parquet ", location=f"/data/{name}/day=1") for name in ("visits", "pages"))
    orders, items = (node(f"Scan JDBCRelation({name}) [numPartitions=1] ") for name in ("orders", "items"))
    named = node("Scan parquet spark_catalog.default.facts", location="/data/facts/day=1")
    found = plans.operators(node("Union", one, other, orders, items, named))
    assert [each.table for each in found] == [
        "",
        "data/visits/day=1",
        "data/pages/day=1",
        "JDBCRelation(orders) [numPartitions=1]",
        "JDBCRelation(items) [numPartitions=1]",
        "spark_catalog.default.facts",
    ]


def test_a_table_that_is_read_twice_is_named_with_the_most_that_it_can_cost(tmp_path: Path) -> None:
    other = node("Scan parquet ", location="/data/sales", number_of_output_rows=AGAIN, scan_time=14)
    plan = node(
        "SortMergeJoin",
        node("Exchange", SCAN, shuffle_bytes_written=WRITTEN),
        node("Exchange", other, shuffle_bytes_written=13),
    )
    events = [
        sql("SQLExecutionStart", description="join", time=ms(3), sparkPlanInfo=plan),
        *(task(index, stage=0, index=index, begin=4, run_ms=4000) for index in (0, 1)),
        ended(0, {READ: 1000, 6: 5000, WRITTEN: 4000}, 4, 8),
        *(task(2 + index, stage=1, index=index, begin=8, run_ms=4000) for index in (0, 1)),
        ended(1, {AGAIN: 1000, 14: 4000, 13: 4000}, 8, 12),
        sql("SQLExecutionEnd", time=ms(12)),
    ]
    write_log(tmp_path, events)
    found = explained(eventlog.read(Entry(tmp_path)))
    (twice,) = [one for one in found.findings if one.part == "scan"]
    assert twice.change.startswith("read sales once: query 0 reads it in stages 0, 1.")
    assert twice.program
    assert twice.gain == pytest.approx(5 / 16, abs=0.05), "one of both: 4 or 5 s of two slots x 8 s"


def test_what_made_a_cached_table_in_an_earlier_query_did_not_run_where_it_is_read(tmp_path: Path) -> None:
    """Plans have it below the scan of the cache. Who reads from there twice has cached it."""
    made = node("Scan parquet ", location="/data/sales", number_of_output_rows=AGAIN)
    cached = node("InMemoryTableScan", made, number_of_output_rows=READ)
    events = [
        sql("SQLExecutionStart", description="sort", time=ms(3), sparkPlanInfo=node("Exchange", cached)),
        *(task(index, stage=0, index=index, begin=4, run_ms=4000) for index in (0, 1)),
        ended(0, {READ: 1000}, 4, 8),
        *(task(2 + index, stage=1, index=index, begin=8, run_ms=4000) for index in (0, 1)),
        ended(1, {READ: 2000}, 8, 12),
        sql("SQLExecutionEnd", time=ms(12)),
    ]
    write_log(tmp_path, events)
    metrics = eventlog.read(Entry(tmp_path))
    rows = {row["name"]: row["stages"] for row in operators.rows(metrics)}
    assert (rows["InMemoryTableScan"], rows["Scan parquet"]) == ([0, 1], [])
    assert not [one for one in explained(metrics).findings if one.part == "scan"]


def test_many_small_files_are_named(tmp_path: Path) -> None:
    scan = node(
        "Scan parquet ",
        location="/data/sales",
        number_of_output_rows=READ,
        number_of_files_read=20,
        size_of_files_read=21,
    )
    events = [
        sql("SQLExecutionStart", description="count", time=ms(3), sparkPlanInfo=scan),
        sql("DriverAccumUpdates", accumUpdates=[[20, 400], [21, 400_000]]),
        *(task(index, stage=0, index=index, begin=4, run_ms=4000) for index in (0, 1)),
        ended(0, {READ: 1000}, 4, 8),
    ]
    write_log(tmp_path, events)
    changes = [one.change for one in explained(eventlog.read(Entry(tmp_path))).findings]
    assert "fewer and larger files of sales: query 0 reads 400 of 1 kB on average" in changes


def test_a_log_without_queries_has_no_operators(tmp_path: Path) -> None:
    write_log(tmp_path)
    found = eventlog.read(Entry(tmp_path))
    assert operators.of_run(found, {}, 1.0) is None


@pytest.mark.parametrize(
    "plan",
    [
        {},
        {"nodeName": "Sort", "metrics": [{"name": "x"}]},
        [],
        {"nodeName": "A", "children": 3},
    ],
)
def test_a_plan_of_another_form_is_a_damaged_line(tmp_path: Path, plan: Any) -> None:
    write_log(tmp_path, [sql("SQLExecutionStart", description="x", time=ms(3), sparkPlanInfo=plan)])
    found = eventlog.read(Entry(tmp_path))
    assert found.operators.is_empty()
    assert len(found.gaps) == 1


def test_the_operators_of_a_log_have_a_limit(tmp_path: Path) -> None:
    wide = node("Union", *(node("Range") for _ in range(4000)))
    events = [
        {**sql("SQLExecutionStart", description="x", time=ms(3), sparkPlanInfo=wide), "executionId": number}
        for number in range(14)
    ]
    write_log(tmp_path, events)
    found = eventlog.read(Entry(tmp_path))
    assert found.operators.height <= 50_000
    assert any("operators of 2 queries were left out" in gap for gap in found.gaps)


@pytest.mark.parametrize(("partitions", "expected"), [(200, ["no task: too few tasks"]), (1, [])])
def test_more_partitions_are_asked_for_where_settings_decide_their_number(
    tmp_path: Path, partitions: int, expected: list[str]
) -> None:
    """AQE joined 200 small ones to one; a plan that needs all rows in one partition has one."""
    found = metrics(tmp_path)
    shuffled = polars.col("kind") == "exchange"
    found.operators = found.operators.with_columns(
        bytes=polars.when(shuffled).then(10_000_000).otherwise("bytes"),
        partitions=polars.when(shuffled).then(partitions).otherwise("partitions"),
        read_partitions=polars.when(shuffled).then(1).otherwise("read_partitions"),
    )
    found.tasks = found.tasks.filter((polars.col("stage") == 0) | (polars.col("index") == 0))
    asked = [one.part for one in explained(found).findings if one.change.startswith("more partitions:")]
    assert asked == expected
