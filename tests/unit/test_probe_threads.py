"""The threads of a process, by what they are for."""

import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.needs import VIRTUAL, needs
from tests.processes import child as started
from tests.processes import own, says, tell
from weft.adapters.probes.peers import Peers
from weft.adapters.probes.threads import ThreadReader, Watched, own_pid
from weft.adapters.probes.waits import ThreadWaits
from weft.facts.threadkinds import KINDS, call, called, kind, runs_tasks
from weft.host.programs import marks
from weft.layout.node import Node
from weft.record.samples import Measure

EXECUTOR = "CoarseGrainedExecutorBackend"

NAMED = """
import ctypes, sys, threading, time
def named(name, work):
    def run():
        ctypes.CDLL(None).prctl(15, name, 0, 0, 0)
        work()
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread
def spin():
    end = time.process_time() + 0.3
    while time.process_time() < end: pass
named(b'Executor task launch worker', spin).join()
named(b'C2 CompilerThread0', sys.stdin.read)
named(b'Executor task launch worker', lambda: time.sleep(3600))
time.sleep(0.1)
print('ready', flush=True)
time.sleep(3600)
"""
"""A thread that worked and is gone, one of another kind, and one that sleeps."""


@pytest.fixture
def child() -> Iterator["subprocess.Popen[str]"]:
    with started(sys.executable, "-c", NAMED) as process:
        assert says(process) == "ready\n"
        yield process


def test_threads_are_classified_by_their_names(child: "subprocess.Popen[str]") -> None:
    jvm = Watched("node1", EXECUTOR)
    jvm.update(child.pid)
    assert sorted({name for name, _ in jvm.threads.values()}) == ["compiler", "other", "task"]
    assert len(jvm.of("task")) == 1


def test_what_a_thread_is_blocked_in_is_known(child: "subprocess.Popen[str]") -> None:
    jvm = Watched("node1", EXECUTOR)
    jvm.update(child.pid)
    waits = ThreadWaits(Peers(dict), platform.machine())
    assert waits.of(child.pid, jvm.of("task")[0][0]) == ("sleep", "")


def test_the_time_of_a_thread_stays_when_it_is_gone(child: "subprocess.Popen[str]") -> None:
    jvm = Watched("node1", EXECUTOR)
    jvm.update(child.pid)
    gone = {tid: (name, {"cpu": 2.0}) for tid, (name, _) in [(0, ("task", {}))]}
    jvm.threads = {**jvm.threads, **gone}
    jvm.update(child.pid)
    assert jvm.totals()[Measure("threads.cpu", "task")] >= 2.0


TASKS = """
import ctypes, sys, threading, time
def task():
    ctypes.CDLL(None).prctl(15, b'Executor task launch worker', 0, 0, 0)
    end = time.thread_time() + 0.2
    while time.thread_time() < end: pass
    sys.stdin.readline()
print('ready', flush=True)
sys.stdin.readline()
thread = threading.Thread(target=task)
thread.start()
thread.join()
print('ended', flush=True)
time.sleep(3600)
"""
"""A task's thread that begins with the first line of input and ends with the second."""


def test_a_task_thread_between_two_readings_is_followed() -> None:
    """An engine that has a thread for each task would lose half of an interval's work with each."""
    jvm = Watched("node1", EXECUTOR)
    with started(sys.executable, "-c", TASKS) as process:
        follow_a_task(jvm, process)


def follow_a_task(jvm: Watched, process: "subprocess.Popen[str]") -> None:
    assert says(process) == "ready\n"
    jvm.update(process.pid)
    assert jvm.of("task") == []
    tell(process)
    end = time.monotonic() + 60
    while jvm.totals().get(Measure("threads.cpu", "task"), 0.0) < 0.2 and time.monotonic() < end:
        jvm.follow(process.pid)
        time.sleep(0.01)
    tell(process)
    assert says(process) == "ended\n"
    # joined, a thread is still in /proc until the kernel has taken it away
    while jvm.of("task") and time.monotonic() < end:
        jvm.follow(process.pid)
        jvm.update(process.pid)
    assert jvm.of("task") == []
    assert jvm.totals()[Measure("threads.cpu", "task")] >= 0.2


@pytest.mark.parametrize(
    ("program", "name", "expected"),
    [
        (EXECUTOR, "Executor task l", "task"),
        (EXECUTOR, "shuffle-server-", "server"),
        (EXECUTOR, "GC Thread#0", "collector"),
        (EXECUTOR, "C1 CompilerThre", "compiler"),
        (EXECUTOR, "Finalizer", "other"),
        ("SparkSubmit", "Executor task l", "other"),
        ("YarnChild", "java", "task"),
        ("YarnChild", "fetcher#1", "fetch"),
        ("TezChild", "TezChild", "task"),
        ("TezChild", "TaskHeartbeatTh", "server"),
        ("TaskManagerRunner", "Source: lines -", "task"),
        ("TaskManagerRunner", "Flink Netty Ser", "server"),
    ],
)
def test_kinds(program: str, name: str, expected: str) -> None:
    assert kind(program, name) == expected
    assert expected in KINDS


@pytest.mark.parametrize(
    ("program", "command", "expected"),
    [
        (EXECUTOR, "java X --executor-id 3 --cores 2 --app-id app-1-0000 --worker-url y", "app-1-0000 3"),
        (EXECUTOR, "java X --executor-id 3", ""),
        ("YarnChild", "java X 10.0.0.1 4040 attempt_1_0001_m_000002_0 7", "attempt_1_0001_m_000002_0"),
        ("TaskManagerRunner", "java X --configDir /c", ""),
        ("SparkSubmit", "java X --executor-id 3 --app-id a", ""),
    ],
)
def test_a_process_of_tasks_has_the_engines_name_where_its_command_line_says_it(
    program: str, command: str, expected: str
) -> None:
    assert called(program, command) == expected


def test_tasks_run_in_processes_of_the_engines_alone() -> None:
    assert runs_tasks(EXECUTOR)
    assert not runs_tasks("SparkSubmit")


def test_system_calls_have_the_names_of_the_file_operations() -> None:
    assert [call(number, "x86_64") for number in (257, 262, 0, 202, 999)] == [
        "open",
        "stat",
        "read",
        "lock",
        "other",
    ]
    assert call(56, "aarch64") == "open"


def test_a_process_is_named_by_the_pid_that_it_knows() -> None:
    assert own_pid(os.getpid()) == os.getpid()
    with pytest.raises(OSError, match="No such file"):
        own_pid(1 << 30)


@needs(*VIRTUAL)
def test_that_is_its_pid_in_its_own_namespace() -> None:
    """As the names of a virtual node's logs have it."""
    argv = ["unshare", "--pid", "--fork", "--kill-child", "sh", "-c", "echo ready; exec sleep 60"]
    with started(*argv) as outside:
        assert says(outside) == "ready\n"
        (inside,) = psutil.Process(outside.pid).children()
        assert own_pid(inside.pid) == 1


BECOMES = 'echo ready; read _; exec "$0" -c "echo ready; read _; :" "$0" "$2"'
"""A program of the first class until it reads a line, and one of the second from then on."""


def test_a_process_with_the_name_of_the_jvm_that_starts_it_is_named_again_after_its_exec(
    tmp_path: Path,
) -> None:
    """On a busy machine an executor may be first read before its exec, when it looks like the Worker that forked it."""
    java = shutil.copy(Path("/bin/sh").resolve(), tmp_path / "java")
    classes = ["org.apache.spark.deploy.worker.Worker", f"org.apache.spark.executor.{EXECUTOR}"]
    run = own("run")
    marked = {marks.LEASE: run, marks.NODE: "node1"}
    reader = ThreadReader({"node1": Node("node1", "127.0.0.1", 1, 1, tmp_path)}, run)
    with started(java, "-c", BECOMES, java, *classes, env=marked) as process:

        def names() -> set[str]:
            return {sample.process for sample in reader.read()} - {""}

        def owner() -> str:
            return dict(reader.owners.live())[process.pid][1]

        # within an exec a process has no environment yet: wait until it has begun
        assert says(process) == "ready\n"
        assert (names(), owner()) == ({f"Worker/{process.pid}"}, "Worker")
        tell(process)
        assert says(process) == "ready\n"
        assert f"{EXECUTOR}/{process.pid}" in names()
        assert owner() == EXECUTOR
