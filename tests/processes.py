"""Processes of tests: each ends with its block, and their names are no other test's on this machine."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psutil


def own(name: str) -> str:
    """The same for all of this process: others may run the same tests at the same time."""
    return f"{name}-{os.getpid()}"


def nap(seconds: int) -> list[str]:
    """A command that sleeps, which no other test of this machine has."""
    return ["sleep", f"{seconds}.{os.getpid()}"]


@contextmanager
def child(
    *words: str | Path, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Iterator["subprocess.Popen[str]"]:
    """A process with pipes, killed at the end of the block: one that went on after a failure would be waited for."""
    pipe = subprocess.PIPE
    with subprocess.Popen(words, env=env, cwd=cwd, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def runs(pid: int) -> bool:
    """Whether it has not ended. A process of tests that adopts orphans may leave it unreaped."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def says(process: "subprocess.Popen[str]") -> str:
    """The next line that it prints."""
    assert process.stdout is not None
    return process.stdout.readline()


def tell(process: "subprocess.Popen[str]", line: str = "") -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()
