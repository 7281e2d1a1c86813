"""The engine's event log: complete, truncated, absent, rolled, with losses."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.report_fakes import APP, BEGIN, EVENTS, LOST, event, executor, ms, stage, task, write_log
from weft.analysis.explain import recovery, stages
from weft.facts import ending, executorslots, jobmetrics
from weft.facts.engines.spark import eventlog
from weft.text.entry import Entry


def test_a_whole_log_becomes_tables(tmp_path: Path) -> None:
    write_log(tmp_path)
    metrics = eventlog.read(Entry(tmp_path))
    assert metrics.applications.to_dicts() == [
        {"app": APP, "name": "terasort", "version": "4.3.0", "begin": BEGIN + 2.5, "end": BEGIN + 12.5, "dynamic": None, "most_cores": None, "process_cpu": None, "stream": None, "input_ended": None, "failure": None}
    ]  # fmt: skip
    assert metrics.executors.height == 2
    assert metrics.jobs["failure"].to_list() == [""]
    assert metrics.stages["end"].to_list() == [BEGIN + 9, BEGIN + 12]
    assert metrics.tasks.height == 5
    assert metrics.gaps == []


def test_a_job_that_is_a_micro_batch_makes_a_stream_of_its_application(tmp_path: Path) -> None:
    batch = {"Job ID": 7, "Submission Time": ms(5), "Properties": {"sql.streaming.queryId": "c0ffee"}}
    stream, batches = {"sql.streaming.queryId": "c0ffee"}, {"spark.streaming.internal.batchTime": "1000"}
    for number, properties in enumerate([{}, None, stream, batches]):
        folder = tmp_path / str(number)
        folder.mkdir()
        write_log(folder, [*EVENTS, event("JobStart", **{**batch, "Properties": properties})])
        assert eventlog.read(Entry(folder)).applications["stream"].to_list() == [True if properties else None]


@pytest.mark.parametrize("exception", [None, "org.apache.spark.SparkException: no offset"])
def test_a_streaming_query_makes_a_stream_and_names_how_it_ended(
    exception: str | None, tmp_path: Path
) -> None:
    listener = "org.apache.spark.sql.streaming.StreamingQueryListener$"
    started = {"Event": f"{listener}QueryStartedEvent", "id": "a", "runId": "b", "name": None}
    ended = {"Event": f"{listener}QueryTerminatedEvent", "id": "a", "runId": "b", "exception": exception}
    write_log(tmp_path, [EVENTS[0], started, *EVENTS[1:-1], ended, EVENTS[-1]])
    metrics = eventlog.read(Entry(tmp_path))
    assert metrics.applications["stream"].to_list() == [True]
    assert ending.failure(metrics) == (f"A streaming query did not succeed: {exception}" if exception else "")


def test_a_task_has_every_number_in_its_unit(tmp_path: Path) -> None:
    write_log(tmp_path, [task(7, stage=3, attempt=1, index=2, run_ms=1000)])
    row = eventlog.read(Entry(tmp_path)).tasks.to_dicts()[0]
    assert row["begin"] == BEGIN + 4
    assert row["end"] == BEGIN + 5.03
    expected = {
        "stage": 3, "attempt": 1, "index": 2, "executor": "0", "ok": True, "reason": "Success", "run_ms": 1000,
        "cpu_ns": 500_000_000, "scheduler_ms": 15, "gc_ms": 100, "fetch_wait_ms": 200,
        "remote_bytes": 30, "local_bytes": 70, "remote_blocks": 1, "local_blocks": 2, "shuffle_write_bytes": 100,
        "input_bytes": 1000,
    }  # fmt: skip
    assert {name: row[name] for name in expected} == expected


def test_a_slot_is_free_while_the_driver_fetches_a_large_result(tmp_path: Path) -> None:
    ended = task(7, run_ms=1000)
    ended["Task Info"]["Getting Result Time"] = ms(5.02)
    ended["Task Info"]["Finish Time"] = ms(9)
    write_log(tmp_path, [ended])
    row = eventlog.read(Entry(tmp_path)).tasks.to_dicts()[0]
    assert (row["end"], row["scheduler_ms"]) == (BEGIN + 5.02, 5)


@pytest.mark.parametrize("torn", ['{"Event":"SparkListenerTaskEnd","Stage ID":0,"Ta', '{"Event":"SparkListenerJobEnd","Jo', '{"Ev', '{"Event":"SparkListenerTaskEnd","Task Info":{"a":}}'])  # fmt: skip
def test_a_torn_last_line_is_left_out(tmp_path: Path, torn: str) -> None:
    write_log(tmp_path, name=f"{APP}.inprogress", torn=torn)
    metrics = eventlog.read(Entry(tmp_path))
    assert metrics.tasks.height == 5
    assert metrics.applications["app"].to_list() == [APP]


def test_a_torn_line_is_named(tmp_path: Path) -> None:
    write_log(tmp_path, torn='{"Event":"SparkListenerJobEnd","Jo')
    assert eventlog.read(Entry(tmp_path)).gaps == [
        f"1 line(s) of the event log {APP} are damaged and were skipped, the first is line 18"
    ]


def test_a_log_cut_anywhere_is_read_up_to_there(tmp_path: Path) -> None:
    text = write_log(tmp_path).read_bytes()
    for cut in range(0, len(text), 211):
        (tmp_path / APP).write_bytes(text[:cut])
        metrics = eventlog.read(Entry(tmp_path))
        assert metrics.tasks.height <= 5
        assert stages.table(metrics).height <= 2
        assert isinstance(recovery.sentences(metrics), list)


@pytest.mark.parametrize(
    ("scopes", "name"),
    [
        (["Exchange", "Scan parquet ", "Scan parquet ", None], "Scan parquet, Exchange"),
        ([], "$anonfun$withThreadLocalCaptured$1 at CompletableFuture.java:1768"),
    ],
)
def test_the_stage_of_a_query_has_the_names_of_its_operators(
    tmp_path: Path, scopes: list[str | None], name: str
) -> None:
    """A thread of Spark's own causes it, so that the line of the program is the same for all."""
    submitted = stage("StageSubmitted", 0)
    submitted["Stage Info"]["Stage Name"] = (
        "$anonfun$withThreadLocalCaptured$1 at CompletableFuture.java:1768"
    )
    submitted["Stage Info"]["RDD Info"] = [
        {"RDD ID": 9 - number, **({"Scope": json.dumps({"id": "1", "name": one})} if one else {})}
        for number, one in enumerate(scopes)
    ]
    write_log(tmp_path, [submitted])
    assert eventlog.read(Entry(tmp_path)).stages["name"].to_list() == [name]


def profile(number: int, cores: float) -> dict[str, Any]:
    asked = {"cpus": {"Resource Name": "cpus", "Amount": cores}}
    return event("ResourceProfileAdded", **{"Resource Profile Id": number, "Task Resource Requests": asked})


def settings(**found: str) -> dict[str, Any]:
    named = {f"spark.{name.replace('_', '.')}": value for name, value in found.items()}
    return event("EnvironmentUpdate", **{"Spark Properties": named})


@pytest.mark.parametrize("before", [[profile(0, 2.0)], [settings(task_cpus="2")]])
def test_a_task_of_two_cores_leaves_half_as_many_slots(tmp_path: Path, before: list[dict[str, Any]]) -> None:
    executors = executor(0) + executor(1)
    for added in executors:
        added["Executor Info"]["Total Cores"] = 4
    write_log(tmp_path, [*before, *executors])
    metrics = eventlog.read(Entry(tmp_path))
    assert metrics.executors.select("cores", "slots").rows() == [(4, 2), (4, 2)]
    assert executorslots.configured(metrics, 8) == 4
    assert executorslots.configured(metrics, 4) == 4, "a log whose slots are counted already"
    assert executorslots.configured(metrics, 16) == 8, "two executors that never came had theirs"
    assert not executorslots.dynamic(metrics)


def test_an_application_has_no_slot_on_cores_that_it_did_not_ask_for(tmp_path: Path) -> None:
    write_log(tmp_path, [settings(cores_max="1"), *executor(0)])
    metrics = eventlog.read(Entry(tmp_path))
    assert executorslots.configured(metrics, 2) == 1
    write_log(tmp_path, [settings(cores_max="many"), *executor(0)])
    assert executorslots.configured(eventlog.read(Entry(tmp_path)), 2) == 2


def test_executors_that_come_and_go_are_slots_over_time(tmp_path: Path) -> None:
    events = [settings(dynamicAllocation_enabled="true"), *executor(0, removed=7), *executor(1)]
    write_log(tmp_path, events)
    metrics = eventlog.read(Entry(tmp_path))
    assert executorslots.dynamic(metrics)
    assert executorslots.steps(metrics)[-2:] == [(BEGIN + 3, 2), (BEGIN + 7, 1)]


def test_no_log_is_empty_job_metrics(tmp_path: Path) -> None:
    metrics = eventlog.read(Entry(tmp_path / "nowhere"))
    assert metrics.applications.is_empty()
    assert metrics.tasks.schema == jobmetrics.TASKS
    assert stages.table(metrics).is_empty()
    assert recovery.sentences(metrics) == []


def test_rolled_and_compressed_logs(tmp_path: Path) -> None:
    folder = tmp_path / f"eventlog_v2_{APP}"
    for part in (1, 2, 10):
        write_log(folder, [task(part, index=part)], name=f"events_{part}_{APP}")
    (folder / f"appstatus_{APP}").write_text("")
    (folder / f"events_11_{APP}.zstd").write_bytes(b"\x28\xb5\x2f\xfd")
    metrics = eventlog.read(Entry(tmp_path))
    assert metrics.tasks["task"].to_list() == [1, 2, 10]
    assert metrics.tasks["app"].unique().to_list() == [APP]
    assert metrics.gaps == [f"events_11_{APP}.zstd is compressed and was skipped"]


def test_a_compacted_part_of_a_rolling_log_lacks_tasks(tmp_path: Path) -> None:
    folder = tmp_path / f"eventlog_v2_{APP}"
    write_log(folder, name=f"events_2_{APP}.compact")
    write_log(folder, [task(7, index=7)], name=f"events_3_{APP}")
    metrics = eventlog.read(Entry(tmp_path))
    assert metrics.tasks["app"].unique().to_list() == [APP]
    assert metrics.gaps == [
        f"events_2_{APP}.compact was compacted: Spark left out tasks of jobs that had ended, so that their slots seem empty"
    ]


def test_two_applications_stay_apart(tmp_path: Path) -> None:
    write_log(tmp_path, name="app-1")
    write_log(tmp_path, name="app-2")
    assert stages.table(eventlog.read(Entry(tmp_path))).height == 4


def test_stages_add_up_what_succeeded(tmp_path: Path) -> None:
    write_log(tmp_path)
    first, second = stages.table(eventlog.read(Entry(tmp_path))).to_dicts()
    assert (first["done"], first["failed"], first["tasks"]) == (3, 1, 3)
    assert (first["median"], first["longest"], first["skew"]) == (2.0, 3.0, 1.5)
    assert first["cpu_share"] == pytest.approx(0.5)
    assert first["gc_share"] == pytest.approx(0.1)
    assert first["fetch_share"] == pytest.approx(0.2)
    assert first["shuffle_read"] == 300
    assert first["input"] == 3000
    assert second["disk_spill"] == 5_000_000


def test_the_slowest_tasks_know_how_far_they_are_from_the_median(tmp_path: Path) -> None:
    write_log(tmp_path)
    slow = stages.slowest(eventlog.read(Entry(tmp_path)), 2).to_dicts()
    assert [(row["index"], row["run_ms"], row["times_median"]) for row in slow] == [
        (2, 3000, 1.5),
        (0, 2500, 1.0),
    ]


def test_a_lost_executor_is_a_sentence(tmp_path: Path) -> None:
    write_log(tmp_path)
    assert recovery.sentences(eventlog.read(Entry(tmp_path))) == [
        "executor 1 on 10.0.0.2 was lost (worker lost): 1 task had to be repeated"
    ]


def test_an_executor_that_goes_with_its_application_was_not_lost(tmp_path: Path) -> None:
    write_log(
        tmp_path, [*executor(1, removed=13, why="stopped"), event("ApplicationEnd", Timestamp=ms(12.5))]
    )
    assert recovery.sentences(eventlog.read(Entry(tmp_path))) == []


@pytest.mark.parametrize(
    ("reason", "repeated", "lost"),
    [
        ("Executor killed by driver.", False, 0),
        ("Executor decommission: spot instance", False, 0),
        ("Executor decommission: spot instance", True, 1),
        ("Remote RPC client disassociated", False, 1),
    ],
)
def test_an_executor_that_was_given_back_was_not_lost(
    tmp_path: Path, reason: str, repeated: bool, lost: int
) -> None:
    """As dynamic allocation does with those that are idle; what they had of a shuffle may be missed later."""
    again = task(1, executor="1", reason={"Reason": "Resubmitted"})
    write_log(
        tmp_path, [*executor(1, removed=6, why=reason), task(0, executor="1"), *([again] if repeated else [])]
    )
    metrics = eventlog.read(Entry(tmp_path))
    assert len(recovery.sentences(metrics)) == recovery.lost_executors(metrics).height == lost


def test_stages_of_two_applications_are_not_one(tmp_path: Path) -> None:
    fetch = {"Reason": "FetchFailed", "Message": "Connection refused", "Shuffle ID": 0}
    for app in ("app-1", "app-2"):
        started = event("ApplicationStart", Timestamp=ms(2.5), User="me", **{"App Name": app, "App ID": app})
        write_log(tmp_path, [started, task(0, stage=1, reason=fetch)], name=app)
    found = recovery.sentences(eventlog.read(Entry(tmp_path)))
    assert found == ["1 task of stage 1 could not fetch shuffle blocks: Connection refused"] * 2


def test_a_task_whose_output_was_lost_with_its_executor_held_its_slot_once_and_for_nothing(
    tmp_path: Path,
) -> None:
    """Spark logs it a second time, with the times of the first."""
    again = {**task(1, executor="1", index=1), "Task End Reason": {"Reason": "Resubmitted"}}
    del again["Task Metrics"]
    write_log(tmp_path, [
        *executor(0), *executor(1, removed=8, why="worker lost"), task(0), task(1, executor="1", index=1), again,
        task(2, index=1, begin=8.5),
    ])  # fmt: skip
    metrics = eventlog.read(Entry(tmp_path))
    assert metrics.tasks.sort("task").select("task", "ok", "reason", "run_ms").rows() == [
        (0, True, "Success", 1000),
        (1, False, "Resubmitted", 1000),
        (2, True, "Success", 1000),
    ]
    (row,) = stages.table(metrics).to_dicts()
    assert (row["done"], row["failed"]) == (2, 1)
    assert recovery.sentences(metrics) == [
        "executor 1 on 10.0.0.2 was lost (worker lost): 1 task had to be repeated"
    ]


def test_everything_that_was_done_again_is_reported(tmp_path: Path) -> None:
    fetch = {"Reason": "FetchFailed", "Message": "Connection refused\n at x", "Shuffle ID": 0}
    boom = {
        "Reason": "ExceptionFailure",
        "Class Name": "java.lang.OutOfMemoryError",
        "Description": "Java heap space",
    }
    write_log(tmp_path, [
        *executor(1, removed=6, why="Command exited with code 137"),
        task(0, executor="1", reason=LOST), task(1, executor="1", index=1, reason={"Reason": "Resubmitted"}),
        task(2, stage=1, reason=fetch), task(3, stage=1, index=1, reason=fetch),
        task(4, stage=2, reason=boom), task(5, stage=2, reason={"Reason": "TaskKilled", "Kill Reason": "another won"}),
        task(6, stage=2, speculative=True),
        stage("StageCompleted", 0, attempt=1, tasks=2, end=8),
        event("JobEnd", **{"Job ID": 0, "Completion Time": ms(9), "Job Result": {"Result": "JobFailed", "Exception": {"Message": "aborted\nstack"}}}),
    ])  # fmt: skip
    assert recovery.sentences(eventlog.read(Entry(tmp_path))) == [
        "executor 1 on 10.0.0.2 was lost (command exited with code 137): 2 tasks had to be repeated",
        "2 tasks of stage 1 could not fetch shuffle blocks: Connection refused",
        "stage 0 (step 0) was repeated, attempt 2: 2 tasks repeated",
        "1 task of stage 2 failed: java.lang.OutOfMemoryError: Java heap space",
        "1 task ran speculatively; 1 of them finished first",
        "job 0 failed: aborted",
    ]


def test_a_copy_that_came_too_late_did_not_fail_and_a_failure_without_words_has_its_name(
    tmp_path: Path,
) -> None:
    denied = {"Reason": "TaskCommitDenied", "Job ID": 1, "Partition ID": 0, "Attempt Number": 1}
    write_log(tmp_path, [task(0), task(1, reason=denied), task(2, reason={"Reason": "TaskResultLost"})])
    assert recovery.sentences(eventlog.read(Entry(tmp_path))) == ["1 task of stage 0 failed: TaskResultLost"]


def test_many_tasks_are_parsed_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eventlog, "_BATCH", 3)
    write_log(tmp_path, [task(number, index=number) for number in range(10)])
    assert eventlog.read(Entry(tmp_path)).tasks["task"].to_list() == list(range(10))


def test_unknown_events_and_foreign_lines_are_passed_over(tmp_path: Path) -> None:
    path = write_log(tmp_path)
    path.write_text(
        'not json\n{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"}\n[]\n'
        + path.read_text()
    )
    metrics = eventlog.read(Entry(tmp_path))
    assert metrics.tasks.height == len([line for line in EVENTS if line["Event"].endswith("TaskEnd")])
    assert json.loads(metrics.stages.write_json())


def test_a_task_takes_no_more_memory_than_its_figures(tmp_path: Path) -> None:
    """A log of 20 GB has more than four million of them."""
    many = [task(number, index=number) for number in range(2000)]
    write_log(tmp_path, many)
    tasks = eventlog.read(Entry(tmp_path)).tasks
    assert tasks.estimated_size() / tasks.height < 202


def test_stages_are_summed_in_blocks_as_they_are_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_log(tmp_path, [task(number, stage=number % 7, index=number) for number in range(100)])
    metrics = eventlog.read(Entry(tmp_path))
    whole = stages.table(metrics)
    monkeypatch.setattr(stages, "_BLOCK", 20)
    assert stages.table(metrics).equals(whole)
    assert whole["done"].to_list() == [15, 15, 14, 14, 14, 14, 14]


@pytest.mark.parametrize("changed", [{"Stage ID": 2**31}, {"Stage Attempt ID": 2**40}])
def test_a_stage_that_no_spark_numbers_so_is_damage(tmp_path: Path, changed: dict[str, int]) -> None:
    write_log(tmp_path, [task(1), {**task(2), **changed}])
    metrics = eventlog.read(Entry(tmp_path))
    assert metrics.tasks["task"].to_list() == [1]
    assert len(metrics.gaps) == 1


@pytest.mark.parametrize("ended", [False, True])
def test_a_copy_that_was_killed_as_its_job_ended_held_a_slot_until_then(
    tmp_path: Path, *, ended: bool
) -> None:
    """A short application ends before Spark logs the end of the copy."""
    copy = task(
        7, index=1, executor="1", begin=5, run_ms=3970, speculative=True, reason={"Reason": "TaskKilled"}
    )
    begun = {**copy, "Event": "SparkListenerTaskStart", "Task Info": {**copy["Task Info"], "Finish Time": 0}}
    del begun["Task Metrics"], begun["Task End Reason"]
    usual = {**begun, "Task Info": {**begun["Task Info"], "Speculative": False, "Task ID": 8}}
    stages = [stage("StageSubmitted", 0, tasks=2), stage("StageCompleted", 0, tasks=2, end=9)]
    lines = [stages[0], usual, task(0), begun, *([copy] if ended else ()), task(1, index=1), stages[1]]
    path = write_log(tmp_path, lines)
    path.write_text(path.read_text().replace(": ", ":"))  # as Spark writes it
    metrics = eventlog.read(Entry(tmp_path))
    assert metrics.gaps == []
    (row,) = metrics.tasks.filter("speculative").to_dicts()
    assert (row["task"], row["ok"], row["reason"], row["executor"]) == (7, False, "TaskKilled", "1")
    assert (row["begin"] - BEGIN, row["end"] - BEGIN) == (5, 9)
    assert recovery.sentences(metrics) == ["1 task ran speculatively; 0 of them finished first"]
