"""nexmark: what its programs agree on, and a verdict that a wrong answer cannot get."""

from typing import Any

import pytest

from tests.unit.test_streamstatistics import laid, option
from weft.adapters.workloads import nexmarksql
from weft.adapters.workloads.base import Prepared, Results
from weft.adapters.workloads.nexmark import Nexmark
from weft.errors import UsageError
from weft.run import preview
from weft.spec.parse import parse
from weft.tables import nexmark

ALL = ",".join(nexmarksql.NAMES)


def test_each_query_has_an_answer_by_duckdb_and_texts_that_name_its_window() -> None:
    assert set(nexmarksql.NAMES) == set(nexmark.QUERIES)
    for engine, texts in nexmarksql.TEXTS.items():
        assert set(texts) == set(nexmarksql.NAMES), engine
        for query in texts:
            text = nexmarksql.text(engine, query, 20, 4)
            assert not set("{}@") & set(text), text
            assert ("20" in text) == (query in nexmarksql.WINDOWED)


def test_windows_of_100_seconds_and_more_are_intervals_that_flink_reads() -> None:
    text = nexmarksql.text("flink", "q5", 600, 120)
    assert "INTERVAL '0 00:02:00' DAY TO SECOND, INTERVAL '0 00:10:00' DAY TO SECOND" in text
    assert "INTERVAL '95' SECOND" in nexmarksql.text("flink", "q7", 95, 19)
    assert "INTERVAL '1 01:01:05' DAY TO SECOND" in nexmarksql.text("flink", "q11", 90065, 18013)
    assert "'600 seconds', '120 seconds'" in nexmarksql.text("spark", "q5", 600, 120)


@pytest.mark.parametrize("engine", ["flink", "spark"])
def test_programs_agree_on_the_events_and_on_which_queries_are_of_windows(engine: str) -> None:
    workload, prepared = (
        Nexmark(queries="q1,q5", producers=3, seed=7, disorder=0.5),
        Prepared(laid(engine), []),
    )
    (topics,) = workload.prepare(prepared.layout)
    assert {"stream-records=3", "stream-results=3"} <= set(topics.argv)
    job = workload.job(prepared)
    collect, *produce = job.companions
    validate, answers = workload.check(prepared)
    for key in ("producers", "seed", "disorder-millis", "late-every", "late-millis", "client"):
        assert len({option(one.argv, key) for one in (collect, *produce, validate)}) == 1
    assert option(collect.argv, "windowed") == option(job.arguments, "windowed") == "q5"
    assert option(job.arguments, "delay-millis") == option(collect.argv, "delay-millis") == "4000"
    assert option(validate.argv, "output") == option(answers.argv, "directory")
    assert option(answers.argv, "validated") == option(validate.argv, "outcome")
    assert option(answers.argv, "queries") == "q1,q5"
    for name, path in (word.split("=") for word in job.arguments if word.startswith("q") and "=" in word):
        (text,) = [text for file, text in workload.generated(prepared.layout).items() if str(file) == path]
        assert text == nexmarksql.text(engine, name, 10, 2)


def test_results_of_micro_batches_are_awaited_by_their_length_and_of_checkpoints_by_theirs() -> None:
    for engine, micros in (("flink", "1000000"), ("spark", "100000")):
        collect = Nexmark().job(Prepared(laid(engine), [])).companions[0]
        assert option(collect.argv, "checkpoint-micros") == micros


RIGHT = {"rows": 40, "lost": 0, "wrong": 0, "repeated": 0}


def judged(
    answer: dict[str, Any],
    *,
    published: int = 35_100,
    restarts: int = 0,
    collector: dict[str, Any] | None = None,
    workload: Nexmark | None = None,
    lag: float | None = None,
) -> str:
    step = {"rate": 1000.0, "sustained": True, "limit": "engine"}
    latency = {"median": 0.01, "p95": 0.02, "p99": 0.03, "p999": 0.04, "max": 1.5, "mean": 0.01}
    collected = {"records": 900, "seconds": 30.0, "throughput": 1000.0, "latency": latency, "steps": [step]}
    ran = {"restarts": restarts, "companions": [{**collected, **(collector or {})}, {"records": published}]}
    ran |= {} if lag is None else {"watermark_lag_seconds": lag}
    workload = workload or Nexmark()
    log = {"each": 35_100, "events": 35_100}
    answers = {"queries": {workload.queries: {**RIGHT, **answer}}, "late": 0, "duckdb": "1"}
    judgement = workload.judge(Results([], ran, [log, answers]))
    assert judgement.valid == (not judgement.reason)
    return judgement.reason


def test_all_events_and_the_right_rows_are_valid() -> None:
    assert judged({}) == ""


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"lost": 2, "lost_row": "1, 2"}, "q1: 2 of 40 rows are lost, such as 1, 2"),
        ({"wrong": 1, "wrong_row": "1, 2"}, "q1: 1 of 40 rows are of no answer, such as 1, 2"),
        (
            {"repeated": 1, "repeated_row": "7"},
            "q1: 1 of 40 rows are repeated, and nothing had failed, such as 7",
        ),
        ({"rows": 0}, "the answer to q1 is empty on so few events, and says nothing"),
    ],
)
def test_a_wrong_answer_is_not_valid(answer: dict[str, Any], reason: str) -> None:
    assert judged(answer) == reason


@pytest.mark.parametrize(
    ("lag", "lateness", "named"),
    [(21.5, 15, True), (21.5, 31.5, True), (21.5, 31.6, False), (4.2, 15, False), (None, 15, False)],
)
def test_the_reason_names_late_events_that_spark_may_count_by_its_own_rules(
    lag: float | None, lateness: float, *, named: bool
) -> None:
    workload = Nexmark.model_validate({"queries": "q8", "late": 40, "lateness": lateness, "seconds": 60})
    reason = judged({"wrong": 1, "wrong_row": "7"}, workload=workload, lag=lag)
    assert "q8: 1 of 40 rows are of no answer, such as 7" in reason
    assert ("set lateness above 31.5s" in reason) == named


def test_lost_events_are_not_valid() -> None:
    assert judged({}, published=35_099) == "producers published 35099 events of 35100"
    assert judged({}, collector={"lost": "The engine stopped."}) == "The engine stopped"


def test_rows_may_be_published_again_only_after_a_failure() -> None:
    assert judged({"repeated": 3, "repeated_row": "7"}, restarts=1) == ""
    assert "are lost" in judged({"lost": 1, "lost_row": "7"}, restarts=1)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"queries": "q1,q6"}, "'q6' is none of q0, q1"),
        ({"queries": "q1,q1"}, "there more than once"),
        ({"queries": "q0,q1", "rate": "max"}, "the highest rate is that of one query"),
        ({"queries": "q7", "rate": "max"}, "q7 needs 4 windows of 10 s"),
        ({"queries": "q8", "seconds": "9s"}, "q8 needs 1 windows of 10 s"),
        ({"window": "7s"}, "a window of 7 s"),
        ({"disorder": "5s"}, "out of order"),
        ({"late": "50", "lateness": "14s"}, "windows may count events that are 14 s late"),
        (
            {"late": "50", "lateness": "20s", "queries": "q11"},
            "a late event belongs to a session of q11 that is still",
        ),
        ({"late": "50"}, "in 30 s no event is 60 s late"),
    ],
)
def test_what_makes_no_sense_is_refused(keys: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse({"workload": "nexmark", "services": ["kafka:1"]}, keys)


@pytest.mark.parametrize("engine", ["flink", "spark"])
def test_the_plan_shows_all_programs(engine: str) -> None:
    table = {"workload": "nexmark", "engine": engine, "services": ["kafka:1"]}
    names = [command["name"] for command in preview.preview(parse(table, {}))["commands"]]
    assert names[-6:] == ["topics", "driver", "collect", "produce-node2", "validate", "answers"]


def test_queries_whose_rows_are_updated_are_named_to_the_engine_and_need_rocksdb_on_spark() -> None:
    assert {query for query, asked in nexmark.QUERIES.items() if asked.updated} == nexmarksql.UPDATED
    prepared = Prepared(laid("flink"), [])
    assert option(Nexmark(queries="q1,q4").job(prepared).arguments, "updated") == "q4"
    assert "--updated" not in Nexmark(queries="q1").job(prepared).arguments
    table = {"workload": "nexmark", "engine": "spark", "services": ["kafka:1"]}
    with pytest.raises(UsageError, match="which Spark keeps in RocksDB only") as caught:
        parse(table, {"queries": "q1,q4"})
    assert caught.value.hint == "set state=rocksdb"
    assert parse(table, {"queries": "q1,q4", "state": "rocksdb"}).workload.queries == "q1,q4"


def test_a_query_that_an_engine_lacks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {query: text for query, text in nexmarksql.TEXTS["spark"].items() if query != "q8"}
    monkeypatch.setitem(nexmarksql.TEXTS, "spark", texts)
    table = {"workload": "nexmark", "engine": "spark", "services": ["kafka:1"]}
    with pytest.raises(UsageError, match="spark does not run q8") as caught:
        parse(table, {"queries": "q5,q8"})
    assert "q0, q1" in caught.value.hint
