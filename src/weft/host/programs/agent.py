"""The remote agent: runs weft's other programs on a host, each in its own process, while its connection to weft is open.

A line of the standard input is a request: `id`, a program's `name` and `source`, and its `request`; `id` and `in` write
to a program's input, `id` alone closes it. A line of the standard output is an answer: `id` and output (`out`, `err`;
bytes that are not UTF-8 are encoded as with Python's `surrogateescape`), or finally the exit `code`.
"""

import base64  # noqa: F401 - imported here once, so that forked programs need not
import codecs
import ctypes  # noqa: F401
import functools
import json
import os
import selectors
import signal
import socket  # noqa: F401
import sys
import threading  # noqa: F401
import types

_CHUNK = 1 << 16


class RunningProgram:
    """A program that runs, and the descriptors of its output."""

    def __init__(self, number: int, name: str, pid: int, held: int, printed: "dict[int, str]") -> None:
        self.number = number
        self.name = name
        self.pid = pid
        self.held = held
        """The other end of its standard input."""
        self.printed = printed
        """`out` or `err`, by descriptor, of those that are open."""
        decoder = codecs.getincrementaldecoder("utf-8")
        self.decoders = {name: decoder("surrogateescape") for name in printed.values()}

    def code(self) -> int:
        status = os.waitpid(self.pid, 0)[1]
        return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def main(request: "dict") -> None:  # type: ignore[type-arg]  # noqa: ARG001 - every program has one
    """Run until the standard input ends; running programs then see the end of their input, and exit."""
    for number in (
        signal.SIGUSR1,
        signal.SIGUSR2,
    ):  # a batch system sends them to all of a job before it ends it
        signal.signal(number, lambda *_: None)
    running = {}  # type: dict[int, RunningProgram]
    try:
        serve(running)
    except (
        BrokenPipeError
    ):  # weft is gone, and what a program printed was noticed before the end of the input
        leave(running)


def serve(running: "dict[int, RunningProgram]") -> None:
    """Answer requests until the standard input ends. Raises BrokenPipeError if nobody reads the answers."""
    selector = selectors.DefaultSelector()
    selector.register(0, selectors.EVENT_READ)
    parts = []  # type: list[bytes]
    while True:
        for key, _ in selector.select():
            more = os.read(key.fd, _CHUNK)
            if key.fd == 0:
                if not more:
                    leave(running)
                *ended, rest = more.split(b"\n")
                for line in ended:
                    take(json.loads(b"".join([*parts, line]).decode()), running, selector)
                    parts = []
                parts.append(rest)
                continue
            asked, name = key.data, key.data.printed[key.fd]
            text = asked.decoders[name].decode(more, final=not more)
            if text:
                say(id=asked.number, **{name: text})
            if not more:
                selector.unregister(key.fd)
                os.close(key.fd)
                del asked.printed[key.fd]
                if not asked.printed:
                    close(running.pop(asked.number))
                    say(id=asked.number, code=asked.code())


def leave(running: "dict[int, RunningProgram]") -> None:
    """Close the input of all programs, and exit when the watchdog has: it may not outlive this process in a job."""
    for asked in running.values():
        close(asked)
    for asked in running.values():
        if asked.name == "weft-watchdog":
            asked.code()
    os._exit(0)


def take(message: "dict", running: "dict[int, RunningProgram]", selector: selectors.BaseSelector) -> None:  # type: ignore[type-arg]
    """Start a requested program; write to the input of a running one, or close it."""
    if "source" not in message:
        if message["id"] in running:
            pass_on(message, running[message["id"]])
        return
    try:
        compiled(message["name"], message["source"])
    except (SyntaxError, ValueError):  # its own process reports that, and the others go on
        pass
    (gets, held), (out, prints), (err, complains) = os.pipe(), os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        for to, descriptor in enumerate((gets, prints, complains)):
            os.dup2(descriptor, to)
        for name in os.listdir("/proc/self/fd"):
            if int(name) > 2:
                shut(int(name))  # otherwise the other program would not see the end of its input
        run(message)
    for descriptor in (gets, prints, complains):
        os.close(descriptor)
    asked = running[message["id"]] = RunningProgram(
        message["id"], message["name"], pid, held, {out: "out", err: "err"}
    )
    for descriptor in (out, err):
        selector.register(descriptor, selectors.EVENT_READ, asked)


def pass_on(message: "dict", asked: "RunningProgram") -> None:  # type: ignore[type-arg]
    """Write to the input of a program, or close it."""
    if "in" in message:
        write(asked.held, message["in"].encode())
    else:
        close(asked)


@functools.lru_cache(maxsize=None)  # noqa: UP033 - Python 3.6 has no functools.cache
def compiled(name: str, source: str) -> "types.CodeType":
    """Compiled once for all processes that are forked later."""
    return compile(source, name, "exec")


def run(message: "dict") -> None:  # type: ignore[type-arg]
    """Run the program in this process."""
    code = 0
    try:
        space = {}  # type: dict[str, object]
        exec(compiled(message["name"], message["source"]), space)  # noqa: S102 - what weft sent
        space["main"](message["request"])  # type: ignore[operator]
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(end.code + "\n")
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - printed as by an ordinary program
        import traceback  # noqa: PLC0415 - takes long, and is rarely needed

        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def say(**answer: object) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def write(descriptor: int, text: bytes) -> None:
    try:
        while text:
            text = text[os.write(descriptor, text) :]
    except OSError:  # it has closed its input, or ended
        pass


def close(asked: RunningProgram) -> None:
    shut(asked.held)
    asked.held = -1


def shut(descriptor: int) -> None:
    try:
        os.close(descriptor)
    except OSError:
        pass
