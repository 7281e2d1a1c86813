"""The only module that starts processes."""

import ast
import itertools
import signal
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

import weft
from tests.processes import own, runs
from tests.source import nodes
from weft.errors import MissingError, WeftError
from weft.host import shell
from weft.host.programs import marks

SOURCE = Path(weft.__file__).parent
PROGRAMS = SOURCE / "host" / "programs"
"""Programs that run on other hosts."""
ALONE = SOURCE / "adapters" / "engines" / "powergraph" / "translation.py"
"""A program of a node's own, where weft's packages need not be."""


def test_only_shell_imports_subprocess() -> None:
    assert [str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if starts_processes(path)] == []


def starts_processes(path: Path) -> bool:
    names = {
        name
        for node in nodes(path)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in [getattr(node, "module", None), *(alias.name for alias in node.names)]
    }
    forbidden = {"subprocess", "multiprocessing", "pty", "asyncio"} - (
        {"subprocess"} if path in {SOURCE / "host" / "shell.py", ALONE} or path.parent == PROGRAMS else set()
    )
    return bool(names & forbidden)


def test_a_program_that_is_not_there_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(MissingError, match="nosuch") as caught:
        shell.tool("nosuch", "some-package")
    assert "some-package" in caught.value.hint
    with pytest.raises(MissingError, match="nosuch"):
        shell.run(["nosuch"])


def test_a_child_has_variables_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without them it reads this process's while it starts, which another thread may change, and starting fails with EFAULT."""
    given, popen = [], shell.subprocess.Popen

    def started(argv: list[str], **how: Any) -> Any:
        given.append(how["env"])
        return popen(argv, **how)

    monkeypatch.setattr(shell.subprocess, "Popen", started)
    monkeypatch.setenv("MINE", "1")
    assert shell.run(["printenv", "MINE"]).out == "1\n"
    assert shell.run(["printenv", "MINE"], env={"MINE": "2"}).out == "2\n"
    with shell.converse(["cat"], b"", tmp_path / "log") as conversed:
        conversed.kill()
    shell.dismiss(shell.guard(["cat"]))
    assert [env["MINE"] for env in given] == ["1", "2", "1", "1"]


def test_a_failure_shows_the_last_lines() -> None:
    with pytest.raises(WeftError, match="exit code 3") as caught:
        shell.run(["sh", "-c", "echo first; echo last >&2; exit 3"])
    assert caught.value.tail[-1] == "last"
    assert shell.run(["sh", "-c", "exit 3"], check=False).code == 3


def test_a_command_that_does_not_end_is_an_error() -> None:
    with pytest.raises(WeftError, match="did not end within"):
        shell.run(["sleep", "10"], timeout=0.1)


def test_stop_ends_a_process_and_its_descendants(tmp_path: Path) -> None:
    process = shell.spawn("p", ["sh", "-c", "sleep 60 & sleep 60"], log=tmp_path / "log")
    while len(process.family()) < 2:
        time.sleep(0.01)
    family = process.family()
    process.stop(grace=1)
    assert process.code() is not None
    gone, alive = psutil.wait_procs(family, timeout=30)
    assert (len(gone), alive) == (2, [])


def test_a_process_that_ignores_the_request_is_killed(tmp_path: Path) -> None:
    process = shell.spawn(
        "p", ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done"], log=tmp_path / "log"
    )
    while shell.tail(process.log) != ["ready"]:
        time.sleep(0.01)
    process.stop(grace=0.2)
    assert process.code() == -signal.SIGKILL


def test_a_process_dies_with_the_one_that_started_it(tmp_path: Path) -> None:
    script = (
        "import os, sys, time; from pathlib import Path; from weft.host import shell\n"
        "p = shell.spawn('p', ['sleep', '60'], log=Path(sys.argv[1])); print(p.popen.pid, flush=True)\n"
        "while shell.title(p.popen.pid) != 'sleep': time.sleep(0.01)\n"
        "os.kill(os.getpid(), 9)"
    )
    done = shell.run([sys.executable, "-P", "-c", script, str(tmp_path / "log")], check=False)
    assert done.out, f"exit code {done.code}: {done.err}"
    end = time.monotonic() + 60
    while runs(int(done.out)) and time.monotonic() < end:
        time.sleep(0.01)
    assert not runs(int(done.out))


def test_tail_gives_the_last_lines_and_nothing_for_no_file(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("".join(f"line {i}\n" for i in range(10_000)))
    assert shell.tail(tmp_path / "log", 2) == ["line 9998", "line 9999"]
    assert shell.tail(tmp_path / "none") == []


def test_marked_finds_by_the_whole_name(tmp_path: Path) -> None:
    name = own("name")
    process = shell.spawn("p", ["sleep", "60"], log=tmp_path / "log", env={marks.LEASE: f"{name}-1"})
    end = time.monotonic() + 60
    while not marks.marked(f"{name}-1") and time.monotonic() < end:
        time.sleep(0.01)
    assert list(marks.marked(f"{name}-1")) == [process.popen.pid]
    assert marks.marked(name) == {}
    process.stop(0)


def test_a_process_that_becomes_another_program_is_found_at_every_moment(tmp_path: Path) -> None:
    script = tmp_path / "again"
    script.write_text('#!/bin/sh\nexec "$0"\n')
    script.chmod(0o755)
    mark = own("restless")
    process = shell.spawn("again", [str(script)], log=tmp_path / "log", env={marks.LEASE: mark})
    try:
        assert all(list(marks.marked(mark)) == [process.pid] for _ in range(300))
    finally:
        process.stop(grace=1)


def test_a_slow_listing_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten seconds pass between any two questions for the time."""
    clock = SimpleNamespace(monotonic=itertools.count(0, 10).__next__, sleep=lambda _: None)
    lists = iter([[], [], [f"{marks.LEASE}=slow".encode()]])
    monkeypatch.setattr(marks, "time", clock)
    monkeypatch.setattr(marks.os, "listdir", lambda _: ["1", "self"])
    monkeypatch.setattr(marks, "variables", lambda _: next(lists))
    assert list(marks.marked("slow")) == [1]


def test_a_process_whose_parent_died_before_it_could_be_tied_to_it_does_not_start(tmp_path: Path) -> None:
    """Another process stands for the dead parent: it is not the one that was named."""
    words = shell._tied([sys.executable, "-c", f"open({str(tmp_path / 'ran')!r}, 'w')"])
    assert shell.run(["sh", "-c", '"$@" & wait $!', "sh", *words], check=False).code != 0
    assert not (tmp_path / "ran").exists()


def test_a_node_is_entered_without_the_preload_library_and_keeps_the_working_directory(
    tmp_path: Path,
) -> None:
    entered, rest = shell.entering(["nice"], {"LD_PRELOAD": "", "A": "b"}, tmp_path)
    assert (entered, rest) == (["nice", "env", f"--chdir={tmp_path}"], {"A": "b"})
    entered, rest = shell.entering([], {"LD_PRELOAD": "libc.so.6"}, tmp_path)
    assert rest == {}
    done = shell.run([*entered, "sh", "-c", "pwd; echo $LD_PRELOAD"])
    assert done.out.split() == [str(tmp_path), "libc.so.6"]


def test_a_program_ends_although_its_output_cannot_be_kept(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """As on a full disk: more than the pipe holds, and no other reader."""
    argv = ["sh", "-c", "head -c 300000 /dev/zero; echo end"]
    process = shell.attach(argv, env={}, cwd=tmp_path, copies={1: Path("/dev/full")})
    try:
        assert process.wait(30) == 0
        process.copied()
    finally:
        process.stop(grace=0)
    assert capfd.readouterr().out.endswith("end\n")
