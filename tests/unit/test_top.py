"""A run at this moment: counts from logs that grow, waits from the last samples, and the page in a terminal."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from tests.unit.report_fakes import make_record
from weft.analysis.read.moment import CPU, IDLE, QUEUE, RunWatch, line
from weft.cli import app
from weft.errors import UsageError
from weft.facts.engines.flink.live import FlinkActivity
from weft.facts.engines.hadoop.live import HadoopActivity
from weft.facts.engines.spark.live import SparkActivity
from weft.host import settings
from weft.record import record as records
from weft.record import samples
from weft.record.record import Stored, process_start, write_json
from weft.record.samples import Measure, Sample
from weft.report.pages.top import LivePage, data
from weft.run.activity import activity
from weft.text.entry import Entry

RUNNER = CliRunner()
METRICS = {
    "Input Metrics": {"Bytes Read": 1000},
    "Shuffle Read Metrics": {"Remote Bytes Read": 10, "Local Bytes Read": 5},
}


def stage(number: int, tasks: int, name: str = "sort at Sort.java:1") -> dict[str, Any]:
    return {"Stage ID": number, "Stage Attempt ID": 0, "Stage Name": name, "Number of Tasks": tasks}


def event(name: str, **what: Any) -> str:
    keys = {key.replace("_", " "): value for key, value in what.items()}
    return json.dumps({"Event": f"SparkListener{name}", **keys}, separators=(",", ":")) + "\n"


def ended(number: int, reason: str = "Success") -> str:
    return event("TaskEnd", Stage_ID=number, Task_End_Reason={"Reason": reason}, Task_Metrics=METRICS)


BEGIN = event("JobStart", Job_ID=0, Stage_Infos=[stage(0, 4, "map"), stage(1, 2), stage(2, 9, "cached")])


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "engine").mkdir()
    return tmp_path / "engine" / "app-1.inprogress"


def add(log: Path, text: str) -> None:
    with log.open("a") as file:
        file.write(text)


def test_tasks_are_counted_as_the_log_grows(log: Path, tmp_path: Path) -> None:
    reader = SparkActivity()
    add(log, BEGIN + event("StageSubmitted", Stage_Info=stage(0, 4, "map")) + ended(0)[:40])
    found = reader.update(Entry(tmp_path))
    assert (found.jobs, found.tasks.done, found.tasks.total) == (1, 0, 15)
    add(log, ended(0)[40:] + ended(0, "ExceptionFailure"))
    found = reader.update(Entry(tmp_path))
    assert (found.tasks.done, found.tasks.failed, found.bytes_read) == (1, 1, 2030)
    add(log, ended(0) * 3 + event("StageCompleted", Stage_Info=stage(0, 4, "map")))
    first, second, third = reader.update(Entry(tmp_path)).stages.values()
    assert (first.name, first.done, first.ended, second.total) == ("map", 4, True, 2)
    log.rename(log.with_name("app-1"))
    add(log.with_name("app-1"), event("JobEnd", Job_ID=0))
    found = reader.update(Entry(tmp_path))
    assert (found.jobs_done, found.tasks.total, third.ended) == (1, 4, True), (
        "stages that were skipped have no tasks"
    )


def test_damaged_and_foreign_lines_are_no_events(log: Path, tmp_path: Path) -> None:
    add(
        log,
        "\x00\xff\n{}\n"
        + event("TaskEnd")
        + '{"Event":"SparkListenerJobStart"\n'
        + event("JobStart", Stage_Infos=5),
    )
    add(log, event("StageSubmitted", Stage_Info={"Stage ID": "x"}) + event("SomethingNew", a=1) + BEGIN)
    (log.parent / "link").symlink_to("/etc/passwd")
    assert SparkActivity().update(Entry(tmp_path)).jobs >= 1


def test_of_a_log_that_is_long_already_only_the_end_is_read(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.facts.activity._MOST", 900)
    add(log, BEGIN + ended(1) * 20)
    found = SparkActivity().update(Entry(tmp_path))
    assert 0 < found.tasks.done < 20
    assert next(iter(found.stages.values())).name == "stage 1"


FLINK = """\
12:44:16,248 INFO  ExecutionGraph - Job terasort-stock (152489732fc8399b1b949b61b16de325) switched from state CREATED to RUNNING.
12:44:16,250 INFO  ExecutionGraph - Source: splits -> read (1/2) (85556ab8e4d92d6ca36cc86ec22e99c8_cbc357ccb763df2852fee8c4fc7d55f2_0_0) switched from CREATED to SCHEDULED.
12:44:16,253 INFO  ExecutionGraph - Source: splits -> read (2/2) (85556ab8e4d92d6ca36cc86ec22e99c8_cbc357ccb763df2852fee8c4fc7d55f2_1_0) switched from CREATED to SCHEDULED.
12:44:20,559 INFO  ExecutionGraph - Source: splits -> read (1/2) (85556ab8e4d92d6ca36cc86ec22e99c8_cbc357ccb763df2852fee8c4fc7d55f2_0_0) switched from RUNNING to FINISHED.
12:44:20,659 INFO  ExecutionGraph - Source: splits -> read (2/2) (85556ab8e4d92d6ca36cc86ec22e99c8_cbc357ccb763df2852fee8c4fc7d55f2_1_0) switched from RUNNING to FAILED on tm-1.
"""
"""Of Flink 2.3."""
HADOOP = """\
2026-11-24 12:45:30,802 INFO Job: Running job: job_1795524320204_0001
2026-11-24 12:45:38,792 INFO Job: Job job_1795524320204_0001 running in uber mode : false
2026-11-24 12:46:00,842 INFO Job:  map 17% reduce 0%
2026-11-24 12:46:58,423 INFO Job:  map 100% reduce 20%
"""
"""Of Hadoop 3.5."""


def logged(tmp_path: Path, name: str, text: str) -> Entry:
    folder = tmp_path / "logs" / "node1"
    folder.mkdir(parents=True, exist_ok=True)
    add(folder / name, text)
    return Entry(tmp_path)


def test_flinks_tasks_are_counted_by_vertex(tmp_path: Path) -> None:
    reader = FlinkActivity()
    found = reader.update(logged(tmp_path, "jobmanager.log", FLINK))
    (vertex,) = found.stages.values()
    assert (vertex.name, vertex.total, vertex.done, vertex.failed) == ("Source: splits -> read", 2, 1, 1)
    assert (found.jobs, found.jobs_done, vertex.ended) == (1, 0, False)
    ended_job = FLINK.splitlines(keepends=True)[0].replace("CREATED to RUNNING", "RUNNING to FAILED")
    found = reader.update(logged(tmp_path, "jobmanager.log", ended_job))
    assert (found.jobs_done, vertex.ended) == (1, True)


def test_mapreduce_says_shares_of_its_work_and_no_tasks(tmp_path: Path) -> None:
    reader = HadoopActivity()
    found = reader.update(logged(tmp_path, "client.log", HADOOP))
    assert [(one.name, one.done, one.ended) for one in found.stages.values()] == [
        ("map", 100, True),
        ("reduce", 20, False),
    ]
    assert (found.tasks.total, found.jobs, found.jobs_done) == (0, 1, 0)
    done = "2026-11-24 12:47:33,401 INFO Job: Job job_1795524320204_0001 completed successfully\n"
    assert reader.update(logged(tmp_path, "client.log", done)).jobs_done == 1


def sampled(
    directory: Path, busy: Mapping[str, float], *, node: str = "node1", file: str = "samples.csv"
) -> None:
    """Five seconds in which the tasks' threads spent so many seconds in each state."""
    rows = []
    for second in range(6):
        share = second / 5
        for name, total in busy.items():
            counter, _, rest = name.partition(" ")
            operation, _, peer = rest.partition(" ")
            measure = Measure(f"threads.{counter}", "task", peer, operation)
            rows.append(measure.at(1000.0 + second, node, "", total * share))
        rows += [
            Sample(1000.0 + second, node, "", "cpu_user", second * 1.5),
            Sample(1000.0 + second, node, "", "memory", 1e9),
            Sample(1000.0 + second, node, "", "net_receive", second * 1e6),
            Sample(1000.0 + second, node, "Worker/1", "memory", 5e9),
        ]
    with (directory / file).open("a") as out:
        out.write(samples.lines(rows))


def running(name: str = "20260131-run", slots: int = 4, **head: object) -> Stored:
    """The record of a run that goes on, in this process."""
    directory = settings.runs() / name
    make_record(directory, head={"schema": records.SCHEMA, "verdict": "RUNNING", "phase": "run", "engine": "spark", "host": os.uname().nodename,
                                 "pid": os.getpid(), "pid_start": process_start(os.getpid()), **head})  # fmt: skip
    (directory / "samples.parquet").unlink()
    for file in (directory / "engine").iterdir():
        file.unlink()
    spec = {"workload": {"kind": "persistent", "name": "mine"}}
    write_json(directory / "resolved.json", {"spec": spec, "derived": {"spark": {"slots": slots}}})
    return records.read(directory)


def printed(moment: Any) -> str:
    console = Console(width=120, file=StringIO())
    console.print(LivePage(moment))
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def observed(stored: Stored) -> Any:
    return RunWatch(stored.folder, slots=4).observe(stored)


def test_what_tasks_wait_for_is_a_share_of_the_slots() -> None:
    stored = running()
    busy = {
        "cpu": 5.0,
        "wait": 2.0,
        "in open": 4.0,
        "in stat": 1.0,
        "in network": 3.0,
        "in running": 7.0,
        "in lock": 9.0,
    }
    sampled(stored.directory, busy)
    add(stored.directory / "engine" / "app-1", event("JobStart", Job_ID=0, Stage_Infos=[stage(0, 3)]))
    moment = observed(stored)
    assert moment.waits[CPU] == pytest.approx(5 / 20)
    assert moment.waits[QUEUE] == pytest.approx(2 / 20)
    assert moment.waits["metadata"] == pytest.approx(5 / 20)
    assert moment.waits["waiting in sockets"] == pytest.approx(3 / 20)
    # 24 s in all, of which the 3 tasks that are left had 15: threads without a task wait at a lock
    assert "waiting for other threads" not in moment.waits
    assert sum(moment.waits.values()) == pytest.approx(1)
    assert moment.waits[IDLE] == pytest.approx(5 / 20)
    assert moment.seconds == 5


def test_who_is_at_the_other_end_of_a_socket_is_named_where_it_is_known() -> None:
    stored = running()
    sampled(
        stored.directory,
        {
            "in network HDFS": 4.0,
            "in network Python worker": 6.0,
            "in network executors": 2.0,
            "in network": 1.0,
        },
    )
    waits = observed(stored).waits
    assert waits["waiting for HDFS"] == pytest.approx(0.2)
    assert waits["Python: worker"] == pytest.approx(0.3)
    assert waits["waiting for other executors"] == pytest.approx(0.1)
    assert waits["waiting in sockets"] == pytest.approx(0.05)


def test_nodes_have_rates_of_their_own_counters_also_on_other_hosts() -> None:
    stored = running()
    sampled(stored.directory, {"cpu": 1.0})
    sampled(stored.directory, {"cpu": 2.0}, node="node2", file="samples.node2.threads.csv")
    first, second = observed(stored).nodes
    assert (first.name, second.name) == ("node1", "node2")
    assert (first.cpu, first.memory, first.receive) == (pytest.approx(1.5), 1e9, pytest.approx(1e6))


def test_only_the_ends_of_samples_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = running()
    sampled(stored.directory, {"cpu": 5.0})
    with (stored.directory / "samples.csv").open("r+b") as file:
        head = file.read()
        file.seek(0)
        file.write(b"x" * 40 + b"\n" + b"not,a,sample\n" * 5000 + head)
    assert observed(stored).waits[CPU] == pytest.approx(0.25)
    monkeypatch.setattr("weft.analysis.read.moment._TAIL", 10)
    assert observed(stored).waits == {}


def test_without_samples_or_log_nothing_is_claimed() -> None:
    stored = running(engine="timely")
    moment = observed(stored)
    assert (moment.waits, moment.tasks_per_second, moment.nodes, line(moment)) == ({}, None, [], "")
    assert "no stages: the engine has logged none yet" in printed(moment)


def test_the_line_of_progress_says_how_far_it_is_and_what_most_slots_do() -> None:
    stored = running()
    sampled(stored.directory, {"cpu": 5.0, "in open": 12.0})
    add(stored.directory / "engine" / "app-1", BEGIN + ended(0))
    assert line(observed(stored)) == "1 of 15 tasks, metadata 60%, CPU 25%"
    record = records.Record(stored.directory, stored.head)
    assert activity(record)() == "1 of 15 tasks, metadata 60%, CPU 25%"


def test_a_line_of_progress_never_ends_a_run() -> None:
    stored = running()
    (stored.directory / "resolved.json").write_text("{")
    assert activity(records.Record(stored.directory, stored.head))() == ""
    assert activity(records.Record(Path("/nowhere"), stored.head))() == ""


def test_names_of_stages_are_text_and_not_markup() -> None:
    stored = running()
    add(
        stored.directory / "engine" / "app-1",
        event("JobStart", Job_ID=0, Stage_Infos=[stage(0, 1, "[red]\x1b[31m" + "x" * 60)]),
    )
    text = printed(observed(stored))
    assert "[red]" in text
    assert "\x1b" not in text
    assert "…" in text


def test_it_prints_once_where_there_is_no_terminal_and_data_for_programs() -> None:
    stored = running()
    sampled(stored.directory, {"cpu": 10.0})
    add(stored.directory / "engine" / "app-1", BEGIN + ended(0))
    done = RUNNER.invoke(app, ["top", "--every", "500ms"])
    assert done.exit_code == 0, done.exception
    assert "tasks 1 of 15" in done.stdout
    found = json.loads(RUNNER.invoke(app, ["top", "--every", "500ms", "--json"]).stdout)
    assert (found["tasks"]["done"], found["waits"][CPU], found["run"]) == (1, 0.5, "20260131-run")
    assert data(observed(stored))["stages"][0]["name"] == "map"


def test_it_finds_what_runs_by_the_name_of_a_cluster_or_of_a_record() -> None:
    error = RUNNER.invoke(app, ["top", "--once"]).exception
    assert isinstance(error, UsageError)
    assert "nothing runs with a record in" in error.message
    running("20260131-one")
    make_record(settings.runs() / "20260130-ended")
    for name in ("mine", "20260131-one", ""):
        done = RUNNER.invoke(app, ["top", "--every", "500ms", *filter(None, [name])])
        assert done.stdout.startswith("RUNNING phase run"), done.exception
    done = RUNNER.invoke(app, ["top", "--every", "500ms", "20260130-ended"])
    assert done.stdout.startswith("VALID, 13.1 s  terasort"), "what it took, and not its age"
    running("20260131-two")
    assert "several runs go on" in str(RUNNER.invoke(app, ["top"]).exception)


@pytest.fixture
def recorded() -> Iterator[tuple[int, "subprocess.Popen[bytes]", Stored]]:
    """`weft top` on a terminal of 100 columns."""
    stored = running()
    sampled(stored.directory, {"cpu": 10.0, "in open": 5.0})
    add(stored.directory / "engine" / "app-1", BEGIN)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    environment = {**os.environ, "PYTHONPATH": str(settings.SOURCE / "src"), "TERM": "xterm-256color"}
    argv = [sys.executable, "-P", "-m", "weft", "top", "--every", "500ms"]
    with subprocess.Popen(argv, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        yield ours, process, stored
        process.kill()
    os.close(ours)


def shown(terminal: int, pattern: str) -> str:
    """What the terminal got until a text is there, without its escape sequences."""
    text, end = b"", time.monotonic() + 60
    while time.monotonic() < end:
        try:
            text += os.read(terminal, 1 << 16)
        except OSError:  # the other side is closed
            break
        plain = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", text).decode(errors="replace")
        if re.search(pattern, plain):
            return plain
    raise AssertionError(f"{pattern} was not shown: {text.decode(errors='replace')}")


def test_the_page_of_a_running_job_is_drawn_again_in_a_terminal_until_the_run_has_ended(
    recorded: tuple[int, "subprocess.Popen[bytes]", Stored],
) -> None:
    terminal, process, stored = recorded
    first = shown(terminal, r"■ CPU 50% +■ metadata 25% +■ no task 25%")
    assert "RUNNING phase run" in first
    assert re.search(r"jobs 0 of 1 +tasks 0 of 15", first)
    assert re.search(r"map +0/4 +░{20}", first)
    add(stored.directory / "engine" / "app-1", ended(0) * 3)
    shown(terminal, r"map +3/4 +█{15}░{5}")
    head = json.loads((stored.directory / "record.json").read_text())
    write_json(stored.directory / "record.json", {**head, "verdict": "VALID"})
    shown(terminal, "VALID,")
    assert process.wait(60) == 0
