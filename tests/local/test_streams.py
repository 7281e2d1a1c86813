"""Streams on real engines: every result is right, latencies are on record, and a lost process is survived or named."""

import json
import re
import signal
import time
from pathlib import Path

import pytest

from tests.local.conftest import Weft, in_phase, kill

SHORT = ("--set", "seconds=3", "--set", "warmup=1", "--set", "rate=200")
LONGER = ("--nodes", "local:2", "--set", "seconds=30", "--set", "warmup=3", "--set", "rate=500")


def streamed(weft: Weft, *words: str) -> dict:
    result = weft.result("run", "stream-statistics", *words)
    assert result["verdict"] == "VALID", result
    return result


def test_flink_answers_each_record_and_the_answer_is_exact(weft: Weft) -> None:
    result = streamed(weft, "--engine", "flink", "--nodes", "local:1", "--service", "kafka", *SHORT)
    facts = result["facts"]
    assert facts["count"] == 800 <= facts["results"]
    outcomes = Path(result["record"]) / "outcomes"
    collected = json.loads((outcomes / "collect.json").read_text())
    assert collected["records"] == 600
    assert 0 < collected["latency"]["median"] <= collected["latency"]["p99"] <= collected["latency"]["max"]
    assert (outcomes / "latency.hlog").read_text().startswith("#[Histogram log format version")
    assert 'id="stream"' in Path(result["report"]).read_text()


@pytest.mark.long
@pytest.mark.parametrize(
    "words",
    [
        ("--engine", "flink", "--set", "interval=50ms", "--set", "producers=2"),
        ("--engine", "spark", "--set", "interval=100ms", "--set", "producers=2"),
        ("--engine", "spark", "--set", "interval=0", "--set", "producers=1", "--set", "rate=400"),
    ],
)
def test_windows_and_micro_batches_are_exact_too(weft: Weft, words: tuple[str, ...]) -> None:
    facts = streamed(weft, "--nodes", "local:2", "--service", "kafka:1", *SHORT, *words)["facts"]
    assert facts["count"] == 1600
    assert facts["results"] <= 1600


@pytest.mark.long
def test_the_brokers_log_is_in_memory_and_what_they_count_is_in_the_report(weft: Weft) -> None:
    words = ("--engine", "flink", "--nodes", "local:1", "--service", "kafka:1+memory:512M", *SHORT)
    result = streamed(weft, *words, "--set", "probes=proc,kafka")
    counters = json.loads(weft("show", "last", "--json").stdout)["counters"]
    (counted,) = [one for one in counters if one["name"] == "kafka.messages_in"]
    # also the results, and what the programs agree on
    assert sum(counted["totals"].values()) >= 800 + result["facts"]["results"]


@pytest.mark.long
@pytest.mark.parametrize("on", ["delayed:lustre", "disk"])
def test_the_brokers_log_is_on_any_storage_that_can_be_mapped(weft: Weft, on: str) -> None:
    words = ("--engine", "flink", "--nodes", "local:1", *SHORT)
    facts = streamed(weft, *words, "--service", f"kafka:1+{on}")["facts"]
    assert facts["count"] == 800
    refused = weft("run", "stream-statistics", *words, "--service", "kafka:1+delayed:datawarp")
    assert refused.returncode == 2
    assert "maps the index files of its log for writing" in refused.stderr


@pytest.mark.long
def test_an_engine_that_begins_late_catches_up(weft: Weft) -> None:
    words = ("--nodes", "local:2", "--service", "kafka:1", "--set", "backlog=5s", "--set", "seconds=30")
    facts = streamed(weft, "--engine", "flink", *words, "--set", "rate=500")["facts"]
    assert facts["backlog_records"] >= 2500
    assert facts["caught_up"].endswith("s")


@pytest.mark.long
def test_a_rate_that_is_too_high_is_named_with_its_limit(weft: Weft) -> None:
    words = ("--nodes", "local:2", "--service", "kafka:1", "--set", "rate=300000", "--set", "seconds=5")
    result = streamed(weft, "--engine", "flink", *words)
    assert result["facts"]["sustained"] is False
    (step,) = json.loads((Path(result["record"]) / "outcomes" / "collect.json").read_text())["steps"]
    waits = step["late"] if step["blocked"] >= 0.5 else 0
    named = {"producer": step["late"] - waits, "broker": step["acknowledged"] + waits}
    # of what is neither producers' nor brokers', the engine is the cause
    assert result["facts"]["limit"] == step["limit"]
    assert step["limit"] in {"engine", max(named, key=lambda name: named[name])}


@pytest.mark.long
def test_an_engine_that_is_stopped_for_a_while_is_the_limit(weft: Weft) -> None:
    """It stops after the second quarter, until the last has ended: latency grew, and producers and brokers were on time."""
    words = ("--engine", "flink", "--nodes", "local:1", "--service", "kafka:1", "--set", "rate=200")
    process = weft.start(
        "run", "stream-statistics", *words, "--set", "seconds=24", "--set", "warmup=1", "--json"
    )
    weft.wait_for(process, lambda: in_phase(weft, "run") and progress(weft) > 2800, 300)
    (engine,) = [one for one in weft.processes("TaskManagerRunner") if one.name() == "java"]
    engine.send_signal(signal.SIGSTOP)
    begun = time.monotonic()
    weft.wait_for(process, lambda: time.monotonic() > begun + 14)
    engine.send_signal(signal.SIGCONT)
    out, err = process.communicate(timeout=400)
    facts = json.loads(out)["facts"]
    assert json.loads(out)["verdict"] == "VALID", err
    assert (facts["sustained"], facts["limit"]) == (False, "engine")


@pytest.mark.long
def test_the_highest_rate_is_searched(weft: Weft) -> None:
    words = ("--set", "rate=max", "--set", "seconds=3", "--set", "bound=2s", "--set", "interval=200ms")
    result = streamed(weft, "--engine", "flink", "--nodes", "local:2", "--service", "kafka:1", *words)
    steps = json.loads((Path(result["record"]) / "outcomes" / "collect.json").read_text())["steps"]
    assert len(steps) > 2
    kept = [step["rate"] for step in steps if step["sustained"]]
    missed = [step["rate"] for step in steps if not step["sustained"] and step["rate"] > max(kept)]
    assert all(step["p99"] <= 2 for step in steps if step["sustained"])
    assert result["facts"]["offered_per_second"] == max(kept)
    assert 1 < min(missed) / max(kept) <= 1.15


def progress(weft: Weft) -> int:
    """Records that results hold by now."""
    log = (weft.record() / "logs" / "node1" / "collect.log").read_text()
    return int(re.findall(r"progress: (\d+)", log)[-1])


def on_node_of_job(weft: Weft, node: str) -> bool:
    """Whether the job's only tasks run on this node."""
    log = weft.record() / "logs" / node / f"taskmanager-{node}.log"
    return "Source: records" in log.read_text()


@pytest.mark.long
def test_records_that_only_a_killed_broker_had_make_the_run_invalid(weft: Weft) -> None:
    words = ("--engine", "flink", "--service", "kafka:2", *LONGER, "--set", "producers=2", "--json")
    process = weft.start("run", "stream-statistics", *words, "--set", "patience=15s")
    weft.wait_for(process, lambda: in_phase(weft, "run") and progress(weft) > 3000, 300)
    kill(max(weft.processes("kafka.Kafka"), key=lambda one: one.environ()["WEFT_NODE"]))
    out, err = process.communicate(timeout=400)
    assert process.returncode == 1, err
    assert json.loads(out)["verdict"] == "INVALID"
    assert "kafka-" in err


@pytest.mark.long
@pytest.mark.parametrize(
    ("engine", "service", "victim", "words"),
    [
        ("flink", "kafka:1", "TaskManagerRunner", ("--set", "engine.conf.heartbeat.timeout=6s")),
        ("spark", "kafka:1", "CoarseGrainedExecutorBackend", ("--set", "interval=200ms")),
        ("flink", "kafka:2", "kafka.Kafka", ("--set", "kafka.replication=2")),
        ("spark", "kafka:2", "kafka.Kafka", ("--set", "kafka.replication=2", "--set", "interval=200ms")),
    ],
)
def test_a_killed_process_is_survived_and_the_report_has_the_recovery(
    weft: Weft, engine: str, service: str, victim: str, words: tuple[str, ...]
) -> None:
    process = weft.start(
        "run", "stream-statistics", "--engine", engine, "--service", service, *LONGER, *words, "--json"
    )
    weft.wait_for(process, lambda: in_phase(weft, "run") and progress(weft) > 3000, 300)
    found = [one for one in weft.processes(victim) if one.name() == "java"]
    where = {one.environ()["WEFT_NODE"]: one for one in found}
    if victim == "TaskManagerRunner":
        where = {node: one for node, one in where.items() if on_node_of_job(weft, node)}
    kill(where[max(where)])
    out, err = process.communicate(timeout=400)
    result = json.loads(out)
    assert result["verdict"] == "VALID", err
    assert result["facts"]["count"] == 16_500
    shown = json.loads(weft("show", "last", "--json").stdout)
    assert shown["marks"]
    page = Path(result["report"]).read_text()
    assert " lost at " in page
