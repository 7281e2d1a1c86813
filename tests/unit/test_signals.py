"""Signals at chosen moments: nothing hangs, nothing is lost, cleanup is not cut short."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from weft.host import settings

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(settings.SOURCE / "src")}

SHARED = """
import os, signal, subprocess, sys, threading, time
from pathlib import Path
from weft.cli.guard import run_guarded
from weft.errors import Stopped
from weft.host import shell, signals

def stop_me(*_):
    os.kill(os.getpid(), signal.SIGTERM)

class Lock:
    '''A lock at whose acquisition a signal comes.'''
    def __init__(self, real): self.real = real
    def acquire(self, *args):
        taken = self.real.acquire(*args)
        if taken: stop_me()
        return taken
    def release(self): self.real.release()
    def __enter__(self): self.acquire()
    def __exit__(self, *_): self.release()

def sleeper():
    return shell.spawn("sleeper", ["sleep", "600"], log=Path("log"))
"""


def outcome(program: str, directory: object) -> "subprocess.CompletedProcess[str]":
    text = SHARED + textwrap.dedent(program)
    argv = [sys.executable, "-P", "-c", text]
    return subprocess.run(
        argv, cwd=str(directory), env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("call", ["process.code()", "process.wait(0.1)", "process.stop()"])
def test_a_signal_while_popen_holds_its_lock_hangs_nothing(call: str, tmp_path: object) -> None:
    done = outcome(
        f"""
        def action():
            process = sleeper()
            process.popen._waitpid_lock = Lock(process.popen._waitpid_lock)
            try:
                while True:
                    {call}
                    signals.check()
            finally:
                process.popen._waitpid_lock = process.popen._waitpid_lock.real
                process.stop()
                print("ended", process.code() is not None)
        run_guarded(action)
        """,
        tmp_path,
    )
    assert (done.returncode, done.stdout) == (143, "ended True\n"), done.stderr


def test_a_process_that_starts_when_a_signal_comes_is_known(tmp_path: object) -> None:
    done = outcome(
        """
        real = subprocess._fork_exec
        def fork_exec(*args):
            pid = real(*args)
            stop_me()
            return pid
        subprocess._fork_exec = fork_exec
        def action():
            process = sleeper()
            try:
                signals.sleep(60)
            finally:
                process.stop()
                print("ended", process.code() is not None)
        run_guarded(action)
        """,
        tmp_path,
    )
    assert (done.returncode, done.stdout) == (143, "ended True\n"), done.stderr


@pytest.mark.parametrize(
    "wait",
    [
        "signals.sleep(600)",
        "shell.run(['sleep', '600'], timeout=900)",
        "sleeper().wait()",
        "sleeper().wait(600)",
        "signals.Request().wait(600)",
    ],
)
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143)]
)
def test_a_signal_ends_a_wait(wait: str, number: signal.Signals, code: int, tmp_path: object) -> None:
    done = outcome(
        f"""
        def action():
            threading.Timer(0.2, lambda: os.kill(os.getpid(), {int(number)})).start()
            {wait}
        run_guarded(action)
        """,
        tmp_path,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


def test_a_signal_during_cleanup_is_raised_after_it(tmp_path: object) -> None:
    done = outcome(
        """
        def action():
            try:
                with signals.held():
                    stop_me()
                    shell.run(["true"])
                    signals.sleep(0.01)
                    print("cleaned")
                print("not reached")
            finally:
                signals.sleep(0.01)  # a signal is raised once
                stop_me()
                signals.check()
                print("over")
        run_guarded(action)
        """,
        tmp_path,
    )
    assert (done.returncode, done.stdout) == (143, "cleaned\nover\n"), done.stderr


def test_an_error_is_reported_also_when_a_signal_came_during_its_cleanup(tmp_path: object) -> None:
    done = outcome(
        """
        from weft.errors import WeftError
        def action():
            with signals.held():
                stop_me()
                raise WeftError("it broke")
        run_guarded(action)
        """,
        tmp_path,
    )
    assert done.returncode == 1
    assert "it broke" in done.stderr


def test_a_command_that_never_waits_ends_by_the_signal_all_the_same(tmp_path: object) -> None:
    done = outcome("run_guarded(stop_me)", tmp_path)
    assert done.returncode == 143
    assert "Traceback" not in done.stderr


def test_other_threads_do_not_raise(tmp_path: object) -> None:
    done = outcome(
        """
        def action():
            stop_me()
            thread = threading.Thread(target=lambda: (shell.run(["true"]), signals.sleep(0.01), print("whole")))
            thread.start()
            thread.join()
            signals.check()
        run_guarded(action)
        """,
        tmp_path,
    )
    assert (done.returncode, done.stdout) == (143, "whole\n"), done.stderr


def test_an_interrupt_while_weft_is_loaded_shows_no_traceback() -> None:
    program = "import os, signal, sys, builtins\nreal = builtins.__import__\n" + textwrap.dedent(
        """
        def load(name, *args, **more):
            if name == "typer":
                os.kill(os.getpid(), signal.SIGINT)
            return real(name, *args, **more)
        builtins.__import__ = load
        import runpy
        sys.argv = ["weft", "runs"]
        runpy.run_module("weft", run_name="__main__")
        """
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in {130, -signal.SIGINT}
    assert "Traceback" not in done.stderr


def test_a_run_that_is_stopped_says_where_and_names_its_record(tmp_path: object) -> None:
    done = outcome(
        """
        from weft.record import record as records
        from weft.run.run import verdict_of
        def action():
            record = records.create(Path("runs"), "one", "", {})
            with verdict_of(record), record.phase("start"):
                stop_me()
                signals.sleep(60)
        run_guarded(action)
        """,
        tmp_path,
    )
    assert done.returncode == 143
    assert done.stderr.startswith("stopped in phase start; ")
    assert done.stderr.endswith("the record runs/one\n")


@pytest.mark.parametrize("when", ["in a run", "outside", "in a verb"])
def test_an_interrupt_that_a_library_raises_is_a_stop(when: str, tmp_path: object) -> None:
    done = outcome(
        f"""
        from weft.record import record as records
        from weft.run.run import verdict_of
        def action():
            if {when == "outside"}:
                raise KeyboardInterrupt
            if {when == "in a verb"}:
                from weft import cli
                from weft.cli import runs
                def listed(*_):
                    raise KeyboardInterrupt
                runs.headlines = listed
                sys.argv = ["weft", "runs"]
                cli.app(prog_name="weft")
            record = records.create(Path("runs"), "one", "", {{}})
            with verdict_of(record), record.phase("start"):
                raise KeyboardInterrupt
        run_guarded(action)
        """,
        tmp_path,
    )
    assert done.returncode == 130, done.stderr
    assert done.stderr.startswith("stopped")
    assert len(done.stderr.splitlines()) == 1


def test_a_process_that_the_same_signal_ended_has_not_failed(tmp_path: object) -> None:
    """A signal to the whole process group, as of a terminal's Ctrl-C."""
    done = outcome(
        """
        def action():
            process = sleeper()
            process.popen.send_signal(signal.SIGTERM)
            process.popen.wait()
            stop_me()
            if process.code():
                raise RuntimeError("the process has failed")
        run_guarded(action)
        """,
        tmp_path,
    )
    assert (done.returncode, done.stderr) == (143, "stopped\n")


def test_a_library_that_takes_the_handler_gives_it_back(tmp_path: object) -> None:
    done = outcome(
        """
        import signal
        def action():
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.set_wakeup_fd(-1)
            signals.watch_again()
            threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            signals.sleep(60)
        run_guarded(action)
        """,
        tmp_path,
    )
    assert (done.returncode, done.stderr) == (130, "stopped\n")


def test_a_signal_while_an_exception_is_handled_is_raised_after_it(tmp_path: object) -> None:
    done = outcome(
        """
        def action():
            try:
                try:
                    raise ValueError
                finally:
                    stop_me()
                    shell.run(["true"])
                    signals.sleep(0.01)
                    print("cleaned")
            except ValueError:
                pass
            signals.check()
            print("not reached")
        run_guarded(action)
        """,
        tmp_path,
    )
    assert (done.returncode, done.stdout) == (143, "cleaned\n"), done.stderr


def test_a_signal_waits_for_what_other_threads_create(tmp_path: object) -> None:
    done = outcome(
        """
        from weft.adapters.nodes.base import Node, everywhere
        nodes = [Node(f"n{i}", "", 1, 1, Path(".")) for i in range(3)]
        begun = threading.Barrier(3)
        def slow(node):
            if begun.wait() == 0:
                stop_me()
            time.sleep(0.3)
            os.write(1, f"{node.name}\\n".encode())
        def action():
            try:
                everywhere(nodes, slow)
            finally:
                os.write(1, b"cleanup\\n")
        run_guarded(action)
        """,
        tmp_path,
    )
    lines = done.stdout.splitlines()
    assert (done.returncode, sorted(lines[:3]), lines[3:]) == (143, ["n0", "n1", "n2"], ["cleanup"])


def test_what_a_stopped_run_could_not_remove_is_named(tmp_path: object) -> None:
    done = outcome(
        """
        from weft.host import lease
        from weft.host.programs import removal
        from weft.host.work import open_work
        from weft.record import record as records
        from weft.run.run import verdict_of
        os.environ.update(WEFT_STATE="state", WEFT_WORK="work")
        removal.remove_tree = lambda _: None
        def action():
            record = records.create(Path("runs"), "one", "", {})
            with verdict_of(record), lease.hold("one", "a test") as held, open_work("one", held), record.phase("run"):
                stop_me()
                signals.sleep(60)
        run_guarded(action)
        """,
        tmp_path,
    )
    assert done.returncode == 143
    assert done.stderr.startswith(
        f"stopped in phase run, but directory {tmp_path}/work/one could not be removed"
    )
    assert "nothing" not in done.stderr


def test_an_error_names_what_its_run_could_not_remove(tmp_path: object) -> None:
    done = outcome(
        """
        from weft.errors import WeftError
        from weft.host import lease
        from weft.host.programs import removal
        from weft.host.work import open_work
        from weft.record import record as records
        from weft.run.run import verdict_of
        os.environ.update(WEFT_STATE="state", WEFT_WORK="work")
        removal.remove_tree = lambda _: None
        def action():
            record = records.create(Path("runs"), "one", "", {})
            with verdict_of(record), lease.hold("one", "a test") as held, open_work("one", held), record.phase("run"):
                raise WeftError("it broke")
        run_guarded(action)
        """,
        tmp_path,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: it broke\n")
    assert f"left behind: directory {tmp_path}/work/one; `weft clean` removes it" in done.stderr
