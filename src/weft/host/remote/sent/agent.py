"""Runs weft's other programs on a host, each in a process of its own, for as long as the connection to weft lasts.

A line of the standard input asks: `id`, a program's `name` and `source`, and its `request`; `id` and `in` write to that
one's input, with `id` alone it ends. A line of the standard output answers: `id` and what was printed (`out`, `err`;
bytes that are no UTF-8 as Python's `surrogateescape` has them), or at last its `code`.
"""

import base64  # noqa: F401 - what the programs import is there already when one is forked
import codecs
import ctypes  # noqa: F401
import functools
import json
import os
import selectors
import socket  # noqa: F401
import sys
import threading  # noqa: F401
import types

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
        decoder = codecs.getincrementaldecoder("utf-8")
        self.decoders = {name: decoder("surrogateescape") for name in printed.values()}

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


def take(told: "dict", running: "dict[int, Asked]", selector: selectors.BaseSelector) -> None:  # type: ignore[type-arg]
    """Start what is asked for; write to the input of what runs, or end it."""
    if "source" not in told:
        if told["id"] not in running:
            return
        if "in" in told:
            write(running[told["id"]].held, told["in"].encode())
        else:
            close(running[told["id"]])
        return
    compiled(told["name"], told["source"])
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


@functools.cache
def compiled(name: str, source: str) -> "types.CodeType":
    """Once for all that are forked afterwards."""
    return compile(source, name, "exec")


def run(told: "dict") -> None:  # type: ignore[type-arg]
    """Become the program."""
    code = 0
    try:
        space = {}  # type: dict[str, object]
        exec(compiled(told["name"], told["source"]), space)  # noqa: S102 - what weft sent
        space["main"](told["request"])  # type: ignore[operator]
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(end.code + "\n")
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - told as any program tells it
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


def close(asked: Asked) -> None:
    shut(asked.held)
    asked.held = -1


def shut(descriptor: int) -> None:
    try:
        os.close(descriptor)
    except OSError:
        pass
