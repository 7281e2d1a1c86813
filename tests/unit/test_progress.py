"""What is shown while a run goes: forward only, and whole lines where nobody looks."""

import errno
import os
import pty
import re
import subprocess
import sys
import threading
from contextlib import suppress
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from weft.errors import Stopped, WeftError
from weft.host import settings
from weft.record import record as records
from weft.run.progress import Progress
from weft.run.run import phase, verdict_of
from weft.text.console import Printing
from weft.text.verbosity import CHOSEN


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), min_size=1))
def test_progress_only_moves_forward_and_is_never_all_before_the_end(counts: list[tuple[int, int]]) -> None:
    progress, shown = Progress(Console(file=StringIO())), []
    with progress.phase("run"):
        for done, total in counts:
            progress.fraction(done, total)
            shown.append(int(progress.detail.removesuffix(" %")))
    assert shown == sorted(shown)
    assert shown[-1] < 100


def test_each_phase_begins_at_nothing() -> None:
    progress = Progress(Console(file=StringIO()))
    for _ in range(2):
        with progress.phase("run"):
            assert (progress.detail, progress.share) == ("", 0)
            progress.fraction(9, 10)


def test_something_is_done_once_while_a_phase_runs() -> None:
    begun = threading.Event()
    progress = Progress(Console(file=StringIO()), meanwhile={"stop": begun.set})
    with progress.phase("run"):
        assert not begun.is_set()
    with progress.phase("stop"):
        assert begun.wait(60)
    begun.clear()
    with progress.phase("stop"):
        assert not begun.wait(0.1)


_SHOWING = """
import time
from weft.cli.guard import run_guarded
from weft.run.progress import Progress

def act():
    with Progress().phase("run", lambda: "12 of 30 tasks"):
        time.sleep(1.2)
        print("what the job prints")

run_guarded(act)
"""


def test_a_running_phase_is_one_line_that_is_drawn_again_in_a_terminal() -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(settings.SOURCE / "src"), "TERM": "xterm-256color"}
    with subprocess.Popen(
        [sys.executable, "-P", "-c", _SHOWING], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    ):
        os.close(theirs)
        text = b""
        with suppress(OSError):  # the other side is closed
            while piece := os.read(ours, 1 << 16):
                text += piece
    os.close(ours)
    assert b"\r\x1b[2K" in text, "the line is cleared before it is drawn again"
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.decode())
    assert "12 of 30 tasks" in plain
    assert "what the job prints" in plain
    assert not re.search(r"\[\d*[mK]", plain), "an escape sequence without its first character is no text"


def test_a_line_is_not_wrapped_where_there_is_no_terminal() -> None:
    out = StringIO()
    Progress(Console(file=out)).say("a word " * 60)
    assert out.getvalue().count("\n") == 1


def test_quiet_leaves_warnings_and_verbose_adds_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    for quiet, verbose, lines in (
        (False, False, "say warn"),
        (True, False, "warn"),
        (False, True, "say step warn"),
    ):
        monkeypatch.setattr(CHOSEN, "quiet", quiet)
        monkeypatch.setattr(CHOSEN, "verbose", verbose)
        progress = Progress(Console(file=(out := StringIO())))
        progress.say("say")
        progress.step("step")
        progress.warn("warn")
        assert out.getvalue().split() == lines.split()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_what_an_output_cannot_show_ends_no_command(encoding: str) -> None:
    act = "from weft.cli.guard import run_guarded; run_guarded(lambda: print('a \\u2013 b \\udcff c'))"
    environment = {
        **os.environ,
        "PYTHONPATH": str(settings.SOURCE / "src"),
        "PYTHONIOENCODING": encoding,
    }
    done = subprocess.run(
        [sys.executable, "-P", "-c", act], capture_output=True, env=environment, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    dash = "\u2013" if encoding == "utf-8" else "?"
    assert done.stdout.decode(encoding) == f"a {dash} b ? c\n"


class Closed(StringIO):
    """An output that nobody reads any more."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def write(self, text: str) -> int:
        raise OSError(self.number, os.strerror(self.number))


@pytest.mark.parametrize("number", [errno.EIO, errno.EPIPE])
@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (WeftError("a daemon was lost"), "a daemon was lost"),
        (Stopped(143), "stopped by the user in phase start"),
    ],
)
def test_progress_that_nobody_sees_does_not_replace_how_a_run_ends(
    number: int, terminal: bool, error: BaseException, reason: str, tmp_path: Path
) -> None:
    progress = Progress(Printing(file=Closed(number), stderr=True, force_terminal=terminal))
    record = records.create(tmp_path / "runs", "one", "", {})
    progress.say("the first line")
    with pytest.raises(type(error)), verdict_of(record), phase("start", record, progress):
        raise error
    assert (record.head.verdict, record.head.reason) == ("INVALID", reason)


def test_progress_is_shown_again_after_a_moment_in_which_it_could_not_be_written() -> None:
    """As on a terminal that another program has made non-blocking."""

    class Busy(StringIO):
        turns = iter([True, False])

        def write(self, text: str) -> int:
            if next(self.turns):
                raise BlockingIOError(errno.EAGAIN, "write could not complete without blocking")
            return super().write(text)

    file = Busy()
    progress = Progress(Printing(file=file, stderr=True, force_terminal=False))
    progress.say("lost")
    progress.say("the next line")
    assert file.getvalue() == "the next line\n"


def test_results_that_nobody_reads_are_an_error_of_who_prints_them() -> None:
    """Not an end of the program: guard.py gives it its exit code."""
    with pytest.raises(BrokenPipeError):
        Printing(file=Closed(errno.EPIPE)).print("a table")


@pytest.mark.parametrize(
    ("end", "code"), [("signals.sleep(60)", 143), ("raise WeftError('no')", 1), ("print('the result')", 0)]
)
def test_a_closed_standard_error_changes_no_exit_code(end: str, code: int) -> None:
    act = f"""
import os, signal
from weft.cli.guard import run_guarded
from weft.errors import WeftError
from weft.host import signals
from weft.run.progress import Progress

def act():
    Progress().say("a line")
    if {code == 143}:
        os.kill(os.getpid(), signal.SIGTERM)
    {end}

run_guarded(act)
"""
    ours, theirs = os.pipe()
    os.close(ours)
    environment = {**os.environ, "PYTHONPATH": str(settings.SOURCE / "src")}
    argv = [sys.executable, "-P", "-c", act]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=theirs, env=environment, check=False)
    os.close(theirs)
    assert done.returncode == code
