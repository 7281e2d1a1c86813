"""A program that a remote agent runs, as it is seen from here: what it has said, its input, and its end."""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any

from weft.host.shell import Completed, Process

LOST = 255
"""What ssh has for an exit code when its connection is gone (ssh(1))."""
PATIENCE = 10.0
"""Seconds for what was started to end when its input has."""


class Asked:
    """A program that was asked for, and what it has said so far."""

    def __init__(
        self, send: Callable[[Mapping[str, Any]], None], number: int, files: Mapping[str, IO[bytes]]
    ) -> None:
        """`files`: where what it prints goes instead of being remembered, by `out` and `err`."""
        self._send = send
        self._number = number
        self._files = files
        self._said = {"out": [""], "err": [""]}
        self._taken = 0
        self._code: int | None = None
        self._lost = False
        self._news = threading.Condition()

    def hear(self, told: Mapping[str, Any] | None) -> None:
        """An answer; None where there will be no more."""
        with self._news:
            if told is None:
                self._lost = True
            elif "code" in told:
                self._code = told["code"]
            else:
                for name in self._said.keys() & told.keys():
                    self._keep(name, told[name])
            if told is None or "code" in told:
                for file in self._files.values():
                    file.close()
            self._news.notify_all()

    def _keep(self, name: str, text: str) -> None:
        if name not in self._files:
            self._said[name].append(text)
            return
        with suppress(OSError):  # a full disk ends neither the program nor the connection
            self._files[name].write(_bytes(text))

    def code(self) -> int | None:
        """Its exit code, `LOST` where nobody will tell it, None while it runs."""
        with self._news:
            return LOST if self._lost and self._code is None else self._code

    def line(self, timeout: float) -> str | None:
        """The next line that it prints; None where it ended without one. Raises TimeoutError, EOFError."""
        self._wait(lambda: len(self._lines()) > self._taken or self._code is not None, timeout)
        lines = self._lines()[self._taken :]
        self._taken += len(lines[:1])
        return lines[0] if lines else None

    def wait(self, timeout: float | None) -> None:
        """Until it has ended. Raises TimeoutError, EOFError."""
        self._wait(lambda: self._code is not None, timeout)

    def end(self, timeout: float) -> Completed:
        """All that it said, when it has ended; it is made to when the time is over. Raises TimeoutError, EOFError."""
        try:
            self.wait(timeout)
        except TimeoutError:
            self.leave()
            raise
        assert self._code is not None
        out, err = (_bytes("".join(self._said[name])).decode(errors="replace") for name in ("out", "err"))
        return Completed(self._code, out, err)

    def tell(self, text: str) -> None:
        """Write to its input."""
        self._send({"id": self._number, "in": text})

    def leave(self) -> None:
        """End its input, at which it ends."""
        self._send({"id": self._number})

    def _lines(self) -> list[str]:
        return "".join(self._said["out"]).split("\n")[:-1]

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
    """As the program printed them: what is no UTF-8 is sent as lone surrogates."""
    return text.encode(errors="surrogateescape")


@dataclass
class AgentProcess(Process):
    """A process on another host, which a remote agent started; the local one is the remote agent's client."""

    asked: Asked = field(kw_only=True)

    def code(self) -> int | None:
        return self.asked.code()

    def wait(self, timeout: float | None = None) -> int | None:
        with suppress(TimeoutError, EOFError):
            self.asked.wait(timeout)
        return self.code()

    def stop(self, grace: float = 10) -> None:
        """Ask (SIGTERM), wait `grace` seconds, then kill, descendants included."""
        if self.code() is None and grace:
            self.asked.tell("stop\n")
            self.wait(grace)
        self.asked.leave()
        self.wait(PATIENCE)
