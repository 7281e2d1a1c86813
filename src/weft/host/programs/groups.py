"""Control groups as what holds processes: whatever becomes of their environment, session and parent."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_HIERARCHIES = ("freezer", "pids", "memory")
"""Of version 1, in which a group limits nothing unless it is configured to."""
_PATIENCE = 10.0
"""Seconds for killed processes to leave a group, and for it to be removed."""


def join(group: Path) -> None:
    """Move this process into a group. Raises OSError."""
    (group / "cgroup.procs").write_text(str(os.getpid()), encoding="utf-8")


def current() -> "Path | None":
    """The group of this process: in version 2 where that is mounted, otherwise in one hierarchy of version 1."""
    lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    paths = {controllers: path for _, controllers, path in (line.split(":", 2) for line in lines)}
    roots = [("", _ROOT / "unified"), ("", _ROOT), *((name, _ROOT / name) for name in _HIERARCHIES)]
    for controllers, root in roots:
        found = root / paths.get(controllers, "").lstrip("/")
        if controllers in paths and (found / "cgroup.procs").exists():
            return found
    return None


def members(group: Path) -> "list[int]":
    """The processes in a group and in those below it, except this one; none if it does not exist."""
    found: list[int] = []
    for file in [group / "cgroup.procs", *group.glob("**/*/cgroup.procs")]:
        with suppress(OSError):  # it may be removed at any time
            found += map(int, file.read_text(encoding="utf-8").split())
    return [pid for pid in found if pid not in {0, os.getpid()}]


def kill(group: Path) -> None:
    """Kill every process in a group, and those that they start meanwhile."""
    end = time.monotonic() + _PATIENCE
    found = members(group)
    while found and time.monotonic() < end:
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
        found = members(group)


def remove(group: Path) -> None:
    """Remove a group without processes, and those below it: a killed process leaves it only when it is reaped."""
    end = time.monotonic() + _PATIENCE
    while group.exists() and time.monotonic() < end:
        for path in [*sorted(group.glob("**/"), reverse=True), group]:
            with suppress(OSError):
                path.rmdir()
        if group.exists():
            time.sleep(0.02)
