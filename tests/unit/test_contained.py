"""A process that sheds its environment, session and parent ends with the run that started it."""

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests import escape
from tests.processes import own
from weft.host import lease, leftovers, settings
from weft.host.programs import groups

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(settings.SOURCE / "src")}

RUN = """
import sys, time
from pathlib import Path
from weft.host import lease, shell, signals, subreaper
from weft.host.programs import groups
from weft.host.contained import contained
from weft.host.watchdog import watched

if sys.argv[1] == "adopted":
    subreaper.adopt()
    groups.current = lambda: None
with watched(sys.argv[4]), lease.hold(sys.argv[4], "a test") as held, contained(held):
    process = shell.spawn("escape", [sys.executable, "-P", sys.argv[2], "pid"], log=Path("log"))
    assert process.wait(30) == 0
    process.stop()
    print("escaped", flush=True)
    time.sleep(float(sys.argv[3]))
"""


NAME = own("one")
"""Of the run: tests at once on one machine have one control group each."""


@contextmanager
def started(how: str, directory: Path, seconds: float) -> "Iterator[subprocess.Popen[str]]":
    """A run in whose middle a process has escaped."""
    argv = [sys.executable, "-P", "-c", textwrap.dedent(RUN), how, escape.__file__, str(seconds), NAME]
    run = subprocess.Popen(argv, cwd=directory, env={**ENVIRONMENT, "WEFT_STATE": str(settings.state())},
                           stdout=subprocess.PIPE, text=True)  # fmt: skip
    try:
        assert run.stdout is not None
        assert run.stdout.readline() == "escaped\n"
        yield run
    finally:
        run.terminate()  # ends its group, also where the test failed
        run.wait()
        if run.stdout is not None:
            run.stdout.close()


def lives(directory: Path) -> bool:
    try:
        return psutil.Process(int((directory / "pid").read_text())).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def can_be_divided() -> bool:
    """Whether this process may create control groups."""
    own = groups.current()
    if own is None or not os.access(own, os.W_OK):
        return False
    made = own / f"weft-try-{os.getpid()}"
    try:
        made.mkdir()
        made.rmdir()
    except OSError:
        return False
    return True


GROUPED = pytest.param("grouped", marks=pytest.mark.skipif(not can_be_divided(), reason="control groups cannot be created here"))  # fmt: skip


@pytest.mark.parametrize("how", ["adopted", GROUPED])
def test_it_ends_with_the_run(how: str, tmp_path: Path) -> None:
    with started(how, tmp_path, 0.1) as run:
        assert run.wait(60) == 0
    assert not lives(tmp_path)


@pytest.mark.parametrize("how", [GROUPED])
def test_it_ends_with_a_run_that_is_killed(how: str, tmp_path: Path) -> None:
    with started(how, tmp_path, 60) as run:
        assert lives(tmp_path)
        assert groups.members(lease.groups(NAME)[0])
        run.kill()
    end = time.monotonic() + 60
    while (lives(tmp_path) or lease.all_leases()) and time.monotonic() < end:
        time.sleep(0.05)
    assert not lives(tmp_path)
    assert lease.all_leases() == []
    assert leftovers.sweep() == []


def test_where_slurm_tracks_processes_there_is_no_group(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as changed:
        changed.setitem(ENVIRONMENT, "SLURM_PROCID", "0")
        with started("grouped", tmp_path, 0.1) as run:
            assert lease.groups(NAME) == []
            assert run.wait(60) == 0
        os.kill(int((tmp_path / "pid").read_text()), 9)


@pytest.mark.parametrize("how", [GROUPED])
def test_ps_lists_it_as_a_process_of_its_run(how: str, tmp_path: Path) -> None:
    with started(how, tmp_path, 600) as run:
        (holding,) = leftovers.holdings()
        assert int((tmp_path / "pid").read_text()) in {member.pid for member in holding.processes}
        assert run.pid not in {member.pid for member in holding.processes}


def test_ps_lists_what_no_run_holds_but_has_its_files_open(tmp_path: Path) -> None:
    left = settings.work() / "ended" / "node1"
    left.mkdir(parents=True)
    argv = [sys.executable, "-P", escape.__file__, str(tmp_path / "pid"), str(left)]
    subprocess.run(argv, check=True)
    pid = int((tmp_path / "pid").read_text())
    try:
        found = leftovers.holdings()
        adopted = psutil.Process(pid).parent()
        if adopted is None or adopted.pid != 1:
            pytest.skip("orphans have another parent here")
        assert [(one.name, one.escaped, [member.pid for member in one.processes]) for one in found] == [("ended", True, [pid])]  # fmt: skip
        (line,) = leftovers.lines(found)
        assert f"process {pid} (sleep) left its run and has {left} open" in line
        assert leftovers.sweep() == []
        assert lives(tmp_path)
    finally:
        os.kill(pid, 9)
