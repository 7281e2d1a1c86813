"""The section of a stream: latencies, whether the rate was sustained and what limited it, and recovery after a loss."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.unit.report_fakes import BEGIN, event, make_record, ms
from weft.analysis.compare.compare import Comparison, Group
from weft.analysis.summary.gather import summarize
from weft.analysis.summary.streamrecovery import recovery
from weft.analysis.summary.summary import CounterRow, Loss, Summary
from weft.api import results
from weft.cli import app
from weft.errors import UsageError
from weft.record.record import read, write_json
from weft.report.draw.blocks import Chart, Table, Words
from weft.report.pages import page
from weft.report.pages.text import outcome_lines
from weft.report.sections import latencies, stream, verdict

LATENCY = {"median": 0.004, "p95": 0.009, "p99": 0.02, "p999": 0.5, "max": 1.25, "mean": 0.005}


def step(rate: float = 1000.0, **changes: Any) -> dict[str, Any]:
    return {
        "rate": rate, "seconds": 20.0, "records": 20_000, "throughput": rate, **LATENCY, "growth": 0.0,
        "sustained": True, "late": 0.001, "most_late": 0.01, "acknowledged": 0.002, "blocked": 0.0,
        "limit": "engine", **changes,
    }  # fmt: skip


def moments(slow: float = 0.0) -> list[dict[str, Any]]:
    """Twenty seconds; from the 10th on records are slow until the 14th."""
    worst = [max(0.02, 14.0 - t if 10 <= t < 14 and slow else 0) for t in range(20)]
    return [
        {"t": t + 0.5, "records": 1000, "median": 0.004, "p99": p99, "max": max(0.03, p99),
         "held_per_second": 1000.0, "results": 1000}
        for t, p99 in enumerate(worst)
    ]  # fmt: skip


def summary(tmp_path: Path, slow: float = 0.0, **changes: Any) -> Summary:
    stored = make_record(tmp_path / "stream", head={"workload": "stream-statistics"})
    found = {
        "began": BEGIN + 5, "seconds": 20.0, "records": 20_000, "results": 20_000, "throughput": 1000.0,
        "latency": LATENCY, "early": 0, "longest_pause": {"began": BEGIN + 15, "seconds": 0.1},
        "distribution": [[0.0, 0.001], [0.5, 0.004], [1.0, 1.25]], "over_time": moments(slow), "steps": [step()],
        "each": 25_000, "fallbacks": 0, **changes,
    }  # fmt: skip
    write_json(stored.directory / "outcomes" / "collect.json", found)
    made = summarize(stored)
    assert made.stream is not None
    # the record's executor was lost before its stream is made to be slow
    return made.model_copy(update={"marks": (), "stream": made.stream.model_copy(update={"recoveries": ()})})


def words(found: Summary) -> list[str]:
    return [block.text for block in stream.stream(found).blocks if isinstance(block, Words)]


def test_latencies_are_a_table_and_drawn_over_time(tmp_path: Path) -> None:
    found = summary(tmp_path)
    section = stream.stream(found)
    table = next(block for block in section.blocks if isinstance(block, Table))
    assert list(table.rows[0])[1:] == ["0.004", "0.009", "0.020", "0.50", "1.25", "0.005"]
    charts = [block for block in section.blocks if isinstance(block, Chart)]
    assert [chart.title for chart in charts] == [
        "Latency over time, s",
        "Records per second in results, by their arrival",
        "Latency, share of records",
    ]
    assert all("<svg" in chart.draw() for chart in charts)
    assert words(found)[0] == "The offered rate was sustained: 1,000 records/s were in results."


def test_other_workloads_have_no_such_section(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "other")
    assert summarize(stored).stream is None
    text = page.text(summarize(stored))
    assert not any(f'id="{name}"' in text for name in ("stream", "operators"))


def test_a_stream_of_ones_own_has_operators_besides_its_slot_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = make_record(tmp_path / "runs" / "own")
    (log,) = (stored.directory / "engine").iterdir()
    batch = {"Job ID": 7, "Submission Time": ms(5), "Properties": {"sql.streaming.queryId": "c0ffee"}}
    with log.open("a") as file:
        file.write(json.dumps(event("JobStart", **batch)) + "\n")
    found = summarize(read(stored.directory))
    assert found.operators
    assert 'id="operators"' in page.text(found)
    assert "would not have ended sooner" in str(stream.operators(found).blocks)
    monkeypatch.setenv("WEFT_RUNS", str(tmp_path / "runs"))
    shown = CliRunner().invoke(app, ["explain", "own", "--json"])
    answer = json.loads(shown.stdout)
    assert answer["operators"][0]["name"] == found.operators[0].name
    assert answer["parts"]


def test_calls_on_files_of_state_and_checkpoints_are_counted_apart(tmp_path: Path) -> None:
    def counter(kind: str, operation: str, name: str, value: float, component: str = "engine") -> CounterRow:
        each = {"node1": value, "node2": value}
        labels = {"path_class": kind, "operation": operation, "component": component}
        return CounterRow(name=f"fileops.{name}", totals=each, phases={"run": each}, **labels)

    found = summary(tmp_path)
    assert [block.columns[0] for block in stream.operators(found).blocks if isinstance(block, Table)] == [
        "operator"
    ]
    counters = (
        counter("scratch", "open", "count", 10),
        counter("scratch", "open", "seconds", 0.5),
        counter("scratch", "write", "count", 100),
        counter("scratch", "write", "seconds", 2),
        counter("scratch", "write", "bytes", 5000),
        counter("output", "mkdir", "count", 3),
        counter("output", "open", "count", 50, "generator"),
    )
    _, files = [
        block
        for block in stream.operators(found.model_copy(update={"counters": counters})).blocks
        if isinstance(block, Table)
    ]
    assert [list(row) for row in files.rows] == [
        ["scratch", "220", "10 kB", "5.00 s", "write 4.00 s"],
        ["output", "6", "-", "0 s", "mkdir 0 s"],
    ]


@pytest.mark.parametrize("limit", ["producer", "broker", "engine"])
def test_a_rate_that_was_not_sustained_names_its_limit(tmp_path: Path, limit: str) -> None:
    found = summary(tmp_path, steps=[step(sustained=False, limit=limit, growth=2.5)])
    (text,), operators = words(found), found.limiting
    assert stream.operators(found).blocks[0] == Words(operators)
    first = (
        "The operator that limits the rate" if limit == "engine" else "Of the operators, the first to limit"
    )
    assert operators.startswith(first)
    assert "was not sustained: 1,000 records/s were in results, and latency grew by 2.50 s" in text
    assert f"The limit is the {limit}: " in text


@pytest.mark.parametrize(
    ("missed", "says"),
    [
        ("producers", "in the last quarter producers sent 0.70 s late. The limit is the broker: "),
        ("backlog", "in the last quarter records waited 6.00 s for the engine. The limit is the engine: "),
        ("latency", "latency grew by 2.50 s from the second quarter to the last. The limit is the broker: "),
        ("end", "the engine needed 9.00 s after the last of them until it had consumed all. The limit is the engine: "),
    ],
)  # fmt: skip
def test_a_rate_that_was_not_sustained_says_what_grew(tmp_path: Path, missed: str, says: str) -> None:
    one = step(sustained=False, limit="broker", growth=2.5, late=0.7, missed=missed, waited=6.0, behind=9.0)
    (text, *_) = words(summary(tmp_path, steps=[one]))
    assert text.startswith("The offered rate of 1,000 records/s was not sustained: ")
    assert says in text


def test_a_rate_of_which_no_results_can_be_compared_is_not_judged(tmp_path: Path) -> None:
    """As of windows that are longer than a quarter of the time: their last quarter has none."""
    one = step(sustained=False, limit="unknown", growth=-1.2, missed="results", waited=0.0, behind=0.0)
    (text, *_) = words(summary(tmp_path, steps=[one]))
    assert text.startswith("Whether the offered rate of 1,000 records/s was sustained is not known: ")
    assert "limit" not in text


def test_a_search_lists_each_rate_and_the_highest_that_kept_the_bound(tmp_path: Path) -> None:
    steps = [step(1000.0), step(2000.0), step(4000.0, sustained=False)]
    found = summary(tmp_path, steps=steps)
    assert words(found)[0].startswith("The highest rate that was sustained: 2,000 records/s")
    tables = [block for block in stream.stream(found).blocks if isinstance(block, Table)]
    assert [row[0] for row in tables[1].rows] == ["1,000", "2,000", "4,000"]


def test_recovery_after_a_loss_is_timed(tmp_path: Path) -> None:
    lag = [[BEGIN + 5 + t, 1000 * max(0, t - 10)] for t in range(15)]
    changes = {"fallbacks": 1, "longest_pause": {"began": BEGIN + 15, "seconds": 3.5}, "lag": lag}
    found = summary(tmp_path, slow=1.0, **changes)
    assert found.stream is not None
    made = recovery(found.stream.over_time, found.stream.lag, 10.0, "taskmanager-node2 lost")
    stream_of = found.stream.model_copy(update={"recoveries": (made,)})
    found = found.model_copy(
        update={"marks": (Loss(at=15.0, words="taskmanager-node2 lost"),), "stream": stream_of}
    )
    text = words(found)
    assert text[1].startswith("taskmanager-node2 lost at 10.0 s; recovered 4.5 s later")
    assert text[1].endswith(
        "The highest latency until then: 4.0 s. At most 4,000 records waited in the brokers' log for the engine."
    )
    assert text[2].startswith("The engine continued 1 times from a checkpoint")
    assert "3.5 s, from 10.0 s on" in text[2]


def test_each_loss_of_the_record_has_its_recovery(tmp_path: Path) -> None:
    summary(tmp_path)
    stream_of = summarize(read(tmp_path / "stream")).stream
    assert stream_of is not None
    assert [(one.what, one.at, one.seconds) for one in stream_of.recoveries] == [
        ("executor 1 lost", 1.0, 0.0)
    ]


def test_clocks_that_differ_are_shown(tmp_path: Path) -> None:
    assert any("the clocks of nodes differ" in text for text in words(summary(tmp_path, early=3)))


def test_the_page_has_it_and_no_split_of_slot_time(tmp_path: Path) -> None:
    found = summary(tmp_path)
    text = page.text(found)
    assert 'id="stream"' in text
    assert 'id="explain"' not in text
    assert found.explanation is None
    assert ": half of the records were in a result after 0.004 s, 99 % after 0.020 s" in verdict.sentence(
        found
    )
    assert verdict.where(found) == ["The offered rate was sustained: 1,000 records/s were in results."]


def test_explain_names_the_operator_and_of_slot_time_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_RUNS", str(tmp_path))
    summary(tmp_path)
    done = CliRunner().invoke(app, ["explain", "stream"])
    assert "Of the operators, the first to limit a higher rate: step 0 was busy 62 %" in done.stdout
    (first, *_) = json.loads(CliRunner().invoke(app, ["explain", "stream", "--json"]).stdout)
    assert (first["name"], first["busy"] > 0.6) == ("step 0", True)
    with pytest.raises(UsageError, match="stream is a stream"):
        results.explain("stream")


def test_a_comparison_has_the_latencies_of_streams_with_intervals() -> None:
    def group(label: str, *medians: float) -> Group:
        facts = [
            {"latency_median_seconds": each, "latency_p99_seconds": 2 * each, "records_per_second": 400.0}
            for each in medians
        ]
        return Group(label=label, key=label, runs=(), values=(), facts=tuple(facts))

    groups = (
        group("windows", 0.5, 0.51, 0.52, 0.53, 0.54, 0.54),
        group("records", 0.03, 0.03, 0.04, 0.04, 0.05, 0.05),
    )
    section = latencies.latencies_of_streams(Comparison(title="two", groups=groups))
    shown = [block.text for block in section.blocks if isinstance(block, Words)]
    assert shown == ["Lowest median latency first: [records]; then [windows]."]
    (table,) = [block for block in section.blocks if isinstance(block, Table)]
    assert table.rows[0] == ("windows", "6", "0.53 [0.50, 0.54]", "1.05 [1.00, 1.08]", "-", "400")
    other = Group(label="sort", key="sort", runs=(), values=(1.0,), facts=({"right": "1 of 1"},))
    assert latencies.latencies_of_streams(Comparison(title="one", groups=(other,))).blocks == ()


@pytest.mark.parametrize(
    ("backlog", "ends"),
    [
        ({"records": 6200, "waited": 6.2, "caught_up": 3.0}, "3.00 s later it had caught up"),
        ({"records": 6200, "waited": 6.2}, "It did not catch up with them."),
    ],
)
def test_an_engine_that_began_late_is_reported_to_have_caught_up_or_not(
    tmp_path: Path, backlog: dict[str, float], ends: str
) -> None:
    (shown,) = [text for text in words(summary(tmp_path, backlog=backlog)) if "began" in text]
    assert "with 6,200 records in the brokers' log" in shown
    assert ends in shown


def test_the_summary_has_what_identifies_results_and_the_latency_of_a_stream(tmp_path: Path) -> None:
    facts = {
        "queries": [{"query": "join", "rows": 10_000, "checksum": "0123456789abcdef"}],
        "latency_median_seconds": 0.0103, "latency_p99_seconds": 0.25, "sustained": False, "limit": "broker",
        "offered_per_second": 2000.0, "backlog_records": 2500, "caught_up": "3.0 s",
    }  # fmt: skip
    head = {"facts": facts, "lost": ["kafka-node4 on node4 ended (killed by signal 9)"], "scratch": "disk"}
    stored = make_record(tmp_path / "one", head=head)
    lines = outcome_lines(stored)
    assert "  join: 10000 rows, checksum 0123456789abcdef" in lines
    assert (
        "  latency: median 0.010 s, 99 % 0.25 s; 2,000 records/s not sustained, the limit is the broker"
        in lines
    )
    assert "  backlog of 2,500 records caught up: 3.0 s" in lines
    assert "  recovered: kafka-node4 on node4 ended (killed by signal 9)" in lines
    unknown = make_record(tmp_path / "few", head={**head, "facts": {**facts, "limit": "unknown"}})
    assert any(
        line.endswith("records/s offered, and too few results to say whether they were sustained")
        for line in outcome_lines(unknown)
    )
    failed = make_record(tmp_path / "two", head={**head, "verdict": "INVALID"})
    assert "  lost: kafka-node4 on node4 ended (killed by signal 9)" in outcome_lines(failed)


@pytest.mark.parametrize(
    "changes",
    [{"latency": {}}, {"steps": [step(sustained=False, limit="x")]}, {"steps": [{"sustained": False}]}],
)
def test_a_damaged_report_of_a_stream_is_a_gap(tmp_path: Path, changes: dict[str, Any]) -> None:
    summary(tmp_path)
    path = tmp_path / "stream" / "outcomes" / "collect.json"
    write_json(path, {**json.loads(path.read_text()), **changes})
    found = summarize(read(tmp_path / "stream"))
    assert page.text(found)
    assert any(gap.startswith("the stream cannot be read") for gap in found.gaps)
