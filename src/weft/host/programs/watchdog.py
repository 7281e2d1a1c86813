"""The cleanup watchdog: waits on a host until its run ends, for whatever cause, and then removes the run's directories.

It is for an end in which weft cannot clean up: a cancelled job accepts no new steps, but lets its running steps finish.
"""

import os
import signal
import sys
import threading
import time

from weft.host.programs import cleanup, marks, mounts

_PATIENCE = 20.0
"""Seconds for the run's processes to end; a cancelled job's steps are killed after 30 (Slurm's KillWait)."""
_OTHERS = 5.0
"""Seconds for the watchdogs of hosts that share a directory: the last one removes all of it."""


def main(request: "dict") -> None:  # type: ignore[type-arg]
    """`lease`: of the run; `directories`: to remove; `apart`: in its own session. Prints when it is ready.

    `own`: what of the first directory is this node's; `others`: what other nodes have in it, if hosts share it.
    """
    ended = threading.Event()
    if request.get("apart"):
        os.setsid()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    threading.Thread(target=_listen, args=(ended,), daemon=True).start()
    print("there", flush=True)
    while not ended.wait(1):  # without a timeout, signal handlers would not run
        pass
    end = time.monotonic() + _PATIENCE
    while marks.marked(request["lease"]) and time.monotonic() < end:
        time.sleep(0.1)
    clear(request["directories"], request.get("own", ""), request.get("others", []))
    os._exit(0)  # a normal exit would wait for the thread that reads the standard input


def _listen(ended: threading.Event) -> None:
    sys.stdin.buffer.read()
    ended.set()


def clear(directories: "list[str]", own: str, others: "list[str]") -> None:
    """Remove the run's directories; while other nodes use the first one, only what is this node's: the run may go on there."""
    if own:
        remove(own)
    end = time.monotonic() + _OTHERS
    while used(directories[0], others):
        if time.monotonic() > end:
            return
        time.sleep(0.2)
    for path in directories:
        remove(path)


def used(directory: str, others: "list[str]") -> bool:
    """Whether other nodes have something in a directory. NFS reads it again after a change from here."""
    try:
        os.utime(directory)
        return bool(set(os.listdir(directory)) & set(others))
    except FileNotFoundError:
        return False
    except OSError:  # such as ESTALE: what cannot be seen may be used
        return bool(others)


def remove(path: str) -> None:
    """Remove a directory, unless something that cannot be unmounted is mounted in it."""
    for point in reversed(mounts.points(path)):
        cleanup.unmounted(point)
    cleanup.undone("directory", path)
