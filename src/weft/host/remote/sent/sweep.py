"""Finds what a weft command holds on a host, and removes it on request."""

import json
import os
import shlex
import shutil
import signal
import stat
import subprocess
import time


def main(request: "dict") -> None:  # type: ignore[type-arg]
    """`mark`: in the environment of its processes; `held`: kinds and paths from the lease; `remove`: whether to."""
    mark, held = request["mark"].encode(), request["held"]
    answer = {"processes": processes(mark), "there": [one for one in held if exists(*one)]}
    print(json.dumps(dict(answer, left=remove(mark, held) if request["remove"] else [])))


def processes(mark: bytes) -> "list[dict]":  # type: ignore[type-arg]
    """PID, node, arguments and resident bytes of each process with the mark."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{int(name)}/environ", "rb") as file:
                variables = file.read().split(b"\0")
            if mark not in variables:
                continue
            with open(f"/proc/{int(name)}/cmdline") as file:
                command = file.read().split("\0")[:-1]
            with open(f"/proc/{int(name)}/statm") as file:
                memory = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError, IndexError):
            continue
        node = [word[10:].decode() for word in variables if word.startswith(b"WEFT_NODE=")]
        found.append({"pid": int(name), "node": "".join(node), "arguments": command, "memory": memory})
    return found


def remove(mark: bytes, held: "list[list[str]]") -> "list[str]":
    """Kill the processes, remove each resource in reverse order. Returns what could not be removed."""
    end = time.time() + 10
    while True:
        found = processes(mark)
        if not found or time.time() > end:
            break
        for process in found:
            try:
                os.kill(process["pid"], signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.05)
    left = held
    while True:
        for kind, path in reversed(left):
            undo(kind, path)
        left = [one for one in left if exists(*one)]
        if (
            not left or time.time() > end
        ):  # two hosts may be one machine: the other's mounts are removed first
            break
        time.sleep(0.05)
    return [f"process {process['pid']}" for process in found] + [" ".join(one) for one in left]


def undo(kind: str, path: str) -> None:
    """A directory in which something is still mounted is not removed."""
    if kind == "mount" and exists(kind, path):
        subprocess.call(["umount", "-l", path], stderr=subprocess.DEVNULL)
    elif kind == "container":
        with open(os.devnull, "w") as nothing:
            subprocess.call(shlex.split(path), stdout=nothing, stderr=nothing)
    elif kind == "file" and exists(kind, path):
        os.unlink(path)
    elif (
        kind == "directory"
        and exists(kind, path)
        and not any((point + "/").startswith(path + "/") for point in mount_points())
    ):
        shutil.rmtree(path, ignore_errors=True)


def exists(kind: str, path: str) -> bool:
    """Whether the resource exists now."""
    if kind == "mount":
        return path in mount_points()
    return os.path.lexists(path) and not (kind in ("file", "directory") and others(path))


def others(path: str) -> bool:
    """Whether another user created it, where every user can: the run created nothing there."""
    around = os.stat(os.path.dirname(path)).st_mode
    return bool(around & stat.S_IWOTH) and os.lstat(path).st_uid != os.geteuid()


def mount_points() -> "list[str]":
    """Every mount point that this process sees."""
    with open("/proc/self/mounts") as file:
        return [line.split()[1].encode().decode("unicode_escape") for line in file]
