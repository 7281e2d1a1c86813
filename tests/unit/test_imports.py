"""Logs of clusters that weft never saw: written by plain Sparks, Hadoop and Flink; whole, cut off, damaged, foreign."""

import gzip
import html
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from weft.analysis.compare.compare import compare
from weft.analysis.compare.headline import headlines
from weft.analysis.compare.study import explained
from weft.analysis.summary.gather import summarize
from weft.analysis.summary.summary import Summary
from weft.api.advice import advise
from weft.cli import app
from weft.errors import UsageError, WeftError
from weft.facts import kept
from weft.host import settings
from weft.report.pages import page
from weft.run.imports.found import most_at_once as together
from weft.run.imports.importing import import_log

RUNNER = CliRunner()
LOGS = Path(__file__).parent / "logs"
PLAIN = LOGS / "spark-3.5-plain.gz"
"""Spark 3.5.7, local[2], examples/src/main/python/pi.py 4."""
ZSTD = LOGS / "app-20261122171827-0000.zstd"
"""Spark 3.5.7, local-cluster[2,1,1024], sort.py."""
LZ4 = LOGS / "local-1795367936308.lz4"
"""Spark 3.5.7, local[2], wordcount.py."""
SQL = LOGS / "spark-4.3-sql.gz"
"""Spark 4.3.0, local[2], PySpark: a table of 120 files joined with another one by sorting and by broadcast, an aggregate of it, and a
Python function; without the plans as text and what tasks repeat."""
FLINK = LOGS / "flink-2.3-archive.gz"
"""Flink 2.3.0's own archive of a sort with 2 + 4 subtasks on 2 slots."""
HADOOP = LOGS / "mapreduce-3.5-binary.jhist.gz"
"""Hadoop 3.5.0's own job history of a sort with 4 maps and 4 reduces, in Avro's binary encoding, its default."""
ROLLED = LOGS / "eventlog_v2_local-1795367961294"
"""Spark 4.0.1 with its defaults (rolling, zstd), local[2], wordcount.py."""


WITHOUT_LZMA = """
import sys
from pathlib import Path
sys.modules["lzma"] = None
from weft.cli import outcomes
from weft.errors import MissingError
from weft.run.imports.importing import import_log
try:
    import_log(Path(sys.argv[1]), Path(sys.argv[2]))
except MissingError as error:
    print(error.message)
"""


def test_a_python_that_was_built_without_lzma_runs_weft_and_says_what_it_cannot_read(tmp_path: Path) -> None:
    log = tmp_path / "job_1_0001-X.jhist"
    log.write_bytes(gzip.decompress(HADOOP.read_bytes()))
    argv = [sys.executable, "-P", "-c", WITHOUT_LZMA, str(log), str(tmp_path / "runs")]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert done.stdout == f"a job history in Avro cannot be read: {sys.executable} has no module lzma\n"
    assert list((tmp_path / "runs").iterdir()) == []


def imported(log: Path, tmp_path: Path) -> Summary:
    return summarize(import_log(log, tmp_path / "runs"))


@pytest.mark.parametrize(
    ("log", "version", "slots", "tasks", "name"),
    [
        (PLAIN, "3.5.7", 2, 4, "PythonPi"),
        (ZSTD, "3.5.7", 2, 1, "PythonSort"),
        (LZ4, "3.5.7", 2, 4, "PythonWordCount"),
        (ROLLED, "4.0.1", 2, 4, "PythonWordCount"),
    ],
    ids=["plain", "zstd", "lz4", "rolled"],
)
def test_a_log_of_a_plain_spark_is_explained(
    log: Path, version: str, slots: int, tasks: int, name: str, tmp_path: Path
) -> None:
    summary = imported(log, tmp_path)
    found = summary.explanation
    assert found is not None
    assert (summary.engine_version, found.slots, found.coverage.tasks, summary.workload) == (
        version,
        slots,
        tasks,
        name,
    )
    assert summary.verdict == "UNCHECKED"
    assert sum(part.share for part in found.parts) == pytest.approx(1, abs=0.01)
    assert {"threads", "fileops"} <= set(found.coverage.missing)


def test_the_page_says_what_would_have_named_the_rest(tmp_path: Path) -> None:
    summary = imported(ROLLED, tmp_path)
    text = page.text(summary)
    assert "nobody checked its result" in text
    assert "`weft submit` of the same job names them" in summary.gaps[-1]
    assert "threads" in text


def test_of_more_tasks_than_are_attributed_the_stages_are_summed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = imported(ROLLED, tmp_path)
    monkeypatch.setattr(kept, "IN_MEMORY", 3)
    summary = imported(ROLLED, tmp_path)
    assert summary.explanation is None
    assert (summary.stages, summary.slowest, summary.usage) == (whole.stages, whole.slowest, whole.usage)
    (gap,) = set(summary.gaps) - set(whole.gaps)
    assert "has 4 tasks, and at most 3 are attributed" in gap
    assert gap in html.unescape(page.text(summary))


SPANS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5)), max_size=12)


@given(SPANS)
def test_as_many_tasks_are_at_one_time_as_at_some_moment(spans: list[tuple[int, int]]) -> None:
    times = [(float(begin), float(begin + took)) for begin, took in spans]
    found = together(polars.DataFrame(times, {"begin": polars.Float64, "end": polars.Float64}, orient="row"))
    moments = [at + 0.5 for at in range(15)]
    assert found >= max(sum(begin < at < end for begin, end in times) for at in moments)
    assert found <= len(times)


def test_imported_runs_are_compared_by_their_parts(tmp_path: Path) -> None:
    records = [import_log(log, tmp_path / "runs") for log in (LZ4, ROLLED)]
    found = compare(explained(headlines(records)), "two", each=True)
    assert [len(group.values) for group in found.groups] == [1, 1]
    for group in found.groups:
        assert sum(group.parts.values()) == pytest.approx(group.values[0], rel=0.01)
    assert "nobody checked its result" in found.sentences[-1]
    assert found.differences["engine.version"] == ("3.5.7", "4.0.1")


def test_executors_that_follow_one_another_on_a_host_have_the_same_cores(tmp_path: Path) -> None:
    lines = gzip.decompress(PLAIN.read_bytes()).decode().splitlines()
    (added,) = (json.loads(line) for line in lines if '"SparkListenerExecutorAdded"' in line)
    at, host = added["Timestamp"], added["Executor Info"]["Host"]
    gone = {"Event": "SparkListenerExecutorRemoved", "Timestamp": at - 5, "Executor ID": "7"}
    before = {**added, "Executor ID": "7", "Timestamp": at - 9}
    log = tmp_path / "app-1"
    log.write_text("\n".join([lines[0], json.dumps(before), json.dumps(gone), *lines[1:]]))
    assert [(node.name, node.cores) for node in imported(log, tmp_path).nodes] == [(host, 2)]


def test_a_log_in_progress_ends_with_its_last_event(tmp_path: Path) -> None:
    lines = gzip.decompress(PLAIN.read_bytes()).decode().splitlines(keepends=True)
    log = tmp_path / "app-1.inprogress"
    log.write_text("".join(lines[:-3]))
    summary = imported(log, tmp_path)
    assert any("no end of the application" in gap for gap in summary.gaps)
    assert summary.explanation


def test_a_log_cut_within_its_compressed_frame_is_read_up_to_there(tmp_path: Path) -> None:
    whole = next(ROLLED.glob("events_1_*")).read_bytes()
    log = tmp_path / "app-1.zstd"
    log.write_bytes(whole[:-2000])
    summary = imported(log, tmp_path)
    assert any("frames are damaged or cut off" in gap for gap in summary.gaps)
    assert summary.explanation


def test_a_log_with_a_damaged_line_names_it(tmp_path: Path) -> None:
    text = gzip.decompress(PLAIN.read_bytes()).decode()
    at = text.index('"Executor Run Time"')
    log = tmp_path / "app-1"
    log.write_text(text[:at] + '"Executor Run Time":"x",' + text[at + 20 :])
    summary = imported(log, tmp_path)
    assert summary.explanation
    assert summary.explanation.coverage.tasks == 3
    assert any("1 line(s) of the event log app-1 are damaged" in gap for gap in summary.gaps)


@pytest.mark.parametrize("log", [PLAIN, ZSTD, LZ4], ids=["gzip", "zstd", "lz4"])
def test_whatever_is_cut_or_overwritten_is_a_record_or_one_error(log: Path, tmp_path: Path) -> None:
    whole, chance = log.read_bytes(), random.Random(1)
    damaged = tmp_path / log.name
    for number in range(24):
        at = chance.randrange(len(whole))
        damaged.write_bytes(
            whole[:at] if number % 2 else whole[:at] + chance.randbytes(40) + whole[at + 40 :]
        )
        try:
            outcome: Summary | str = imported(damaged, tmp_path)
        except UsageError as error:
            outcome = str(error)
        if isinstance(outcome, str):
            assert str(damaged) in outcome
            assert "hint:" in outcome
        else:
            assert outcome.explanation
    assert len(list((tmp_path / "runs").iterdir())) <= 24


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"hello\n", "is no log that weft can read"),
        (b'{"a": 1}', "is no log that weft can read"),
        (bytes(range(256)) * 40, "is no log that weft can read"),
        (b"\x82SNAPPY\x00\x00\x00\x00\x01", "is compressed with snappy"),
        (b'{"Event":"SparkListenerLogStart","Spark Version":"3.5.7"}\n', "says nothing of any task"),
        (b"\x28\xb5\x2f\xfd", "nothing of it could be decompressed"),
    ],
)
def test_a_foreign_file_is_one_error_and_leaves_nothing(content: bytes, words: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(content)
    with pytest.raises(UsageError, match=words):
        import_log(log, tmp_path / "runs")
    assert not list(tmp_path.glob("runs/*"))


def test_several_logs_in_a_directory_are_named(tmp_path: Path) -> None:
    shutil.copytree(ROLLED, tmp_path / "logs" / ROLLED.name)
    assert imported(tmp_path / "logs", tmp_path).workload == "PythonWordCount"
    shutil.copy(ZSTD, tmp_path / "logs")
    with pytest.raises(UsageError, match="has 2 logs"):
        import_log(tmp_path / "logs", tmp_path / "runs")
    with pytest.raises(UsageError, match="no file in"):
        import_log(Path(__file__).parent / "__snapshots__", tmp_path / "runs")
    with pytest.raises(UsageError, match="file not found"):
        import_log(tmp_path / "nowhere", tmp_path / "runs")


def test_a_binary_job_history_is_explained(tmp_path: Path) -> None:
    summary = imported(HADOOP, tmp_path)
    found = summary.explanation
    assert found is not None
    assert (found.slots, found.coverage.tasks, len(found.stages)) == (2, 8, 2)
    assert summary.mapreduce["MAP_INPUT_RECORDS"]["map"] == 200_000
    assert sum(part.share for part in found.parts) == pytest.approx(1, abs=0.01)
    assert any("slots are the most tasks at one time" in gap for gap in summary.gaps)


def test_a_job_history_in_json_says_the_same(tmp_path: Path) -> None:
    binary = import_log(HADOOP, tmp_path / "runs")
    (history,) = (binary.directory / "engine").glob("*.jhist")
    log = tmp_path / "job_1_0001-SUCCEEDED.jhist"
    log.write_text("Avro-Json\n" + history.read_text())
    again = import_log(log, tmp_path / "runs")
    one, other = summarize(binary).explanation, summarize(again).explanation
    assert one
    assert other
    assert [(part.name, part.seconds) for part in one.parts] == [
        (part.name, part.seconds) for part in other.parts
    ]


def test_a_binary_job_history_that_is_cut_is_read_up_to_there(tmp_path: Path) -> None:
    whole = gzip.decompress(HADOOP.read_bytes())
    log = tmp_path / "job_1_0001.jhist"
    for cut in range(len(whole) * 3 // 4, len(whole), 1500):
        log.write_bytes(whole[:cut])
        summary = imported(log, tmp_path)
        assert summary.explanation
        assert any("cut off at byte" in gap for gap in summary.gaps)


def test_a_job_history_with_a_damaged_schema_is_one_error(tmp_path: Path) -> None:
    log = tmp_path / "job_1_0001.jhist"
    for schema in (
        b"{",
        b"[]",
        b'{"type":"record","name":"E","fields":[{"name":"x"}]}',
        b'{"type":"E","name":"E"}',
    ):
        log.write_bytes(b"Avro-Binary\n" + schema + b"\n" + bytes(40))
        with pytest.raises(UsageError, match="says nothing of any task"):
            import_log(log, tmp_path / "runs")


def test_the_queries_of_a_log_are_explained_by_their_operators(tmp_path: Path) -> None:
    summary = imported(SQL, tmp_path)
    assert summary.gaps == summary.gaps[:1], "weft did not observe it, and nothing else"
    assert summary.explanation is not None
    sql = summary.explanation.sql
    assert sql is not None
    assert sql.queries == 4
    assert {row.kind for row in sql.operators} == {
        "scan",
        "exchange",
        "broadcast",
        "sort",
        "aggregate",
        "join",
        "Python",
        "write",
    }
    scan = next(row for row in sql.operators if row.name == "scan facts")
    assert (scan.rows, scan.files) == (20_000, 120)
    python = next(row for row in sql.operators if row.kind == "Python")
    assert python.rows == 18_000
    assert any("scan facts" in row.name and "Python" in row.name for row in summary.explanation.stages)
    assert sum(sql.kinds.values()) <= summary.explanation.job
    changes = [one.change for one in summary.explanation.findings]
    assert "fewer and larger files of facts: query 2 reads 120 of 2 kB on average" in changes
    assert "scan facts" in page.text(summary)


def test_an_archive_of_flink_is_explained(tmp_path: Path) -> None:
    summary = imported(FLINK, tmp_path)
    found = summary.explanation
    assert found is not None
    assert (found.slots, found.coverage.tasks, len(summary.flink)) == (2, 6, 2)
    assert sum(part.share for part in found.parts) == pytest.approx(1, abs=0.01)
    assert "CPU time of tasks" in found.coverage.missing


def test_an_archive_of_flink_cut_anywhere_is_a_record_or_one_error(tmp_path: Path) -> None:
    whole = gzip.decompress(FLINK.read_bytes())
    seen = set()
    for cut in range(500, len(whole), 3001):
        log = tmp_path / "archive"
        log.write_bytes(whole[:cut])
        try:
            summary = imported(log, tmp_path)
        except WeftError:
            seen.add("error")
        else:
            seen.add("record")
            assert any("cut off" in gap for gap in summary.gaps)
    assert seen == {"error", "record"}


def test_settings_that_spark_adds_itself_are_not_compared(tmp_path: Path) -> None:
    stored = import_log(ROLLED, tmp_path / "runs")
    settings = json.loads((stored.directory / "resolved.json").read_text())["spec"]["settings"]
    assert settings["spark.sql.shuffle.partitions"] == "4"
    assert "spark.driver.extraJavaOptions" not in settings
    assert "spark.app.id" not in settings


def test_explain_takes_a_log_and_says_where_its_record_is(tmp_path: Path) -> None:
    log = tmp_path / "app.gz"
    shutil.copy(PLAIN, log)
    first = RUNNER.invoke(app, ["explain", str(log), "--json"])
    assert first.exit_code == 0, first.exception
    assert json.loads(first.stdout)["sentence"]
    (record,) = settings.runs().iterdir()
    assert f"record {record}, imported from {log} and kept; nobody checked the result" in first.stderr
    os.utime(log, (0, 0))
    again = RUNNER.invoke(app, ["explain", str(log), "--json"])
    assert f"record {record}, imported before" in again.stderr
    assert again.stdout == first.stdout
    os.utime(log, (2**31, 2**31))
    RUNNER.invoke(app, ["explain", str(log)])
    assert len(list(settings.runs().iterdir())) == 2, "the log has changed"


def test_what_is_neither_a_record_nor_a_log_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("nothing")
    assert isinstance(RUNNER.invoke(app, ["explain", str(text)]).exception, UsageError)
    assert "no record in" in str(RUNNER.invoke(app, ["explain", "nothing"]).exception)


def test_cpu_time_that_spark_before_2_1_does_not_log_is_not_known(tmp_path: Path) -> None:
    text = gzip.decompress(PLAIN.read_bytes()).decode()
    older = re.sub(r'"Executor (Deserialize )?CPU Time":\d+,', "", text)
    # of a task that was lost, no Spark says anything
    lines = older.splitlines(keepends=True)
    (ended, *_) = (line for line in lines if "SparkListenerTaskEnd" in line)
    lost = json.loads(ended)
    lost |= {"Task Metrics": None, "Task End Reason": {"Reason": "ExecutorLostFailure"}}
    lines.insert(lines.index(ended), json.dumps(lost, separators=(",", ":")) + "\n")
    log = tmp_path / "app-1"
    log.write_text("".join(lines))
    stored = import_log(log, settings.runs())
    summary = summarize(stored)
    found = summary.explanation
    assert found is not None
    assert found.coverage.missing["CPU time of tasks"] == "CPU: the engine does not say it"
    assert "CPU" not in {part.name for part in found.parts}
    assert {row.cpu_share for row in summary.stages} == {None}
    assert {row.cpu for row in summary.slowest} == {None}
    assert {row.cpu for row in summary.executors} == {None}
    given = advise(stored.directory.name)
    assert (given.job_class, given.shares) == ("", {})
    assert imported(PLAIN, tmp_path).stages[0].cpu_share
