"""Runs one command on a host, and ends it when the connection to weft ends.

A line `stop` on the standard input requests the end of the command (SIGTERM); the end of the input, whatever its cause,
kills all that the command started. The exit code is the command's, or 128 plus the number of the signal that ended it.
"""

import ctypes
import os
import signal
import sys
import threading
import time

from weft.host.programs import openfiles

_CHILD_SUBREAPER = 36
_PARENT_DEATH_SIGNAL = 1
_PROGRAMS = "/usr/local/sbin:/usr/sbin:/sbin"


def main(request: "dict") -> None:  # type: ignore[type-arg]
    """`argv`, `environment`, `directory` (or None), `alone`: whether orphans of the command are killed too."""
    _control(_CHILD_SUBREAPER)
    openfiles.allow()
    environment = dict(os.environ, PATH=os.environ.get("PATH", "/usr/bin:/bin") + ":" + _PROGRAMS)
    environment.update(_joined(request["environment"]))
    command = os.fork()
    if command == 0:
        _become(request["argv"], environment, request["directory"])
    signal.signal(signal.SIGTERM, lambda *_: _send(command, signal.SIGTERM))
    signal.signal(signal.SIGHUP, lambda *_: _kill_all())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_listen, args=(command,), daemon=True).start()
    code = _wait(command)
    if request["alone"]:
        _kill_descendants()
    os._exit(code)


def _joined(environment: "dict[str, str]") -> "dict[str, str]":
    """Modules of Python are found where the host's own login has them, too."""
    paths = [path for path in (environment.get("PYTHONPATH"), os.environ.get("PYTHONPATH")) if path]
    return {**environment, **({"PYTHONPATH": ":".join(paths)} if paths else {})}


def _control(option: int) -> None:
    ctypes.CDLL(None).prctl(option, signal.SIGKILL if option == _PARENT_DEATH_SIGNAL else 1, 0, 0, 0)


def _become(argv: "list[str]", environment: "dict[str, str]", directory: "str | None") -> None:
    """In its own session, which dies with the holder."""
    try:
        os.setsid()
        _control(_PARENT_DEATH_SIGNAL)
        for number in (
            signal.SIGPIPE,
            signal.SIGXFSZ,
        ):  # Python ignores them, and the command would inherit that
            signal.signal(number, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        if directory is not None:
            os.chdir(directory)
        os.execvpe(argv[0], argv, environment)  # noqa: S606 - arguments, which no shell parses
    except OSError as error:
        print("cannot run", argv[0] + ":", error, file=sys.stderr, flush=True)
    os._exit(127)


def _listen(pid: int) -> None:
    for line in sys.stdin.buffer:
        if line == b"stop\n":
            _send(pid, signal.SIGTERM)
    _kill_all()


def _kill_all() -> None:
    _kill_descendants()
    os._exit(128 + signal.SIGKILL)


def _wait(pid: int) -> int:
    """The exit code of the command; also reaps its orphans, whose parent is this process."""
    while True:
        try:
            ended, status = os.waitpid(-1, 0)
        except ChildProcessError:  # another thread reaped it while it killed everything
            return 128 + signal.SIGKILL
        if ended == pid:
            return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _kill_descendants() -> None:
    for _ in range(200):
        found = _descendants()
        if not found:
            return
        for pid in found:
            _send(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            pass
        time.sleep(0.01)


def _descendants() -> "list[int]":
    """Every live process below this one; orphans become its children, so that none is missed."""
    parents = {}
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{int(name)}/stat", encoding="utf-8", errors="replace") as file:
                state, parent = file.read().rpartition(")")[2].split()[:2]
        except (ValueError, OSError):
            continue
        if state != "Z":
            parents[int(name)] = int(parent)
    found: list[int] = []
    level = {os.getpid()}
    while level:
        level = {pid for pid, parent in parents.items() if parent in level}
        found += level
    return found


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        pass
