"""Adopted processes: their own parent has ended, and the kernel has made them children of weft (`subreaper`)."""

import os
import time
from contextlib import suppress
from pathlib import Path

import psutil

from weft.host import shell, subreaper
from weft.host.programs import marks

_PATIENCE = 10.0
"""Seconds for killed processes to end."""


def found() -> list[psutil.Process]:
    """Live adopted processes and their descendants; none before `subreaper.adopt`."""
    if not subreaper.adopting():
        return []
    own = shell.started()
    adopted = [child for child in psutil.Process().children() if child.pid not in own]
    return [one for child in adopted for one in (child, *_below(child)) if _alive(one)]


def end(*, unmarked: bool = False) -> None:
    """Kill them; with `unmarked`, only those without a lease's mark, which nobody else would find."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        reap()
        left = [
            one for one in found() if not (unmarked and marks.value(marks.variables(one.pid), marks.LEASE))
        ]
        if not left:
            break
        for one in left:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        time.sleep(0.01)


def reap(age: float = 0) -> None:
    """Remove adopted processes that have ended from the kernel's table, as any parent must.

    `age`: only those that started so many seconds ago, while other threads start processes: one is known only a moment later.
    """
    own = shell.started()
    while subreaper.adopting():
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None or ended.si_pid in own or _age(ended.si_pid) < age:
                return
            os.waitpid(ended.si_pid, os.WNOHANG)
        except (ChildProcessError, FileNotFoundError, ProcessLookupError):
            return  # another thread has waited for it, before its file was opened or before it was read


def _age(pid: int) -> float:
    begin = (
        Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19]
    )  # in ticks since boot (proc(5))
    return time.clock_gettime(time.CLOCK_BOOTTIME) - int(begin) / os.sysconf("SC_CLK_TCK")


def _below(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
