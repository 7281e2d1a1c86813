"""Leases: everything noted is undone, whatever happened to the owner."""

import errno
import fcntl
import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from tests.fakes import fake_program
from tests.processes import child, own, says
from weft.errors import Stopped, StorageError, WeftError
from weft.host import lease, leftovers, settings
from weft.host.programs import marks
from weft.host.remote.reach import Reach
from weft.record import record as records
from weft.run.run import verdict_of

OWNER = """
import os, sys, time
from pathlib import Path
from typing import IO
from weft.host import lease
from weft.host.work import open_work
with lease.hold(sys.argv[2], "a test") as held, open_work(sys.argv[2], held) as work:
    (work.make("node1") / "file").write_text("x")
    work.claim(Path(sys.argv[1]))
    print("holds", flush=True)
    time.sleep(600)
"""
ALIVE, DEAD = own("alive"), own("dead")


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A directory that a command claimed before it was killed."""
    claimed = tmp_path / "claimed"
    with child(sys.executable, "-P", "-c", OWNER, claimed, DEAD) as owner:
        assert says(owner) == "holds\n"
        assert [held.alive for held in lease.all_leases()] == [True]
    return claimed


@contextmanager
def sleeper(name: str) -> Iterator["subprocess.Popen[str]"]:
    with child("sleep", "600", env={**os.environ, "WEFT_LEASE": name, "WEFT_NODE": "node2"}) as process:
        while not marks.marked(name):
            time.sleep(0.01)
        yield process


def test_a_mark_that_continues_with_a_point_is_of_the_same_command() -> None:
    with sleeper("cluster.ready-1") as process:
        assert list(marks.marked("cluster")) == [process.pid]
        assert not marks.marked("clust")
        assert not marks.marked("cluster.ready")


def test_a_lease_is_written_before_what_it_names_exists(tmp_path: Path) -> None:
    with lease.hold("one", "a test") as held:
        held.note("directory", path=str(tmp_path / "later"))
        entries = [json.loads(line) for line in held.path.read_text().splitlines()]
        assert [entry["kind"] for entry in entries] == ["owner", "directory"]
        assert entries[0]["pid"] == str(os.getpid())


def test_the_end_of_the_block_undoes_everything(tmp_path: Path) -> None:
    path = tmp_path / "made"
    with lease.hold("one", "a test") as held:
        held.note("directory", path=str(path))
        path.mkdir()
    assert not path.exists()
    assert lease.all_leases() == []


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_undoes_everything_too(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "made"
    with pytest.raises(error), lease.hold("one", "a test") as held:
        held.note("directory", path=str(path))
        path.mkdir()
        raise error
    assert not path.exists()
    assert lease.all_leases() == []


def test_processes_that_carry_the_mark_end_with_the_lease() -> None:
    with sleeper(ALIVE) as process:
        with lease.hold(ALIVE, "a test"):
            assert process.poll() is None
        assert process.wait(60) is not None


def test_a_holding_that_was_noted_and_never_made_is_no_problem(tmp_path: Path) -> None:
    with lease.hold("one", "a test") as held:
        for kind in ("directory", "mount", "cgroup"):
            held.note(kind, path=str(tmp_path / "never"))
    assert lease.all_leases() == []


def test_what_cannot_be_removed_is_an_error_and_keeps_the_lease(tmp_path: Path) -> None:
    stuck = tmp_path / "stuck"
    stuck.mkdir()
    with (
        pytest.MonkeyPatch.context() as patch,
        pytest.raises(WeftError, match="could not release"),
        lease.hold("one", "a test") as held,
    ):
        held.note("directory", path=str(stuck))
        patch.setattr("weft.host.programs.removal.remove_tree", lambda _: None)
    (dead,) = [held for held in lease.all_leases() if not held.alive]
    assert dead.lease.entries[-1]["path"] == str(stuck)


def test_a_dead_lease_is_distinguished_from_a_live_one(killed: Path) -> None:
    with lease.hold(ALIVE, "a test"):
        assert {held.lease.name: held.alive for held in lease.all_leases()} == {ALIVE: True, DEAD: False}
    assert killed.is_dir()


def test_sweep_removes_what_the_dead_left_and_says_so(killed: Path) -> None:
    work = settings.work() / DEAD
    assert (work / "node1" / "file").exists()
    with sleeper(DEAD) as process:
        (swept,) = leftovers.sweep()
        assert process.wait(60) is not None
    assert (swept.name, list(swept.left)) == (DEAD, [])
    assert set(swept.removed) == {
        f"process {process.pid} (sleep)",
        f"directory {work}",
        f"directory {killed}",
    }
    assert not killed.exists()
    assert not work.exists()
    assert lease.all_leases() == []


def test_what_a_killed_command_left_is_removed_where_leases_are_on_nfs(
    killed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = fcntl.flock

    def flock(file: IO[str], operation: int) -> None:
        """As NFS, which makes a lock of a whole file of it (flock(2))."""
        if operation & fcntl.LOCK_EX and not file.writable():
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        real(file, operation)

    monkeypatch.setattr("weft.host.locks.fcntl.flock", flock)
    (swept,) = leftovers.sweep()
    assert (swept.name, list(swept.left)) == (DEAD, [])
    assert not killed.exists()
    assert lease.all_leases() == []


def test_sweep_never_touches_the_living(tmp_path: Path) -> None:
    path = tmp_path / "made"
    with sleeper(ALIVE) as process, lease.hold(ALIVE, "a test") as held:
        held.note("directory", path=str(path))
        path.mkdir()
        assert leftovers.sweep() == []
        assert path.is_dir()
        assert process.poll() is None


def test_a_torn_last_line_is_left_out(killed: Path) -> None:
    path = settings.state() / "leases" / f"{DEAD}.jsonl"
    with path.open("a") as file:
        file.write('{"kind": "direc')
    (swept,) = leftovers.sweep()
    assert list(swept.left) == []
    assert not killed.exists()


def test_ps_shows_nodes_and_memory_and_marks_leftovers(killed: Path) -> None:
    with sleeper(ALIVE) as process, lease.hold(ALIVE, "run terasort"):
        found = {one.name: one for one in leftovers.holdings()}
        text = "\n".join(leftovers.lines(list(found.values())))
    assert killed.is_dir()
    assert (found[ALIVE].alive, found[DEAD].alive) == (True, False)
    (member,) = found[ALIVE].processes
    assert (member.pid, member.node, member.program) == (process.pid, "node2", "sleep")
    assert member.memory > 0
    assert "LEFTOVER" in text
    assert f"process {os.getpid()}" in text


def _hold_many(number: int) -> None:
    for turn in range(20):
        with lease.hold(f"{number}-{turn}", "a test"):
            pass


def test_looking_and_sweeping_never_disturb_those_who_take_leases() -> None:
    # a copy of this process would have copies of its locks, whose holders are threads that it does not have
    own_processes = multiprocessing.get_context("spawn")
    processes = [own_processes.Process(target=_hold_many, args=(number,)) for number in range(4)]
    for process in processes:
        process.start()
    while any(process.is_alive() for process in processes):
        assert leftovers.sweep() == []
    assert [process.exitcode for process in processes] == [0, 0, 0, 0]


def test_the_lease_of_another_host_is_left_to_it() -> None:
    with lease.hold("alive", "a test") as held:
        entries = [json.loads(line) for line in held.path.read_text().splitlines()]
        entries[0].update(host="elsewhere", boot="another kernel's")
        held.path.with_name("other.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
        assert {one.lease.name: one.alive for one in lease.all_leases()} == {"alive": True, "other": True}
        assert list(lease.dead_leases()) == []


def test_the_lease_of_a_container_that_had_another_name_is_found() -> None:
    with lease.hold("alive", "a test") as held:
        entry = {**json.loads(held.path.read_text()), "host": "container-1"}
        held.path.with_name("other.jsonl").write_text(json.dumps(entry) + "\n")
        assert [dead.name for dead in lease.dead_leases()] == ["other"]


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_named_with_what_to_do(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("weft.host.locks.fcntl.flock", flock)
    with pytest.raises(StorageError, match="has no locks") as caught, lease.hold("one", "a test"):
        pass
    assert "mount -o flock" in caught.value.hint
    assert "WEFT_STATE" in caught.value.hint


def test_the_lease_of_a_job_that_has_ended_is_dead_wherever_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.host.schedulers.slurm.jobs.job", lambda _: None)
    reach = Reach("n1", ("false",), login_shell=False, job="7", steps=True)
    with lease.hold("alive", "a test") as held:
        owner = {"kind": "owner", "host": "elsewhere"}
        held_there = {"kind": "directory", "path": "/nonexistent/weft", "reach": reach.text()}
        other = held.path.with_name("other.jsonl")
        other.write_text("".join(json.dumps(entry) + "\n" for entry in (owner, held_there)))
        (dead,) = lease.dead_leases()
        assert dead.release() == []
        assert not other.exists()


def test_what_hosts_of_an_ended_job_share_with_this_machine_is_removed_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nodes end before the run: what they could not remove is not forgotten with them."""
    monkeypatch.setattr("weft.host.schedulers.slurm.jobs.job", lambda _: None)
    reach = Reach("n1", ("false",), login_shell=False, job="7", steps=True)
    made, own_there = tmp_path / "weft-ended-input", tmp_path / "elsewhere"
    made.mkdir()
    own_there.mkdir()
    with lease.hold("ended", "a test") as held:
        for path in (made, own_there):
            held.note("directory", path=str(path), reach=reach.text())
        assert held.release_hosts() == []
    assert not made.exists()
    assert own_there.exists()
    assert not held.path.exists()


@pytest.fixture
def silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand-ins of Slurm's commands, whose controller does not answer."""
    for name in ("squeue", "scancel", "scontrol"):
        fake_program(tmp_path, name, "echo 'Unable to contact slurm controller' >&2; exit 1")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return tmp_path


def test_a_job_that_cannot_be_cancelled_keeps_the_lease(silent: Path) -> None:
    """Its nodes stay allocated, and `weft clean` has to know of it."""
    expected = "could not release job weft-run: .*squeue.*: Unable to contact slurm controller"
    with pytest.raises(WeftError, match=expected), lease.hold("run", "a test") as held:
        held.note("job", path="weft-run")
    assert lease.remains("run") == ["job weft-run"]
    (swept,) = leftovers.sweep()
    assert "job weft-run: " in swept.left[0]
    assert swept.removed == []
    fake_program(silent, "squeue", "echo 12")
    fake_program(silent, "scancel", f'echo "$@" >{silent}/cancelled')
    (swept,) = leftovers.sweep()
    assert (list(swept.removed), list(swept.left)) == (["job weft-run"], [])
    assert (silent / "cancelled").read_text() == "12\n"
    assert lease.all_leases() == []


@pytest.mark.parametrize("error", [ValueError("of the run"), Stopped(143)])
def test_a_job_that_cannot_be_cancelled_does_not_replace_the_error(
    error: BaseException, silent: Path
) -> None:
    with pytest.raises(type(error)), lease.hold("run", "a test") as held:
        held.note("job", path="weft-run")
        raise error
    assert held.path.exists()


def test_a_result_stays_valid_where_something_could_not_be_released(silent: Path, tmp_path: Path) -> None:
    record = records.create(tmp_path / "runs", "run", "", {})
    with (
        pytest.raises(WeftError, match="could not release job weft-run") as caught,
        verdict_of(record),
        lease.hold("run", "a test") as held,
    ):
        held.note("job", path="weft-run")
        record.update(verdict="VALID")
    assert (record.head.verdict, record.head.reason) == ("VALID", "")
    assert "could not release job weft-run" in record.head.gaps[0]
    assert list(caught.value.left) == ["job weft-run"]


def test_a_result_stays_valid_if_a_signal_comes_after_it(tmp_path: Path) -> None:
    record = records.create(tmp_path / "runs", "run", "", {})
    with pytest.raises(Stopped), verdict_of(record), lease.hold("run", "a test"):
        record.update(verdict="VALID")
        raise Stopped(130)
    assert (record.head.verdict, record.head.reason) == ("VALID", "")


@pytest.mark.parametrize(("state", "alive"), [("RUNNING", True), ("CANCELLED", False)])
def test_the_lease_of_a_command_in_an_ended_job_is_dead_wherever_it_was(
    state: str, alive: bool, silent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_program(silent, "scontrol", f"echo 'JobId=7 JobState={state} NodeList=n1'")
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    with lease.hold("alive", "a test") as held:
        entry = {**json.loads(held.path.read_text()), "host": "n1", "boot": "another kernel's"}
        held.path.with_name("other.jsonl").write_text(json.dumps(entry) + "\n")
        found = {one.name: one for one in leftovers.holdings()}
        assert {name: one.alive for name, one in found.items()} == {"alive": True, "other": alive}
        text = "\n".join(leftovers.lines(list(found.values())))
        assert (f"process {os.getpid()} of n1" in text) is alive
        assert f"process {os.getpid()}\n" in text


def test_a_dead_lease_is_read_when_it_is_locked(killed: Path, tmp_path: Path) -> None:
    """Its owner may have written more while another process had the lock."""
    later = tmp_path / "later"
    later.mkdir()
    path = settings.state() / "leases" / f"{DEAD}.jsonl"
    real = lease._lock_of_dead

    def lock(one: lease.Lease, file: IO[str]) -> bool:
        with path.open("a") as more:
            more.write(json.dumps({"kind": "directory", "path": str(later)}) + "\n")
        return real(one, file)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lease, "_lock_of_dead", lock)
        (swept,) = leftovers.sweep()
    assert list(swept.left) == []
    assert not later.exists()
