"""Record in, summary out: whole, invalid, killed, running, damaged."""

import json
from pathlib import Path

import pytest

from tests.unit.report_fakes import RESOLVED, make_record
from weft.analysis.summary.gather import summarize
from weft.record.record import write_json
from weft.report.draw.blocks import Words
from weft.report.pages.contents import throughput
from weft.report.sections import verdict


def test_a_whole_record(tmp_path: Path) -> None:
    summary = summarize(make_record(tmp_path / "run"))
    assert summary.verdict == "VALID"
    assert summary.gaps == ()
    assert summary.result == 8.0
    assert summary.own_clock
    assert summary.seconds("run") == pytest.approx(10)
    assert summary.throughput == 50_000_000
    assert summary.throughput_per_node == 25_000_000
    assert summary.emulated == ("a Lustre of 2015, by a delay model",)
    assert [span.name for span in summary.phases] == [
        "acquire",
        "storage",
        "start",
        "prepare",
        "run",
        "check",
        "stop",
    ]
    assert [(row.label, row.begin, row.seconds) for row in summary.stages] == [
        ("0", 4.0, 5.0),
        ("1", 9.0, 3.0),
    ]
    assert summary.recoveries == ("executor 1 on 10.0.0.2 was lost (worker lost): 1 task had to be repeated",)
    assert summary.lost == ("worker-node2 on node2 ended (killed by signal 9)",)
    assert summary.engine_version == "4.3.0"
    assert {counter.name for counter in summary.counters} == {"cpu_user", "net_send", "memory", "pressure_io"}
    assert {log.path: log.tail for log in summary.logs} == {"logs/node1/driver.log": ()}


def test_a_valid_run_in_a_sentence(tmp_path: Path) -> None:
    summary = summarize(make_record(tmp_path / "run"))
    assert verdict.sentence(summary) == (
        "Terasort of 400 MB by spark 4.3.0 on 2 virtual nodes took 8.0 s, 50 MB/s in all; an independent program checked the result, and it is right."
    )
    assert summary.explanation is not None
    assert verdict.where(summary) == [summary.explanation.sentence, summary.explanation.start]


def test_slots_are_counted_only_while_an_executor_lived(tmp_path: Path) -> None:
    use = summarize(make_record(tmp_path / "run")).usage
    assert use is not None
    # one executor from 3 until the last task ended at 11.53, another from 3 until it was lost at 6
    assert use.slot_seconds == pytest.approx(8.53 + 3)
    assert use.task_seconds == pytest.approx(1.03 + 0.03 + 2.03 + 3.03 + 2.53)


def test_an_invalid_run_has_no_time_and_shows_its_logs(tmp_path: Path) -> None:
    summary = summarize(
        make_record(
            tmp_path / "run", head={"verdict": "INVALID", "reason": "row 7 is out of order", "tail": ["x"]}
        )
    )
    assert (summary.result, summary.throughput, summary.throughput_per_node) == (None, None, None)
    assert verdict.sentence(summary).startswith("row 7 is out of order. Terasort")
    assert verdict.sentence(summary).endswith("has no time.")
    assert summary.logs[0].tail[-1] == "the last line"


def test_an_unchecked_run_ended_but_has_no_time(tmp_path: Path) -> None:
    summary = summarize(
        make_record(
            tmp_path / "run", head={"verdict": "UNCHECKED", "bytes_in": 0, "throughput_per_node": None}
        )
    )
    assert (summary.result, summary.throughput, summary.logs[0].tail) == (None, None, ())
    assert verdict.tone(summary) == "warn"
    assert verdict.sentence(summary).endswith("ended after 10.0 s; nobody checked its result.")


def test_a_job_that_measures_nothing_has_no_clock_of_its_own(tmp_path: Path) -> None:
    assert not summarize(make_record(tmp_path / "run", head={"measured": 10.0})).own_clock


def test_the_size_of_dfsio_is_that_of_all_of_its_files(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "run", head={"workload": "dfsio"})
    write_json(
        tmp_path / "run" / "resolved.json",
        {**RESOLVED, "spec": {"workload": {"kind": "dfsio", "size": 50_000_000, "files": 8}}},
    )
    assert "Dfsio of 400 MB by spark" in verdict.sentence(summarize(stored))


@pytest.mark.parametrize(
    ("found", "why"), [("VALID", "since nothing counted"), ("UNCHECKED", "without a checked result")]
)
def test_where_there_is_no_throughput_the_reason_is_that_of_the_run(
    tmp_path: Path, found: str, why: str
) -> None:
    none = {"bytes_in": 0, "bytes_out": 0, "throughput_per_node": None}
    section = throughput(summarize(make_record(tmp_path / "run", head={"verdict": found, **none})))
    assert [why in block.text for block in section.blocks if isinstance(block, Words)] == [True]


def test_a_killed_run_is_cut_off_where_it_was(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "run", head={"verdict": "RUNNING", "phase": "run"})
    events = (tmp_path / "run" / "events.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "run" / "events.jsonl").write_text("".join(events[:9]) + '{"t": 170')
    summary = summarize(stored)
    assert summary.verdict == "KILLED"
    assert verdict.sentence(summary).endswith(
        "was cut off in phase run: its writer died without a verdict, so it has no time."
    )
    run = summary.phases[-1]
    assert (run.name, run.ended) == ("run", False)
    assert run.seconds == pytest.approx(10)
    assert summary.gaps == ("1 line(s) of events.jsonl are damaged and were skipped",)


def test_samples_of_a_run_that_was_killed_are_read_up_to_the_torn_line(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "run", without=["samples.parquet"])
    (tmp_path / "run" / "samples.csv").write_text(
        "1700000003.0,node1,,cpu_user,1\n1700000004.0,node1,,cpu_user,2\n17000"
    )
    summary = summarize(stored)
    assert [(series.node, series.points) for series in summary.series] == [("node1", ((3.5, 1.0),))]


def test_a_killed_run_without_probes_reaches_to_its_last_task(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "run", head={"verdict": "RUNNING"}, without=["samples.parquet"])
    events = (tmp_path / "run" / "events.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "run" / "events.jsonl").write_text("".join(events[:9]))
    summary = summarize(stored)
    assert summary.phases[-1].seconds == pytest.approx(11.53 - 2.4)
    assert summary.end == pytest.approx(12)


ALL = ("spec.toml", "resolved.json", "events.jsonl", "samples.parquet", "sources.json")


@pytest.mark.parametrize("name", ALL)
def test_a_missing_file_makes_a_smaller_summary(tmp_path: Path, name: str) -> None:
    summary = summarize(make_record(tmp_path / "run", without=[name]))
    assert summary.verdict == "VALID"
    assert summary.throughput is not None
    assert summary.phases


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[1, 2]", b"\xff\xfe\x00nonsense\n", b"null", b'{"nodes": 7, "places": [1], "spec": 3}'],
)
def test_a_damaged_file_never_stops_a_summary(tmp_path: Path, name: str, content: bytes) -> None:
    stored = make_record(tmp_path / "run")
    (tmp_path / "run" / name).write_bytes(content)
    assert summarize(stored).verdict == "VALID"


def test_damage_is_named(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "run")
    (tmp_path / "run" / "resolved.json").write_text("{")
    (tmp_path / "run" / "samples.parquet").write_text("no parquet")
    gaps = summarize(stored).gaps
    assert any(gap.startswith("resolved.json cannot be read") for gap in gaps)
    assert any(gap.startswith("the samples cannot be read") for gap in gaps)


@pytest.mark.parametrize(
    "key",
    ["verdict", "phases", "cell", "facts", "bytes_in", "measured", "host", "lost", "workload", "created"],
)
def test_a_record_without_a_key_is_read(tmp_path: Path, key: str) -> None:
    summary = summarize(make_record(tmp_path / "run", without=[key]))
    assert summary.verdict == ("KILLED" if key == "verdict" else "VALID")


@pytest.mark.parametrize(
    "key",
    [
        "phases",
        "cell",
        "facts",
        "bytes_in",
        "measured",
        "lost",
        "probes_missing",
        "throughput_per_node",
        "tail",
    ],
)
@pytest.mark.parametrize("value", [None, "x", 7, [1], {"a": None}])
def test_a_record_with_a_foreign_value_is_read(tmp_path: Path, key: str, value: object) -> None:
    assert summarize(make_record(tmp_path / "run", head={key: value})).verdict == "VALID"


def test_nothing_but_a_head(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    stored = make_record(
        directory,
        head={"verdict": "RUNNING", "phase": "acquire", "phases": {}, "lost": []},
        without=[*ALL, "bytes_in"],
    )
    (directory / "engine" / "app-20231114221320-0000").unlink()
    summary = summarize(stored)
    assert summary.gaps == ("resolved.json does not exist: the run ended before its layout was decided",)
    assert (summary.phases, summary.stages, summary.series) == ((), (), ())


def test_the_json_holds_the_numbers_but_not_the_series(tmp_path: Path) -> None:
    found = json.loads(summarize(make_record(tmp_path / "run")).json_text())
    assert found["throughput"] == 50_000_000
    assert found["stages"][0]["skew"] == 1.5
    assert "series" not in found
    assert "documents" not in found


def test_a_summary_is_the_same_each_time(tmp_path: Path) -> None:
    stored = make_record(tmp_path / "run")
    assert summarize(stored) == summarize(stored)
