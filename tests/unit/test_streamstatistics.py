"""stream-statistics: what its programs agree on, and a verdict that a lost or repeated record cannot get."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.commandline import option
from tests.fakes import GIB, fake_layout, fake_nodes
from weft.adapters.services.kafka import Kafka
from weft.adapters.workloads import streamwork
from weft.adapters.workloads.base import Prepared, Results
from weft.adapters.workloads.streamstatistics import StreamStatistics
from weft.errors import UsageError
from weft.host.work import WorkDirectory
from weft.layout.plan import Layout
from weft.run import preview
from weft.run.topology import Topology
from weft.spec.parse import parse


def laid(engine: str = "flink") -> Layout:
    kafka = Kafka(nodes=1)
    raw = fake_layout(fake_nodes(3, memory=8 * GIB))
    made_of = Topology({}, [kafka])
    members = made_of.members(raw.nodes, 2)
    homes = {"kafka": Path("/cache/kafka"), engine: Path("/cache/engine")}
    jars = {"kafka": Path("/cache/weft-kafka.jar")}
    nodes = made_of.computing(members)
    layout = replace(raw, nodes=nodes, servers=members.servers, homes=homes, jars=jars, engine=engine)
    places = made_of.sketch(members, WorkDirectory("RUN", raw.directory))
    return made_of.laid(layout, members, places.backings)


FOUND = {
    "each": 25_000,
    "records": 25_000,
    "count": 25_000,
    "min": -9,
    "max": 9,
    "sum": 1,
    "results": 5,
    "repeated_results": 0,
}


def collected(**changes: Any) -> dict[str, Any]:
    step = {"rate": 1000.0, "sustained": True, "limit": "engine"}
    latency = {"median": 0.01, "p95": 0.02, "p99": 0.03, "p999": 0.04, "max": 1.5, "mean": 0.01}
    found = {"records": 20_000, "seconds": 20.0, "throughput": 1000.0, "latency": latency, "steps": [step]}
    return {**found, **changes}


def judged(
    workload: StreamStatistics,
    *,
    published: int = 25_000,
    checked: int = 25_000,
    restarts: int = 0,
    fell: int = 0,
    **changes: Any,
) -> str:
    ran = {"restarts": restarts, "companions": [collected(**changes), {"records": published}]}
    found = {**FOUND, "count": checked, "repeated_results": fell}
    judgement = workload.judge(Results([], ran, [found]))
    assert judgement.valid == (not judgement.reason)
    return judgement.reason


def test_programs_agree_on_the_records() -> None:
    workload, layout = StreamStatistics(producers=3, seed=7), laid()
    (topics,) = workload.prepare(layout)
    assert "stream-records=3" in topics.argv
    collect, *produce = workload.job(Prepared(layout, [])).companions
    (validate,) = workload.check(Prepared(layout, []))
    for key in ("producers", "length", "values", "field", "seed", "client"):
        assert len({option(one.argv, key) for one in (collect, *produce, validate)}) == 1
    shares = [(option(one.argv, "from"), option(one.argv, "to")) for one in produce]
    assert shares == [("0", "1"), ("1", "3")]
    assert [one.node.name for one in produce] == ["node1", "node2"]


@pytest.mark.parametrize(("engine", "interval"), [("flink", "0"), ("spark", "100")])
def test_without_an_interval_flink_answers_each_record_and_spark_after_micro_batches(
    engine: str, interval: str
) -> None:
    job = StreamStatistics().job(Prepared(laid(engine), []))
    assert option(job.arguments, "interval-millis") == interval
    assert ("--buffer-millis" in job.arguments) == (engine == "flink")


def test_the_search_begins_with_the_first_rate() -> None:
    workload = StreamStatistics(rate="max", first_rate=5000)
    collect = workload.job(Prepared(laid(), [])).companions[0]
    assert (option(collect.argv, "rate"), option(collect.argv, "bound-micros")) == ("5000.0", "1000000")


def test_each_record_published_checked_and_counted_is_valid() -> None:
    assert judged(StreamStatistics()) == ""


@pytest.mark.parametrize(
    ("rate", "seconds", "records"),
    [(1000.0, 20.0, 20_000), (100.5, 5.0, 503), (101.5, 1.0, 102), (0.1, 1.0, 1)],
)
def test_half_a_record_is_published(rate: float, seconds: float, records: int) -> None:
    assert streamwork.scheduled(rate, seconds) == records


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"published": 24_999}, "producers published 24999 records of 25000"),
        ({"checked": 25_001}, "the engine counted 25001 records of 25000"),
        ({"lost": "1 of 25000 records were in no result."}, "1 of 25000 records were in no result"),
    ],
)
def test_a_lost_or_repeated_record_is_not_valid(changes: dict[str, Any], reason: str) -> None:
    assert judged(StreamStatistics(), **changes) == reason


def test_a_fall_back_of_results_without_a_failure_is_not_valid() -> None:
    """It would be state that was lost; after a failure, results since the last checkpoint are repeated."""
    assert judged(StreamStatistics(), restarts=1, fell=1) == ""
    assert (
        judged(StreamStatistics(), fell=2)
        == "results fell back to fewer records 2 times, and nothing had failed"
    )


def test_a_rate_that_is_not_sustained_is_named_with_its_limit() -> None:
    step = {"rate": 5000.0, "sustained": False, "limit": "broker"}
    ran = {"restarts": 0, "companions": [collected(steps=[step]), {"records": 25_000}]}
    facts = StreamStatistics().judge(Results([], ran, [FOUND])).facts
    assert (facts["sustained"], facts["limit"], facts["offered_per_second"]) == (False, "broker", 5000.0)
    assert facts["latency_median_seconds"] == 0.01


def test_it_needs_kafka() -> None:
    with pytest.raises(UsageError, match="stream-statistics needs the service kafka") as caught:
        parse({"workload": "stream-statistics"}, {})
    assert "--service kafka:1" in caught.value.hint


@pytest.mark.parametrize(
    ("engine", "interval", "hint"),
    [
        ("flink", "20ms", "set interval to 50ms or more, or 0 for a result of each record"),
        ("spark", "50ms", "set interval to 100ms or more, or 0 for a result of each record"),
    ],
)
def test_an_interval_too_short_for_the_engine_is_refused(engine: str, interval: str, hint: str) -> None:
    table = {"workload": "stream-statistics", "engine": engine, "services": ["kafka:1"]}
    with pytest.raises(UsageError, match="too short") as caught:
        parse(table, {"interval": interval})
    assert caught.value.hint == hint


@pytest.mark.parametrize("keys", [{"values": "21"}, {"field": "8"}, {"rate": "fast"}])
def test_records_that_make_no_sense_are_refused(keys: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        parse({"workload": "stream-statistics", "services": ["kafka:1"]}, keys)


@pytest.mark.parametrize(
    ("engine", "jar"), [("flink", "flink-connector-kafka"), ("spark", "spark-sql-kafka")]
)
def test_the_plan_shows_the_connector_and_all_programs(engine: str, jar: str) -> None:
    table = {"workload": "stream-statistics", "engine": engine, "services": ["kafka:1"]}
    commands = preview.preview(parse(table, {}))["commands"]
    names = [command["name"] for command in commands]
    assert names[-5:] == ["topics", "driver", "collect", "produce-node2", "validate"]
    (driver,) = [command for command in commands if command["name"] == "driver"]
    assert any(jar in word for word in driver["argv"])


@pytest.mark.parametrize(("rate", "first", "bound"), [("250", "250.0", "0"), ("max", "1000.0", "500000")])
def test_only_a_search_has_a_bound(rate: str, first: str, bound: str) -> None:
    table = {"workload": "stream-statistics", "engine": "flink", "services": ["kafka:1"]}
    commands = preview.preview(parse(table, {"rate": rate, "bound": "500ms"}))["commands"]
    (collect,) = [command["argv"] for command in commands if command["name"] == "collect"]
    assert (option(collect, "rate"), option(collect, "bound-micros")) == (first, bound)


@pytest.mark.parametrize("rate", ["0", "-1", "1e9", "fast"])
def test_a_rate_is_a_number_or_max(rate: str) -> None:
    with pytest.raises(UsageError, match="rate"):
        parse({"workload": "stream-statistics", "engine": "flink", "services": ["kafka:1"]}, {"rate": rate})


def test_real_time_mode_needs_a_slot_for_each_partition_and_one_for_the_result() -> None:
    layout = laid("spark")
    StreamStatistics(interval=0, producers=layout.slots - 1).require_layout(layout)
    StreamStatistics(producers=layout.slots).require_layout(layout)
    with pytest.raises(UsageError, match=f"needs {layout.slots + 1} slots"):
        StreamStatistics(interval=0, producers=layout.slots).require_layout(layout)
    table = {"workload": "stream-statistics", "engine": "spark", "services": ["kafka:1"]}
    with pytest.raises(UsageError, match="at least 5 s between checkpoints"):
        parse(table, {"interval": "0", "checkpoint": "1s"})


@pytest.mark.parametrize(("engine", "millis"), [("flink", "1000"), ("spark", "5000")])
def test_checkpoints_are_as_often_as_the_engine_permits(engine: str, millis: str) -> None:
    job = StreamStatistics(interval=0).job(Prepared(laid(engine), []))
    assert option(job.arguments, "checkpoint-millis") == millis


def test_an_engine_that_begins_late_has_no_warm_up() -> None:
    work = StreamStatistics(backlog=5, seconds=25)
    assert "--backlog" in work.job(Prepared(laid(), [])).arguments
    assert "--backlog" not in StreamStatistics().job(Prepared(laid(), [])).arguments
    assert option(work.job(Prepared(laid(), [])).companions[0].argv, "backlog-seconds") == "5.0"
    late = {"records": 6200, "waited": 6.2, "caught_up": 3.0}
    ran = {"restarts": 0, "companions": [collected(backlog=late), {"records": 25_000}]}
    judgement = work.judge(Results([], ran, [FOUND]))
    assert judgement.valid
    assert (judgement.facts["backlog_records"], judgement.facts["caught_up"]) == (6200, "3.0 s")
    for keys in ({"backlog": "20s"}, {"backlog": "5s", "rate": "max"}):
        with pytest.raises(UsageError, match="a backlog needs a rate"):
            parse({"workload": "stream-statistics", "engine": "flink", "services": ["kafka:1"]}, keys)
