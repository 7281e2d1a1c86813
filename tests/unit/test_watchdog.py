"""The watchdog on a host: it waits for the run's last process and then removes what the run has there."""

import errno
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import child, own
from weft.host.programs import marks
from weft.host.programs import watchdog as program
from weft.host.remote.reach import Reach, message
from weft.host.shell import Process

HERE = Reach("here", ("env",), login_shell=False)
MARK = own("watchdog-test")


@pytest.fixture
def left(tmp_path: Path) -> Iterator[Path]:
    """A directory of a run."""
    folder = tmp_path / "run"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "file").write_text("x")
    return folder


def watchdog(folder: Path) -> Process:
    request = {"lease": MARK, "directories": [str(folder)]}
    process = HERE.send("watchdog", message("watchdog", request), log=folder.with_suffix(".log"))
    end = time.monotonic() + 60
    while not handles(process.pid, signal.SIGTERM) and time.monotonic() < end:
        time.sleep(0.01)
    return process


def handles(pid: int, number: int) -> bool:
    """Whether a process has a handler for a signal (proc(5), SigCgt)."""
    mask = Path(f"/proc/{pid}/status").read_text().partition("SigCgt:")[2].split()[0]
    return bool(int(mask, 16) & 1 << (number - 1))


def test_it_removes_the_directory_when_its_connection_ends(left: Path) -> None:
    watchdog(left).stop(grace=0)
    assert not left.exists()


def test_it_waits_for_the_last_process_of_a_job_that_ends(left: Path) -> None:
    process = watchdog(left)
    with child("sleep", "600", env={**os.environ, marks.LEASE: MARK}):
        process.popen.terminate()  # as Slurm asks each step of a job that it ends
        assert process.wait(1.5) is None
        assert left.exists()
    assert process.wait(60) == 0
    assert process.code() == 0
    assert not left.exists()


def test_one_that_is_lost_alone_leaves_what_other_nodes_have_in_a_shared_directory(
    left: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "_OTHERS", 0.1)
    for name in ("n1", "n2", "n3"):
        (left / name / "data").mkdir(parents=True)
    program.clear([str(left)], str(left / "n1"), ["n2", "n3"])
    assert sorted(path.name for path in left.iterdir()) == ["deep", "n2", "n3"]
    program.clear([str(left)], str(left / "n2"), ["n1", "n3"])
    assert (left / "n3" / "data").is_dir()
    program.clear([str(left)], str(left / "n3"), ["n1", "n2"])
    assert not left.exists()


def test_a_shared_directory_that_cannot_be_read_may_be_in_use(
    left: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stale(*_: object) -> None:
        raise OSError(errno.ESTALE, "Stale file handle")

    assert not program.used(str(left / "gone"), ["n2"])
    monkeypatch.setattr(os, "utime", stale)
    assert program.used(str(left), ["n2"])
    assert not program.used(str(left), [])


def test_a_node_whose_directory_is_its_own_leaves_nothing(left: Path) -> None:
    (left / "n1").mkdir()
    program.clear([str(left)], str(left / "n1"), ["n2"])
    assert not left.exists()
