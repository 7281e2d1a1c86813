"""A submitted job, where it was submitted: how often the batch system is asked, and what happens if it cannot be cancelled."""

import errno
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from weft.errors import Stopped, WeftError
from weft.host import signals
from weft.host.schedulers.slurm import jobs
from weft.host.schedulers.slurm.jobs import SlurmJob
from weft.host.schedulers.slurm.scheduler import Slurm
from weft.record import record as records
from weft.run.progress import Progress
from weft.run.submission import enter, followed
from weft.run.submission.followed import Followed


def state(name: str) -> SlurmJob:
    return SlurmJob(7, name, "", "n1", 0)


@pytest.fixture
def cancelled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A Slurm whose job runs until it is cancelled; the numbers of those that were."""
    numbers: list[str] = []
    monkeypatch.setattr(Slurm, "submit", lambda *_: "7")
    monkeypatch.setattr(Slurm, "cancel", lambda _, number: numbers.append(number))
    monkeypatch.setattr(Slurm, "job", lambda *_: state("CANCELLED" if numbers else "RUNNING"))
    monkeypatch.setattr(jobs, "accounted", lambda _: {})
    return numbers


def silent(*_: object, **__: object) -> None:
    raise WeftError("the controller does not answer")


def closed(*_: object) -> None:
    raise OSError(5, "Input/output error")


def test_a_job_is_cancelled_before_a_word_of_it(
    cancelled: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the terminal was closed, and nothing can be written to it."""
    monkeypatch.setattr(Progress, "say", closed)
    with pytest.raises(OSError, match="Input/output"):
        Followed(Slurm(), "7", tmp_path, "7", Progress()).cancel()
    assert cancelled == ["7"]


def test_output_that_nobody_reads_does_not_replace_why_a_job_was_cancelled(
    cancelled: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(followed, "forwarded", closed)
    folder = tmp_path / "runs" / ".jobs"
    with pytest.raises(Stopped), enter._submitted(Slurm(), "text", "01ab", Progress()):
        (folder / "7.out").write_text("so far\n")
        raise Stopped(143)
    assert cancelled == ["7"]
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(("last", "kept"), [("RUNNING", True), ("COMPLETING", False), ("PENDING", False)])
def test_a_job_that_may_go_on_keeps_its_files_and_its_record(
    last: str, kept: bool, cancelled: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_RUNS", str(tmp_path / "runs"))
    made = records.create(tmp_path / "runs", "one", "", {"slurm": {"job": 7}})
    files = tmp_path / "files"
    files.mkdir()
    (files / "7.out").write_text("so far\n")
    Followed(Slurm(), "7", files, "7", Progress(), last=state(last)).keep()
    assert (files / "7.out").exists() is kept
    assert records.read(made.directory).head.verdict == ("RUNNING" if kept else "INVALID")


def test_a_job_that_could_not_be_cancelled_keeps_its_files(
    cancelled: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Slurm, "cancel", silent)
    (tmp_path / "7.out").write_text("")
    job = Followed(Slurm(), "7", tmp_path, "7", Progress(), last=state("PENDING"))
    job.cancel()
    job.keep()
    assert (tmp_path / "7.out").exists()
    assert "warning: Slurm job 7 may go on: the controller does not answer" in capsys.readouterr().err


def test_a_job_that_the_batch_system_forgot_neither_goes_on_nor_was_cancelled(
    cancelled: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As after an outage of the controller that was longer than its MinJobAge."""
    monkeypatch.setenv("WEFT_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(Slurm, "job", lambda *_: None)
    made = records.create(tmp_path / "runs", "one", "", {"slurm": {"job": 7}})
    job = Followed(Slurm(), "7", tmp_path, "7", Progress(), last=state("RUNNING"))
    job.cancel()
    job.keep()
    assert "may go on" not in capsys.readouterr().err
    head = records.read(made.directory).head
    assert head.verdict == "INVALID"
    assert head.reason.startswith("Slurm no longer knows job 7 in phase ")
    assert head.hint == "`sacct` may show how it ended"


def test_accounting_that_does_not_answer_does_not_replace_the_end_of_a_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """sacct waits for slurmdbd, which may be down for longer than a program may take."""
    monkeypatch.setenv("WEFT_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(jobs, "shutil", SimpleNamespace(which=lambda _: "/usr/bin/sacct"))
    monkeypatch.setattr(jobs, "ask", silent)
    made = records.create(tmp_path / "runs", "one", "", {"slurm": {"job": 7}})
    made.update(verdict="VALID")
    Followed(Slurm(), "7", tmp_path, "7", Progress(), last=state("COMPLETED")).keep()
    head = records.read(made.directory).head
    assert (head.verdict, head.slurm["accounting"]) == ("VALID", {})


def test_a_file_system_that_does_not_answer_for_a_moment_cancels_no_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """As ESTALE of NFS, while its server restarts."""
    (tmp_path / "7.out").write_text("of the job\n")
    slept, real, opens = pauses(monkeypatch), Path.open, iter([True, False, False])

    def stale(path: Path, *how: Any, **named: Any) -> Any:
        if path.suffix == ".out" and next(opens):
            raise OSError(errno.ESTALE, "Stale file handle", str(path))
        return real(path, *how, **named)

    monkeypatch.setattr(Path, "open", stale)
    monkeypatch.setattr(Slurm, "job", lambda *_: state("RUNNING" if sum(slept) < 1 else "COMPLETED"))
    monkeypatch.setattr(followed, "_RUNNING", 0)
    assert Followed(Slurm(), "7", tmp_path, "7", Progress()).follow(None) == 0
    assert capfdbinary.readouterr().out == b"of the job\n"


def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Sleeps that take no time, in seconds; the clock of the module is their sum."""
    slept: list[float] = []
    monkeypatch.setattr(signals, "sleep", slept.append)
    monkeypatch.setattr(followed, "time", SimpleNamespace(monotonic=lambda: sum(slept)))
    return slept


def test_a_job_that_waits_for_hours_is_asked_for_seldom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept = pauses(monkeypatch)
    monkeypatch.setattr(Slurm, "job", lambda *_: state("PENDING" if sum(slept) < 36000 else "COMPLETED"))
    assert Followed(Slurm(), "7", tmp_path, "7", Progress()).follow(None) == 0
    assert slept[0] == followed.POLL
    assert slept == sorted(slept)
    assert slept[-1] == 30
    assert len(slept) < 1500


def test_a_job_is_given_up_when_its_patience_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slept = pauses(monkeypatch)
    monkeypatch.setattr(Slurm, "job", lambda *_: state("PENDING"))
    with pytest.raises(WeftError, match="did not start within 7200 s"):
        Followed(Slurm(), "7", tmp_path, "7", Progress()).follow(7200)
    assert 7200 < sum(slept) < 7203


def test_the_output_of_a_running_job_is_read_more_often_than_its_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept, asked, read = pauses(monkeypatch), [], []

    def job(*_: object) -> SlurmJob:
        asked.append(sum(slept))
        return state("RUNNING" if sum(slept) < 100 else "COMPLETED")

    monkeypatch.setattr(Slurm, "job", job)
    monkeypatch.setattr(Followed, "_pass_on", lambda _: read.append(1))
    assert Followed(Slurm(), "7", tmp_path, "7", Progress()).follow(None) == 0
    assert (len(asked), len(read)) == (21, 101)
