"""The cleanup watchdog: waits on a host until its run ends, for whatever cause, and then removes the run's directories.

It is for an end in which weft cannot clean up: a cancelled job accepts no new steps, but lets its running steps finish.
"""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

_PATIENCE = 20.0
"""Seconds for the run's processes to end; a cancelled job's steps are killed after 30 (Slurm's KillWait)."""


def main(request: "dict") -> None:  # type: ignore[type-arg]
    """`mark`: in the environment of the run's processes; `directories`: to remove. Prints when it is ready."""
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    threading.Thread(target=_listen, args=(ended,), daemon=True).start()
    print("there", flush=True)
    while not ended.wait(1):  # without a timeout, signal handlers would not run
        pass
    end = time.time() + _PATIENCE
    absent = 0
    while absent < 2 and time.time() < end:  # a process has no mark for an instant during exec
        absent = 0 if marked(request["mark"].encode()) else absent + 1
        time.sleep(0.1)
    for path in request["directories"]:
        remove(path)
    os._exit(0)  # a normal exit would wait for the thread that reads the standard input


def _listen(ended: threading.Event) -> None:
    sys.stdin.buffer.read()
    ended.set()


def marked(mark: bytes) -> bool:
    """Whether a process of the run exists."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/" + name + "/environ", "rb") as file:
                if mark in file.read().split(b"\0"):
                    return True
        except OSError:
            continue
    return False


def remove(path: str) -> None:
    """Remove a directory, unless something that cannot be unmounted is mounted in it."""
    for point in reversed(mounted(path)):
        for unmount in (["umount", "-l"], ["fusermount3", "-u", "-z"]):
            try:
                done = subprocess.call([*unmount, point], stderr=subprocess.DEVNULL)
            except OSError:
                continue
            if done == 0:
                break
    if not mounted(path):
        shutil.rmtree(path, ignore_errors=True)


def mounted(path: str) -> "list[str]":
    """Mount points in a directory."""
    with open("/proc/self/mounts") as file:
        points = [line.split()[1].encode().decode("unicode_escape") for line in file]
    return [point for point in points if (point + "/").startswith(path + "/")]
