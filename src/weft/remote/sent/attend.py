"""Runs weft's other programs on a host, each in a process of its own, for as long as the connection to weft lasts.

A line of the standard input asks: `id`, a program's `name` and `source`, and its `request`; with `id` alone, that one's
input ends. A line of the standard output answers: `id` and what was printed (`out`, `err`), or at last its `code`.
"""

import base64  # noqa: F401 - what the programs import is there already when one is forked
import codecs
import concurrent.futures  # noqa: F401
import ctypes  # noqa: F401
import json
import os
import selectors
import socket  # noqa: F401
import sys
import threading  # noqa: F401
import traceback

_CHUNK = 1 << 16


class Asked:
    """A program that runs, and where its output comes from."""

    def __init__(self, number: int, pid: int, held: int, printed: "dict[int, str]") -> None:
        self.number = number
        self.pid = pid
        self.held = held
        """The other end of its standard input."""
        self.printed = printed
        """`out` or `err`, by descriptor, of those that are open."""
        self.decoders = {name: codecs.getincrementaldecoder("utf-8")("replace") for name in printed.values()}

    def code(self) -> int:
        status = os.waitpid(self.pid, 0)[1]
        return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def main(request: "dict") -> None:  # type: ignore[type-arg]  # noqa: ARG001 - every program has one
    """Until the standard input ends; what still runs then sees its own end, and acts on it."""
    selector = selectors.DefaultSelector()
    selector.register(0, selectors.EVENT_READ)
    running = {}  # type: dict[int, Asked]
    parts = []  # type: list[bytes]
    while True:
        for key, _ in selector.select():
            more = os.read(key.fd, _CHUNK)
            if key.fd == 0:
                if not more:
                    os._exit(0)
                *ended, rest = more.split(b"\n")
                for line in ended:
                    take(json.loads(b"".join([*parts, line]).decode()), running, selector)
                    parts = []
                parts.append(rest)
                continue
            asked, name = key.data, key.data.printed[key.fd]
            say(id=asked.number, **{name: asked.decoders[name].decode(more, final=not more)})
            if not more:
                selector.unregister(key.fd)
                os.close(key.fd)
                del asked.printed[key.fd]
                if not asked.printed:
                    close(running.pop(asked.number))
                    say(id=asked.number, code=asked.code())


def take(told: "dict", running: "dict[int, Asked]", selector: selectors.BaseSelector) -> None:  # type: ignore[type-arg]
    """Start what is asked for, or end the input of what runs."""
    if "source" not in told:
        if told["id"] in running:
            close(running[told["id"]])
        return
    (gets, held), (out, prints), (err, complains) = os.pipe(), os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        for to, descriptor in enumerate((gets, prints, complains)):
            os.dup2(descriptor, to)
        for name in os.listdir("/proc/self/fd"):
            if int(name) > 2:
                shut(int(name))  # the end of another one's input has to be seen there
        run(told)
    for descriptor in (gets, prints, complains):
        os.close(descriptor)
    asked = running[told["id"]] = Asked(told["id"], pid, held, {out: "out", err: "err"})
    for descriptor in (out, err):
        selector.register(descriptor, selectors.EVENT_READ, asked)


def run(told: "dict") -> None:  # type: ignore[type-arg]
    """Become the program."""
    code = 0
    try:
        space = {}  # type: dict[str, object]
        exec(compile(told["source"], told["name"], "exec"), space)  # noqa: S102 - what weft sent
        space["main"](told["request"])  # type: ignore[operator]
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(end.code + "\n")
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - told as any program tells it
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def say(**answer: object) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def close(asked: Asked) -> None:
    shut(asked.held)
    asked.held = -1


def shut(descriptor: int) -> None:
    try:
        os.close(descriptor)
    except OSError:
        pass
