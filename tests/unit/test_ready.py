"""An application that a persistent cluster keeps ready: how it is kept, and how a job is given to it; no Spark is started."""

import dataclasses
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.fakes import fake_layout, fake_shared_layout
from weft.adapters.engines.spark.engine import SparkEngine
from weft.clusters import ready, readykeeper, registry
from weft.clusters.readykeeper import _Keeper
from weft.errors import UsageError
from weft.host.programs import handover
from weft.layout.job import Dependencies, Job
from weft.layout.plan import Layout
from weft.record.record import Record
from weft.spec.parse import parse

Answers = Callable[[socket.socket, Path], None]


def given(directory: Path, answers: Answers, *words: str) -> "subprocess.CompletedProcess[str]":
    """The end of a process that gives words to an application, which answers as the function does."""
    log = directory / "log"
    log.write_text("before\n")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(directory / "1"))
        server.listen()

        def serve() -> None:
            client, _ = server.accept()
            with client:
                answers(client, log)

        thread = threading.Thread(target=serve)
        thread.start()
        argv = [sys.executable, "-I", "-S", handover.__file__, str(directory / "1"), str(log), *words]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
        thread.join()
    return done


def test_the_words_arrive_and_the_log_and_the_exit_code_return(tmp_path: Path) -> None:
    arrived: list[bytes] = []

    def answers(client: socket.socket, log: Path) -> None:
        arrived.append(client.recv(1000))
        with log.open("a") as text:
            text.write("progress: 1 2\n")
        client.sendall(bytes([3]))

    done = given(tmp_path, answers, "file:/logs", "Pi", "--name", "zwölf")
    assert (done.returncode, done.stderr) == (3, "progress: 1 2\n")
    found, rest = [], arrived[0][4:]
    while rest:
        length = int.from_bytes(rest[:4], "big")
        found.append(rest[4 : 4 + length].decode())
        rest = rest[4 + length :]
    assert (int.from_bytes(arrived[0][:4], "big"), found) == (4, ["file:/logs", "Pi", "--name", "zwölf"])


def test_an_application_that_is_killed_leaves_a_failed_job(tmp_path: Path) -> None:
    def answers(client: socket.socket, log: Path) -> None:
        del log
        client.recv(1000)

    done = given(tmp_path, answers, "", "Pi")
    assert (done.returncode, "without an exit code" in done.stderr) == (1, True)


def test_an_application_that_is_gone_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "log").touch()
    argv = [sys.executable, "-I", "-S", handover.__file__, str(tmp_path / "1"), str(tmp_path / "log"), ""]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr == "the application that was ready is not there any more: No such file or directory\n"


def test_only_a_job_without_settings_and_files_of_its_own_is_given(tmp_path: Path) -> None:
    engine, layout, log = SparkEngine(), dataclasses.replace(fake_layout(), run="JOB"), tmp_path / "log"
    job = Job("pi", "Pi", ["--points", "3"], dependencies=Dependencies(conf=engine.of_one_job(layout)))
    command = engine.taken(job, layout, tmp_path / "1", log)
    assert command is not None
    assert command.argv[-4:] == [f"file:{layout.record}/engine", "Pi", "--points", "3"]
    assert command.environment == {"WEFT_LEASE": "JOB"}
    conf = {**engine.of_one_job(layout), "spark.shuffle.compress": "false"}
    for other in (
        dataclasses.replace(job, program="job.py"),
        dataclasses.replace(job, options=["--verbose"]),
        dataclasses.replace(job, dependencies=Dependencies(conf=conf)),
        dataclasses.replace(
            job, dependencies=Dependencies(conf=engine.of_one_job(layout), jars=["more.jar"])
        ),
    ):
        assert engine.taken(other, layout, tmp_path / "1", log) is None


def test_it_has_listeners_of_its_user_and_logs_no_events_of_its_own() -> None:
    engine, layout = SparkEngine(conf={"spark.extraListeners": "mine.Listener"}), fake_layout()
    argv = engine.waiting(dataclasses.replace(layout, run="RUN.ready-1"), Path("/ready/1")).argv
    assert "spark.extraListeners=mine.Listener,io.weft.spark.ReadyEvents" in argv
    assert {"spark.eventLog.enabled=false", "spark.executorEnv.WEFT_LEASE=RUN.ready-1"} <= set(argv)


def test_it_is_none_of_the_applications_of_users() -> None:
    engine = SparkEngine()
    (applications,) = engine.plan(fake_shared_layout(engine)).applications
    assert applications.count({"activeapps": [{"name": "weft-ready"}, {"name": "mine"}]}) == 1


@pytest.mark.parametrize("engine", ["flink", "dask", {"kind": "spark", "master": "yarn"}])
def test_engines_without_one_are_refused_before_anything_is_started(engine: Any) -> None:
    with pytest.raises(UsageError, match="has no application that is ready before its job"):
        parse({"workload": {"kind": "persistent", "name": "mine", "ready": True}, "engine": engine})


class Kept:
    """A cluster on this machine that keeps one, whose processes are not started."""

    def __init__(self, directory: Path, patch: pytest.MonkeyPatch) -> None:
        self.used, self.measured, self.quiet, self.started = False, False, True, 0
        self.code: int | None = None
        layout = dataclasses.replace(fake_layout(), directory=directory, record=directory)
        self.layout: Layout = layout
        process = SimpleNamespace(code=lambda: self.code, stop=self.stop)
        cluster = SimpleNamespace(quiet=lambda: self.quiet, launch=lambda *_: self.launch(process))
        live: Any = SimpleNamespace(
            layout=layout,
            cluster=cluster,
            spec=SimpleNamespace(engine=SparkEngine()),
            record=Record(directory),
        )
        patch.setattr(registry, "last_use", lambda _: None if self.used else 1)
        patch.setattr(registry, "being_measured", lambda _: self.measured)
        patch.setattr(readykeeper, "_OFTEN", 0.0)
        self.now = 100.0
        patch.setattr(readykeeper, "time", SimpleNamespace(monotonic=lambda: self.now))
        patch.setattr(ready, "_PATIENCE", 1.0)
        self.keeper = _Keeper(live, "mine")

    def launch(self, process: SimpleNamespace) -> SimpleNamespace:
        self.started += 1
        self.code = None
        return process

    def stop(self, grace: float) -> None:
        del grace
        self.code = 143

    def waits(self) -> None:
        """The application has its executors now."""
        name = str(self.keeper.application.socket)
        Path(f"{name}.waited").touch()
        with socket.socket(socket.AF_UNIX) as server:  # its file stays
            server.bind(name)

    def names(self) -> list[str]:
        return sorted(path.name for path in ready.folder(self.layout).iterdir())


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    (tmp_path / "events.jsonl").touch()
    return Kept(tmp_path, monkeypatch)


def test_one_is_started_when_nobody_uses_the_cluster(kept: Kept) -> None:
    kept.used = True
    kept.keeper.keep()
    kept.used = False
    kept.keeper.keep()
    assert kept.started == 0  # the command works on its report
    kept.now += readykeeper._PAUSE
    kept.quiet = False
    kept.keeper.keep()
    assert kept.started == 0
    kept.quiet = True
    kept.keeper.keep()
    kept.keeper.keep()
    assert (kept.started, kept.names()) == (1, ["1.starting"])
    kept.waits()
    found = ready.find(kept.layout)
    assert found is not None
    assert (found.name, found.mark) == ("1", f"{kept.layout.run}.ready-1")


def test_a_measured_run_has_it_and_another_comes_when_it_has_ended(kept: Kept) -> None:
    kept.keeper.keep()
    kept.waits()
    kept.used = kept.measured = True
    kept.keeper.keep()
    assert kept.code is None
    kept.keeper.application.socket.unlink()  # the run has it
    kept.keeper.keep()
    kept.code = 0
    kept.keeper.keep()
    assert (kept.names(), kept.started) == ([], 1)
    kept.used = kept.measured = False
    kept.now += readykeeper._PAUSE
    kept.keeper.keep()
    assert (kept.names(), kept.started) == (["2.starting"], 2)


@pytest.mark.parametrize("how", ["command", "application"])
def test_it_ends_when_others_need_the_cores(kept: Kept, how: str) -> None:
    kept.keeper.keep()
    kept.waits()
    kept.used, kept.quiet = how == "command", how != "application"
    kept.keeper.keep()
    assert (kept.code, kept.names()) == (143, [])
    kept.keeper.keep()
    assert kept.started == 1


def test_one_that_cannot_start_is_not_tried_again_and_runs_do_not_wait_for_it(kept: Kept) -> None:
    kept.keeper.keep()
    kept.code = 1
    for _ in range(3):
        kept.keeper.keep()
    assert (kept.started, kept.names()) == (1, ["failed"])
    assert ready.find(kept.layout) is None
    assert "ready-failed" in (kept.layout.record / "events.jsonl").read_text()


def test_a_run_that_has_no_use_for_it_ends_it(kept: Kept) -> None:
    kept.keeper.keep()
    kept.waits()
    done = threading.Thread(target=ready.dismiss, args=[kept.layout])
    done.start()
    while kept.keeper.application.socket.exists():
        pass
    kept.code, kept.used = 0, True
    kept.keeper.keep()
    done.join(5)
    assert (done.is_alive(), kept.names()) == (False, [])


def test_one_that_a_run_did_not_see_is_not_started(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([1, None])
    monkeypatch.setattr(registry, "last_use", lambda _: next(answers))
    kept.keeper.keep()
    assert (kept.started, kept.names()) == (0, [])


def test_the_end_of_the_cluster_is_its_end(kept: Kept) -> None:
    kept.keeper.keep()
    kept.waits()
    kept.keeper.end()
    assert (kept.code, kept.names()) == (143, [])
