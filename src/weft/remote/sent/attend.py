"""Runs weft's other programs on a host, each in a process of its own, for as long as the connection to weft lasts.

A line of the standard input asks: `id`, a program's `name` and `source`, and its `request`; with `id` alone, that one's
input ends. A line of the standard output answers: `id`, `code`, `out`, `err`.
"""

import json
import os
import selectors
import sys
import traceback

_CHUNK = 1 << 16


class Asked:
    """A program that runs, and what it has printed."""

    def __init__(self, number: int, pid: int, held: int, printed: "dict[int, str]") -> None:
        self.number = number
        self.pid = pid
        self.held = held
        """The other end of its standard input."""
        self.printed = printed
        """`out` or `err`, by descriptor, of those that are open."""
        self.text = dict.fromkeys(printed.values(), b"")

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
            elif more:
                key.data.text[key.data.printed[key.fd]] += more
            else:
                selector.unregister(key.fd)
                os.close(key.fd)
                del key.data.printed[key.fd]
                if not key.data.printed:
                    answer(running.pop(key.data.number))


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


def answer(asked: Asked) -> None:
    code = asked.code()
    close(asked)
    text = {name: found.decode(errors="replace") for name, found in asked.text.items()}
    sys.stdout.write(json.dumps(dict(text, id=asked.number, code=code)) + "\n")
    sys.stdout.flush()


def close(asked: Asked) -> None:
    shut(asked.held)
    asked.held = -1


def shut(descriptor: int) -> None:
    try:
        os.close(descriptor)
    except OSError:
        pass
