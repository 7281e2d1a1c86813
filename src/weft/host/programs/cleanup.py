"""Finds what a command holds on a host, and removes it on request: its processes, files, mounts and control groups."""

import os
import shlex
import signal
import subprocess
import time
from pathlib import Path

from weft.host.programs import answers, files, groups, marks, mounts, removal

_PATIENCE = 10.0
"""Seconds for killed processes to end."""
_LONGEST = 60.0
"""Seconds for a program that unmounts something or ends a container."""
_ABSENT = 127


def main(request: "dict") -> None:  # type: ignore[type-arg]
    """As `answer`."""
    answers.give(answer, request)


def answer(
    lease: str,
    held: "list[list[str]]",
    remove: bool = False,
    again: bool = False,
) -> "dict[str, list]":  # type: ignore[type-arg]
    """`held`: kinds and paths from the lease; `again`: whether another host may have to remove something first.

    Returns the processes, what is there of the held resources, and kind, path and reason of what could not be removed.
    """
    found = processes(lease, held)
    there = [one for one in held if exists(*one)]
    return {"processes": found, "there": there, "left": removed(lease, held, again) if remove else []}


def processes(lease: str, held: "list[list[str]]") -> "list[dict]":  # type: ignore[type-arg]
    """PID, node, arguments and resident bytes of each process with the mark, or in a control group."""
    found = []
    words = marks.marked(lease)
    for pid in sorted(words.keys() | _grouped(held)):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                arguments = [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]
            with open(f"/proc/{pid}/statm", encoding="utf-8") as statm:
                memory = int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError):
            continue
        node = marks.value(words.get(pid) or marks.variables(pid), marks.NODE)
        found.append({"pid": pid, "node": node, "arguments": arguments, "memory": memory})
    return found


def _grouped(held: "list[list[str]]") -> "set[int]":
    return {pid for kind, path in held if kind == "cgroup" for pid in groups.members(Path(path))}


def removed(lease: str, held: "list[list[str]]", again: bool = False) -> "list[list[str]]":
    """Kill the processes, remove each resource in reverse order. Returns kind, path and reason of what is left."""
    end = time.monotonic() + _PATIENCE
    while True:
        alive = marks.marked(lease).keys() | _grouped(held)
        if not alive or time.monotonic() > end:
            break
        for pid in alive:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.01)
    left = [[*one, ""] for one in held]
    while left:
        left = [[kind, path, undone(kind, path)] for kind, path, _ in reversed(left)][::-1]
        left = [one for one in left if one[2] or (one[0] != "container" and exists(*one[:2]))]
        if (
            not again or time.monotonic() > end
        ):  # two hosts may be one machine: the other's mounts are removed first
            break
        time.sleep(0.05)
    return [["process", str(pid), ""] for pid in sorted(alive)] + left


def undone(kind: str, path: str) -> str:
    """Remove a resource, if it exists. Returns why that is not possible, if a reason is known."""
    if kind == "container":
        code, why = _run(shlex.split(path))
        return why if code == _ABSENT else ""
    if not exists(kind, path):
        return ""
    if kind == "mount":
        return unmounted(path)
    if kind == "cgroup":
        groups.remove(Path(path))
    elif mounts.points(path):
        return "something is still mounted in it"
    else:
        removal.remove_tree(path)
    return ""


def unmounted(path: str) -> str:
    """Unmount what is mounted at a path, as root or with FUSE. Returns why that is not possible."""
    for unmount in (["umount", "-l"], ["fusermount3", "-u", "-z"]):
        code, why = _run([*unmount, path])
        if code == 0:
            return ""
    return why


def _run(arguments: "list[str]") -> "tuple[int, str]":
    """Run a program. Returns its exit code and the last line that it prints, or why it cannot run."""
    try:
        done = subprocess.run(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_LONGEST,
            start_new_session=True,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return _ABSENT, str(error)
    lines = done.stdout.decode(errors="replace").splitlines()
    return done.returncode, "".join(lines[-1:])


def exists(kind: str, path: str) -> bool:
    """Whether the resource exists now, and is not another user's, who was there first."""
    if kind == "mount":
        return path in mounts.points()
    return os.path.lexists(path) and not (kind in ("file", "directory") and files.foreign(path))
