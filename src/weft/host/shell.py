"""The only module that starts processes.

Every process gets its own session (so that only weft receives a terminal's Ctrl-C), dies with weft (parent-death
signal), and carries the mark by which `weft clean` finds it.
"""

import os
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, TypeVar

import psutil

from weft.errors import MissingError, WeftError
from weft.host import signals
from weft.host.copied import copied

Text = TypeVar("Text", str, bytes)

_TIED = 'test "$PPID" = "$0" && exec "$@"'
"""A process that is no longer weft's child here was orphaned before the parent-death signal was set."""
_PIPE = 1 << 16
"""Bytes that a pipe buffers before anybody reads (pipe(7))."""


_children: "dict[int, weakref.ref[subprocess.Popen[Any]]]" = {}
"""The processes that weft has started, by PID."""


@dataclass(frozen=True)
class Completed:
    """A finished process: its exit code and output."""

    code: int
    out: str
    err: str


_APT = Path("/usr/bin/apt-get")


def install(package: str) -> str:
    """How to install a package, by its name in Debian, which may be another one elsewhere."""
    return f"{'apt-get install' if _APT.exists() else 'install the package that Debian calls'} {package}"


def tool(name: str, package: str) -> str:
    """The full path of a program. Raises MissingError, which names the Debian package."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/local/sbin")
    if found is None:
        raise MissingError(f"the program `{name}` is not installed", hint=install(package))
    return found


def _started(
    argv: Sequence[str], *, env: Mapping[str, str] | None = None, **how: Any
) -> "subprocess.Popen[Any]":
    # a copy: a child would read the variables of this process, which an import in another thread may move just then
    popen = subprocess.Popen(argv, env={**os.environ, **(env or {})}, **how)
    _children[popen.pid] = weakref.ref(popen)
    return popen


def started() -> set[int]:
    """The children of weft that it has started itself and not waited for yet; others are adopted orphans."""
    known = ((pid, ref()) for pid, ref in list(_children.items()))
    return {pid for pid, popen in known if popen is not None and popen.returncode is None}


def run(
    argv: Sequence[str],
    *,
    timeout: float = 60,
    stdin: str = "",
    env: Mapping[str, str] | None = None,
    check: bool = True,
) -> Completed:
    """Run a short command until it exits. Raises WeftError with its last lines if `check` is set and it fails."""
    pipe = subprocess.PIPE
    try:
        popen = _started(
            list(argv),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
            errors="replace",  # file names in the output may be any bytes
            env=env,
            process_group=0,  # a terminal's Ctrl-C is for weft, which may be cleaning up
        )
        out, err = _communicated(popen, stdin, timeout)
    except FileNotFoundError as error:
        raise MissingError(f"the program `{argv[0]}` is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise WeftError(f"`{argv[0]}` did not end within {timeout:.0f} s") from error
    signals.check()
    if check and popen.returncode != 0:
        raise WeftError(
            f"`{' '.join(argv)}` failed with exit code {popen.returncode}",
            tail=_why(out + err),
        )
    return Completed(popen.returncode, out, err)


def _communicated(popen: "subprocess.Popen[Text]", message: Text | None, timeout: float) -> tuple[Text, Text]:
    """What a process prints to its end, which a signal to weft or the end of its time brings about."""
    with popen:
        try:
            return _answer(popen, message, timeout)
        except BaseException:
            popen.kill()
            raise


def _answer(popen: "subprocess.Popen[Text]", message: Text | None, timeout: float) -> tuple[Text, Text]:
    end = time.monotonic() + timeout
    while True:
        left = end - time.monotonic()
        with suppress(subprocess.TimeoutExpired):
            return popen.communicate(message, timeout=max(0, min(signals.POLL, left)))
        message = None  # it is on its way
        signals.check()
        if left < 0:
            raise subprocess.TimeoutExpired(popen.args, timeout)


def _why(output: str) -> list[str]:
    """The lines with errors, first ones first; otherwise the last lines."""
    lines = [line for line in output.splitlines() if line.strip()]
    return [line for line in lines if "error" in line.lower()][:5] or lines[-5:]


def tail(path: Path, lines: int = 8, size: int = 16384) -> list[str]:
    """The last lines of a log file, from its last `size` bytes; empty if it does not exist."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - size))
            return file.read().decode(errors="replace").splitlines()[-lines:]
    except OSError:
        return []


@dataclass
class Process:
    """A process that outlives the call: a daemon, or a job's driver."""

    name: str
    argv: Sequence[str]
    log: Path
    popen: "subprocess.Popen[bytes]"
    wrapped: bool = False
    copying: tuple[threading.Thread, ...] = ()
    """Threads that copy its output."""

    def copied(self, timeout: float = 5.0) -> None:
        """Wait until its output has been copied; what it started may keep it open for longer."""
        for thread in self.copying:
            thread.join(timeout)

    @property
    def pid(self) -> int:
        """The process itself: the child of `nsenter` if a node wraps its commands."""
        if self.wrapped:
            children = self.family()
            return children[0].pid if children else self.popen.pid
        return self.popen.pid

    def family(self) -> list[psutil.Process]:
        """All descendants that are alive."""
        try:
            return psutil.Process(self.popen.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def code(self) -> int | None:
        """The exit code, or None while it runs. Raises Stopped if the signal that ended it is for weft, too."""
        code = self.popen.poll()
        if code is not None and -code in signals.EXIT_CODES:
            # a signal to weft's process group can reach it before it has a session of its own: that is no failure of it
            signals.check()
        return code

    def wait(self, timeout: float | None = None) -> int | None:
        """The exit code, or None if it still runs after `timeout` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = signals.POLL if end is None else max(0.0, end - time.monotonic())
            with suppress(subprocess.TimeoutExpired):
                return self.popen.wait(min(left, signals.POLL))
            signals.check()
            if left == 0:
                return None

    def stop(self, grace: float = 10) -> None:
        """Send SIGTERM, wait `grace` seconds, then kill it with its descendants."""
        with signals.held():
            family = self.family()
            if self.code() is None:
                target = family[0] if self.wrapped and family else psutil.Process(self.popen.pid)
                _signal(target, signal.SIGTERM)
                if self.wait(grace) is None:
                    _signal(psutil.Process(self.popen.pid), signal.SIGKILL)
            for child in family:
                _signal(child, signal.SIGKILL)
            self.popen.wait()


def _signal(process: psutil.Process, number: signal.Signals) -> None:
    with suppress(psutil.NoSuchProcess):
        process.send_signal(number)


def spawn(
    name: str,
    argv: Sequence[str],
    *,
    log: Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    wrapped: bool = False,
    out: Path | None = None,
    message: bytes = b"",
    kind: "type[Process] | None" = None,
    bound: bool = True,
) -> Process:
    """Start a process that writes to `log` (its standard output to `out`) and is killed when weft dies.

    A `message` is written to its standard input, which stays open while the process is held. A process that is
    not `bound` must exit by itself at the end of its input.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as written, (out or log).open("ab") as printed:
        popen = _started(
            _tied(argv) if bound else list(argv),
            stdin=subprocess.PIPE if message else subprocess.DEVNULL,
            stdout=printed,
            stderr=written,
            env=env,
            cwd=cwd,
            start_new_session=True,
        )
    if popen.stdin is not None:
        _send(popen.stdin, message)
    return (kind or Process)(name, tuple(argv), log, popen, wrapped)


def _bound() -> list[str]:
    return [tool("setpriv", "util-linux"), "--pdeathsig", "KILL", "--"]


def _tied(argv: Sequence[str]) -> list[str]:
    """The same command, killed when weft dies, even if weft dies at once."""
    return [*_bound(), tool("sh", "dash"), "-c", _TIED, str(os.getpid()), *argv]


def talk(argv: Sequence[str], message: bytes, timeout: float) -> Completed:
    """Write a message to a command, and read all its output while its input stays open. Raises TimeoutError."""
    pipe = subprocess.PIPE
    with _started(_tied(argv), stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True) as popen:
        held, popen.stdin = popen.stdin, None  # communicate() would close it
        assert held is not None
        _send(held, message)
        try:
            out, err = _communicated(popen, None, timeout)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        finally:
            popen.kill()
            with suppress(BrokenPipeError):
                held.close()
    return Completed(popen.returncode, out.decode(errors="replace"), err.decode(errors="replace"))


Expired = subprocess.TimeoutExpired
"""Terminates a program that weft communicates with."""


def converse(argv: Sequence[str], message: bytes, log: Path) -> "subprocess.Popen[bytes]":
    """Start a program to communicate with over its standard input and output; it is killed when weft dies."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as written:
        popen = _started(
            _tied(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=written,
            start_new_session=True,
        )
    assert popen.stdin is not None
    _send(popen.stdin, message)
    return popen


def _send(pipe: IO[bytes], message: bytes) -> None:
    """Write in a thread: a client that cannot connect to its host never reads."""

    def write() -> None:
        with suppress(BrokenPipeError, ValueError):
            pipe.write(message)
            pipe.flush()

    if len(message) < _PIPE:
        write()
    else:
        threading.Thread(target=write, daemon=True).start()


def entering(
    prefix: Sequence[str], env: Mapping[str, str], cwd: Path | None = None
) -> tuple[list[str], dict[str, str]]:
    """A prefix that enters namespaces, behind it `env` with the preload library; and the variables without it.

    The programs that enter are outside of the node: its index of a pool would refuse them, as it must.
    """
    library = env.get("LD_PRELOAD")
    # entering a node's mount namespace loses the working directory; options of env come first, then its variables
    moved = [f"--chdir={cwd}"] if cwd else []
    loaded = [f"LD_PRELOAD={library}"] if library else []
    rest = {name: value for name, value in env.items() if name != "LD_PRELOAD"}
    return [*prefix, "env", *moved, *loaded], rest


def attach(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    prefix: Sequence[str] = (),
    copies: Mapping[int, Path] = MappingProxyType({}),
) -> Process:
    """Start a process on weft's own terminal, streams and process group; it is killed when weft dies.

    `copies`: files that get what it writes to its standard output (1) and standard error (2), as the user does.
    """
    # a prefix enters namespaces and forks there: its child is tied to weft as well
    entered, own = entering(prefix, env) if prefix else ([], env)
    arguments = [*entered, *_bound(), *argv] if prefix else argv
    pipes = {name: subprocess.PIPE for number, name in ((1, "stdout"), (2, "stderr")) if number in copies}
    popen = _started(_tied(arguments), env=own, cwd=cwd, **pipes)
    streams = {1: popen.stdout, 2: popen.stderr}
    copying = [copied(stream, number, copies[number]) for number, stream in streams.items() if stream]
    return Process(argv[0], tuple(argv), Path(os.devnull), popen, bool(prefix), tuple(copying))


def detach(argv: Sequence[str], *, stdin: str, log: Path, env: Mapping[str, str]) -> Process:
    """Start a process of weft in its own session, which continues when weft and its terminal have exited."""
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as written:
        popen = _started(
            argv,
            stdin=subprocess.PIPE,
            stdout=written,
            stderr=written,
            start_new_session=True,
            env=env,
        )
    assert popen.stdin is not None
    with suppress(BrokenPipeError), popen.stdin as pipe:
        pipe.write(stdin.encode())
    return Process("supervisor", tuple(argv), log, popen)


def guard(argv: Sequence[str]) -> "subprocess.Popen[bytes]":
    """Start a process of weft that outlives it in any case, and learns of its end by the end of its input."""
    null = subprocess.DEVNULL
    return _started(argv, stdin=subprocess.PIPE, stdout=null, stderr=null, start_new_session=True, cwd="/")


def dismiss(guard: "subprocess.Popen[bytes]") -> None:
    """Write the line after which such a process has nothing to do."""
    assert guard.stdin is not None
    with suppress(BrokenPipeError), guard.stdin as pipe:
        pipe.write(b"\n")
    guard.wait()


def title(pid: int) -> str:
    """The main class of a Java program, else the program's name. Raises OSError if the process is gone."""
    # arguments may be any bytes
    return title_of(Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace").split("\0"))


def title_of(arguments: Sequence[str]) -> str:
    """The same, from the arguments of a command."""
    classes = [
        word for word in arguments[1:] if word.count(".") > 2 and "/" not in word and not word.startswith("-")
    ]
    return classes[0].rpartition(".")[2] if classes else Path((arguments or [""])[0]).name
