"""A program that a remote agent runs, as seen locally: its output so far, its input, and its end."""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any

from weft.host.shell import Completed, Process

LOST = 255
"""ssh's exit code when its connection is lost (ssh(1))."""
PATIENCE = 10.0
"""Seconds within which a program must exit after the end of its input."""


class RemoteCommand:
    """A requested program, and its output so far."""

    def __init__(
        self, send: Callable[[Mapping[str, Any]], None], number: int, files: Mapping[str, IO[bytes]]
    ) -> None:
        """`files`: where its output is written instead of being kept, by `out` and `err`."""
        self._send = send
        self._number = number
        self._files = files
        self._output = {"out": [""], "err": [""]}
        self._taken = 0
        self._code: int | None = None
        self._lost = False
        self._news = threading.Condition()

    def hear(self, answer: Mapping[str, Any] | None) -> None:
        """Process an answer; None if there will be no more."""
        with self._news:
            if answer is None:
                self._lost = True
            elif "code" in answer:
                self._code = answer["code"]
            else:
                for name in self._output.keys() & answer.keys():
                    self._keep(name, answer[name])
            if answer is None or "code" in answer:
                for file in self._files.values():
                    file.close()
            self._news.notify_all()

    def _keep(self, name: str, text: str) -> None:
        if name not in self._files:
            self._output[name].append(text)
            return
        with suppress(OSError):  # a full disk ends neither the program nor the connection
            self._files[name].write(_bytes(text))

    def code(self) -> int | None:
        """Its exit code, `LOST` if it will never be known, None while it runs."""
        with self._news:
            return LOST if self._lost and self._code is None else self._code

    def line(self, timeout: float) -> str | None:
        """The next line of output; None if it ended without one. Raises TimeoutError, EOFError."""
        self._wait(lambda: len(self._lines()) > self._taken or self._code is not None, timeout)
        lines = self._lines()[self._taken :]
        self._taken += len(lines[:1])
        return lines[0] if lines else None

    def wait(self, timeout: float | None) -> None:
        """Wait until it has ended. Raises TimeoutError, EOFError."""
        self._wait(lambda: self._code is not None, timeout)

    def end(self, timeout: float) -> Completed:
        """All its output, when it has ended; it is killed after the timeout. Raises TimeoutError, EOFError."""
        try:
            self.wait(timeout)
        except TimeoutError:
            self.leave()
            raise
        assert self._code is not None
        out, err = (_bytes("".join(self._output[name])).decode(errors="replace") for name in ("out", "err"))
        return Completed(self._code, out, err)

    def tell(self, text: str) -> None:
        """Write to its input."""
        self._send({"id": self._number, "in": text})

    def leave(self) -> None:
        """Close its input, which ends it."""
        self._send({"id": self._number})

    def _lines(self) -> list[str]:
        return "".join(self._output["out"]).split("\n")[:-1]

    def _wait(self, done: Callable[[], bool], timeout: float | None) -> None:
        end = None if timeout is None else time.monotonic() + timeout
        with self._news:
            while not done():
                if self._lost:
                    raise EOFError
                left = None if end is None else end - time.monotonic()
                if not self._news.wait(left) and left is not None and left <= 0:
                    raise TimeoutError


def _bytes(text: str) -> bytes:
    """The bytes that the program printed: bytes that are not UTF-8 are sent as lone surrogates."""
    return text.encode(errors="surrogateescape")


@dataclass
class AgentProcess(Process):
    """A process on another host that a remote agent started; its local process is the agent's client."""

    asked: RemoteCommand = field(kw_only=True)

    def code(self) -> int | None:
        return self.asked.code()

    def wait(self, timeout: float | None = None) -> int | None:
        with suppress(TimeoutError, EOFError):
            self.asked.wait(timeout)
        return self.code()

    def stop(self, grace: float = 10) -> None:
        """Send SIGTERM, wait `grace` seconds, then kill it with its descendants."""
        if self.code() is None and grace:
            self.asked.tell("stop\n")
            self.wait(grace)
        self.asked.leave()
        self.wait(PATIENCE)
