"""Logs of work that was not done: a record of one is INVALID, with the reason that the log has, and nothing is concluded from its time."""

import gzip
import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.unit.test_damaged_logs import whole_history
from tests.unit.test_imports import FLINK, LOGS, PLAIN
from tests.unit.test_model_tezhistory import history, written
from weft.analysis.compare.compare import compare
from weft.analysis.compare.headline import headlines
from weft.analysis.explain import sentences
from weft.analysis.explain.tasktime import INPUT
from weft.api import advice, predictions
from weft.api.results import summary_of
from weft.cli import app
from weft.errors import UsageError
from weft.facts import ending
from weft.facts.engines.flink import jobs as flinkjobs
from weft.facts.engines.hive import tezhistory
from weft.host import settings
from weft.report.pages import page
from weft.run.imports.importing import import_log
from weft.text.entry import Entry

RUNNER = CliRunner()
ABORTED = "Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times"


def spark(result: str = "", *, end: str = "", cut: int = 0) -> str:
    """The log of a Spark whose job ended otherwise."""
    lines = gzip.decompress(PLAIN.read_bytes()).decode().splitlines()
    if result:
        job = json.loads(lines[-2])
        job["Job Result"] = {"Result": "JobFailed", "Exception": {"Message": result, "Stack Trace": []}}
        lines[-2] = json.dumps(job, separators=(",", ":"))
    lines[-1] = lines[-1].replace("}", f"{end}}}")
    return "".join(f"{line}\n" for line in lines[: len(lines) - cut])


def flink(state: str, kind: str = "BATCH", cause: str = "") -> str:
    """The archive of a Flink whose job ended otherwise."""
    archive = json.loads(gzip.decompress(FLINK.read_bytes()))
    for entry in archive["archive"]:
        found = json.loads(entry["json"])
        if entry["path"].count("/") == 2 and "vertices" in found:
            entry["json"] = json.dumps({**found, "state": state, "job-type": kind})
        if cause and entry["path"].endswith("/exceptions"):
            one = {
                "exceptionName": "org.apache.flink.runtime.JobException",
                "stacktrace": f"org.apache.flink.runtime.JobException: gone\nCaused by: {cause}",
                "timestamp": 1795368408000,
                "taskName": None,
            }
            entry["json"] = json.dumps({"exceptionHistory": {"entries": [one], "truncated": False}})
    return json.dumps(archive)


def mapreduce(kind: str = "", **event: Any) -> str:
    """The history of a job that ended otherwise, or that has no end."""
    lines = whole_history().decode().splitlines()
    last = [line for line in lines if '"JOB_FINISHED"' not in line]
    (done,) = next(json.loads(line) for line in lines if line not in last)["event"].values()
    own = {"jobid": "job_1_0001", "finishTime": done["finishTime"], "finishedMaps": 1, **event}
    name = "org.apache.hadoop.mapreduce.jobhistory.JobUnsuccessfulCompletion"
    ended = [json.dumps({"type": kind, "event": {name: own}}, separators=(",", ":"))] if kind else []
    return "Avro-Json\n" + "".join(f"{line}\n" for line in [*last, *ended])


NO_END = "has no end of the application: it was killed, or it still ran when the log was copied"
BAD: dict[str, tuple[str, Callable[[], str], str]] = {
    "spark-failed": ("app-1", lambda: spark(f"{ABORTED}\nDriver stacktrace:"), f"Its job did not succeed: {ABORTED}"),
    "spark-shut-down": (
        "app-1",
        lambda: spark("Job 0 cancelled because SparkContext was shut down"),
        "Job 0 cancelled because SparkContext was shut down",
    ),
    "spark-1.2": (
        "app-1",
        lambda: re.sub(r',"(Submission|Completion) Time":\d+(?=,"(Stage Infos|Job Result)")', "", spark(ABORTED)),
        f"Its job did not succeed: {ABORTED}",
    ),
    "spark-exit-code": ("app-1", lambda: spark(end=',"ExitCode":143'), "The application ended with exit code 143"),
    "spark-cut-off": ("app-1.inprogress", lambda: spark(cut=1), NO_END),
    "flink-failed": (
        "archive",
        lambda: flink("FAILED", cause="java.io.IOException: no space left on device"),
        "Its job did not succeed: java.io.IOException: no space left on device",
    ),
    "flink-canceled": (
        "archive",
        lambda: flink("CANCELED", cause="java.io.IOException: of an earlier attempt"),
        "Its job did not succeed: CANCELED",
    ),
    "flink-stream-failed": ("archive", lambda: flink("FAILED", "STREAMING"), "Its job did not succeed: FAILED"),
    "mapreduce-failed": (
        "job_1_0001-X.jhist",
        lambda: mapreduce("JOB_FAILED", jobStatus="FAILED", diagnostics={"string": "Task failed task_1_0001_m_000000\nmore"}),
        "Its job did not succeed: FAILED: Task failed task_1_0001_m_000000",
    ),
    "mapreduce-killed": (
        "job_1_0001-X.jhist",
        lambda: mapreduce("JOB_KILLED", jobStatus="KILLED"),
        "Its job did not succeed: KILLED",
    ),
    "mapreduce-error": (
        "job_1_0001-X.jhist",
        lambda: mapreduce("JOB_ERROR", jobStatus="ERROR"),
        "Its job did not succeed: ERROR",
    ),
    "mapreduce-cut-off": ("job_1_0001-X.jhist", mapreduce, NO_END),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_nothing_is_concluded_from_the_time_of_work_that_was_not_done(case: str, tmp_path: Path) -> None:
    name, text, reason = BAD[case]
    log = tmp_path / name
    log.write_text(text())
    stored = import_log(log, settings.runs())
    summary = summary_of(stored)
    assert (summary.verdict, summary.result) == ("INVALID", None)
    assert reason in summary.reason
    found = summary.explanation
    assert found is not None
    assert found.sentence.endswith("The run failed: where its time went is not why.") or not found.verdict
    assert "times faster" not in found.sentence
    assert {part.bound for part in found.parts} == {None}
    assert (found.findings, found.trying) == ((), None)
    text_of_page = html.unescape(page.text(summary))
    assert reason in text_of_page
    assert "nobody checked its result" not in text_of_page
    for refused in (advice.advise, predictions.predict):
        with pytest.raises(
            UsageError, match="is INVALID, and its time says nothing of a run that succeeds"
        ) as error:
            refused(stored.directory.name)
        assert reason in error.value.message


def test_the_time_of_work_that_was_not_done_is_not_compared(tmp_path: Path) -> None:
    """A job that fails after a second is not a faster one."""
    records = []
    for name, text in (("app-1", spark()), ("app-2", spark(ABORTED))):
        (tmp_path / name).write_text(text)
        records.append(import_log(tmp_path / name, tmp_path / "runs"))
    done, failed = headlines(records)
    assert done.seconds
    assert failed.seconds is None
    found = compare([done, failed], "two", each=True)
    assert [left.id for left in found.left_out] == [failed.id]
    assert ABORTED in found.left_out[0].reason
    assert f"Imported from a log: [{done.id}]." in found.sentences[-1]


STREAMS = {
    "wordcount": (True, sentences.AT_ONCE, "ran all its operators at the same time"),
    "stopped": (False, sentences.STREAM, "is a stream, which lasts until somebody stops it"),
}
"""Archives of two of Flink's own examples: one ended with its input, the other one by `flink stop`. Flink calls both FINISHED."""


@pytest.mark.parametrize("case", STREAMS)
def test_a_stream_whose_input_ended_is_not_one_that_somebody_stopped(case: str, tmp_path: Path) -> None:
    ended, why, refused = STREAMS[case]
    log = tmp_path / "archive"
    log.write_bytes(gzip.decompress((LOGS / f"flink-2.3-{case}.gz").read_bytes()))
    stored = import_log(log, settings.runs())
    metrics = flinkjobs.read(stored.folder / "engine")
    assert (metrics.streams, metrics.input_ended) == (True, ended)
    summary = summary_of(stored)
    assert summary.explanation is not None
    assert summary.explanation.no_gain == why
    assert summary.limiting
    assert INPUT in {part.name for part in summary.explanation.parts}
    # the time of what ended by itself is comparable
    assert (headlines([stored])[0].seconds is not None) == ended
    with pytest.raises(UsageError, match=refused):
        predictions.predict(stored.directory.name)


def test_what_ended_a_stream_is_unknown_without_the_page_of_its_checkpoints(tmp_path: Path) -> None:
    log = tmp_path / "archive"
    log.write_text(flink("FINISHED", "STREAMING"))
    stored = import_log(log, settings.runs())
    summary = summary_of(stored)
    assert summary.explanation is not None
    assert summary.explanation.no_gain == sentences.MAYBE_STOPPED
    assert headlines([stored])[0].seconds is None
    with pytest.raises(UsageError, match="whether somebody stopped it is not known"):
        advice.advise(stored.directory.name)


def test_the_time_of_a_stream_is_not_compared(tmp_path: Path) -> None:
    """It lasts until somebody stops it."""
    stored = []
    for name, kind in (("batch", "edges-batch"), ("stream", "edges-stream")):
        (tmp_path / name).write_text(flink_1(*PLANS[kind][:2]))
        stored.append(import_log(tmp_path / name, settings.runs()))
    found = compare(headlines(stored), "two logs")
    (left,) = found.left_out
    assert (left.id, left.verdict) == (stored[1].directory.name, "UNCHECKED")
    assert left.reason == "a stream lasts until somebody stops it, however fast it is"


def test_explain_and_import_name_why_a_log_is_invalid(tmp_path: Path) -> None:
    log = tmp_path / "app-1"
    log.write_text(spark(ABORTED))
    explained = RUNNER.invoke(app, ["explain", str(log)])
    assert f"Its job did not succeed: {ABORTED}" in explained.stderr
    assert "nobody checked the result" not in explained.stderr
    made = RUNNER.invoke(app, ["import", str(log)])
    assert made.stdout.startswith("INVALID  ")
    assert f"Its job did not succeed: {ABORTED}" in made.stdout


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("app-1", spark("Job 0 cancelled part of cancelled job group 6b1d5f1c-0f3a-4a53-8a5c-1a2b3c4d5e6f")),
        (
            "app-1",
            spark("[SPARK_JOB_CANCELLED] Job 0 cancelled part of cancelled job tags broadcast exchange"),
        ),
        ("app-1", spark(end=',"ExitCode":0')),
        ("archive", flink("CANCELED", "STREAMING")),
    ],
    ids=["group", "tags", "exit-code-0", "stream"],
)
def test_what_ended_as_such_work_ends_is_not_invalid(name: str, text: str, tmp_path: Path) -> None:
    log = tmp_path / name
    log.write_text(text)
    assert import_log(log, settings.runs()).verdict == "UNCHECKED"


def test_tasks_of_flink_that_never_began_had_neither_a_node_nor_slots(tmp_path: Path) -> None:
    """As those of the vertices after one that failed."""
    archive = json.loads(flink("FAILED"))
    nowhere = dict.fromkeys(("endpoint", "taskmanager-id"), "(unassigned)")
    never = {"status": "CANCELED", "start-time": -1, **nowhere}
    for entry in archive["archive"]:
        page = json.loads(entry["json"])
        if entry["path"].count("/") == 4 and isinstance(page, dict) and len(page.get("subtasks", ())) == 4:
            entry["json"] = json.dumps({**page, "subtasks": [each | never for each in page["subtasks"]]})
    log = tmp_path / "archive"
    log.write_text(json.dumps(archive))
    summary = summary_of(import_log(log, settings.runs()))
    assert summary.explanation is not None
    assert (summary.explanation.slots, summary.explanation.coverage.tasks) == (2, 2)
    assert "(unassigned)" not in {node.name for node in summary.nodes}


def test_of_several_jobs_the_first_that_failed_is_named(tmp_path: Path) -> None:
    lines = spark(ABORTED).splitlines()
    again = [line.replace('"Job ID":0', '"Job ID":1') for line in lines if '"Job ID":0' in line]
    log = tmp_path / "app-1"
    log.write_text(
        "\n".join([*lines[:-1], again[0], lines[-2].replace('"Job ID":0', '"Job ID":1'), lines[-1]])
    )
    reason = import_log(log, settings.runs()).head.reason
    assert reason == f"2 of its 2 jobs did not succeed; job 0: {ABORTED}"


def test_a_graph_of_tez_that_failed_is_the_reason(tmp_path: Path) -> None:
    events = history()
    assert ending.failure(tezhistory.read(Entry(written(tmp_path, events)))) == ""
    for event in events:
        if event.get("events", [{}])[0].get("eventtype") == "DAG_FINISHED":
            event["otherinfo"] |= {"status": "KILLED", "diagnostics": "DAG killed due to user-initiated kill"}
    killed = tezhistory.read(Entry(written(tmp_path, events)))
    assert ending.failure(killed) == "Its job did not succeed: DAG killed due to user-initiated kill"


EDGE = {"num": 0, "id": "b", "ship_strategy": "HASH", "exchange": "pipelined_bounded"}
PLANS: dict[str, tuple[dict[str, Any], int, bool | None]] = {
    "type-stream": ({"type": "STREAMING", "nodes": [{"id": "a"}]}, 0, True),
    "type-batch": ({"type": "BATCH", "nodes": [{"id": "a", "inputs": [EDGE]}]}, 0, False),
    "edges-stream": ({"nodes": [{"id": "a", "inputs": [EDGE]}, {"id": "b"}]}, 0, True),
    "edges-batch": ({"nodes": [{"id": "a", "inputs": [EDGE, {**EDGE, "exchange": "blocking"}]}]}, 0, False),
    "edges-dataset": ({"nodes": [{"id": "a", "inputs": [{**EDGE, "exchange": "pipelined"}]}]}, 0, False),
    "checkpoints": ({"nodes": [{"id": "a"}]}, 10_000, True),
    "no-checkpoints": ({"nodes": [{"id": "a"}]}, 2**63 - 1, None),
    "damaged": ({"type": [], "nodes": 3}, 0, None),
}


def flink_1(plan: dict[str, Any], interval: int, state: str = "FINISHED") -> str:
    """An archive of Flink 1, whose page of the job has no type."""
    archive = json.loads(flink(state))
    for entry in archive["archive"]:
        found = json.loads(entry["json"])
        if entry["path"].count("/") == 2 and "vertices" in found:
            found.pop("job-type")
            entry["json"] = json.dumps({**found, "plan": plan})
        if entry["path"].endswith("/checkpoints/config"):
            entry["json"] = json.dumps({"mode": "exactly_once", "interval": interval})
        entry["json"] = entry["json"].replace('"FINISHED"', f'"{state}"')
    return json.dumps(archive)


@pytest.mark.parametrize("case", PLANS)
def test_a_stream_of_flink_1_is_known_as_one(case: str, tmp_path: Path) -> None:
    plan, interval, stream = PLANS[case]
    log = tmp_path / "archive"
    log.write_text(flink_1(plan, interval))
    stored = import_log(log, settings.runs())
    summary = summary_of(stored)
    assert flinkjobs.read(stored.folder / "engine").applications["stream"].to_list() == [stream]
    assert bool(summary.operators) == bool(stream)
    assert summary.verdict == "UNCHECKED"


def test_a_stream_that_somebody_stopped_has_neither_failed_work_nor_a_speed_up(tmp_path: Path) -> None:
    log = tmp_path / "archive"
    log.write_text(flink_1(*PLANS["edges-stream"][:2], state="CANCELED"))
    stored = import_log(log, settings.runs())
    summary = summary_of(stored)
    found = summary.explanation
    assert (summary.verdict, summary.recoveries) == ("UNCHECKED", ())
    assert found is not None
    assert "failed work" not in {part.name for part in found.parts}
    assert {part.bound for part in found.parts} == {None}
    assert (found.findings, found.trying, found.no_gain) == ((), None, sentences.STREAM)
    assert summary.limiting
    for refused in (advice.advise, predictions.predict):
        with pytest.raises(UsageError, match="is a stream, which lasts until somebody stops it"):
            refused(stored.directory.name)
    done = RUNNER.invoke(app, ["explain", str(log)])
    assert done.exit_code == 0, done.exception
    assert "speed-up" not in done.stdout
