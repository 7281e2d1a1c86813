"""An open connection to a host, over which weft's programs run there: one login and one start of Python for all of them."""

import itertools
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from weft import shell
from weft.shell import Completed


class Asked:
    """A program that was asked for, and what it has said so far."""

    def __init__(self, send: Callable[[Mapping[str, Any]], None], number: int) -> None:
        self._send = send
        self._number = number
        self._said = {"out": [""], "err": [""]}
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
                    self._said[name].append(told[name])
            self._news.notify_all()

    def line(self, timeout: float) -> str | None:
        """The first line that it prints; None where it ended without one. Raises TimeoutError, EOFError."""
        self._wait(lambda: "\n" in "".join(self._said["out"]) or self._code is not None, timeout)
        printed = "".join(self._said["out"])
        return printed.partition("\n")[0] if "\n" in printed else None

    def end(self, timeout: float) -> Completed:
        """All that it said, when it has ended; it is made to when the time is over. Raises TimeoutError, EOFError."""
        try:
            self._wait(lambda: self._code is not None, timeout)
        except TimeoutError:
            self.leave()
            raise
        assert self._code is not None
        return Completed(self._code, "".join(self._said["out"]), "".join(self._said["err"]))

    def leave(self) -> None:
        """End its input, at which it ends."""
        self._send({"id": self._number})

    def _wait(self, done: Callable[[], bool], timeout: float) -> None:
        end = time.monotonic() + timeout
        with self._news:
            while not done():
                if self._lost:
                    raise EOFError
                if not self._news.wait(end - time.monotonic()) and time.monotonic() > end:
                    raise TimeoutError


class Attendant:
    """The near end of `sent/attend.py`. Any thread may ask; it has to be started where it is to be ended."""

    def __init__(self, words: Sequence[str], begin: bytes, mark: str, log: Path) -> None:
        """`words`: the local command; `begin`: the message that starts the far end, which first prints `mark`."""
        self.log = log
        self._popen = shell.converse(words, begin, log)
        self._mark = mark.encode()
        self._numbers = itertools.count()
        self._asked: dict[int, Asked] = {}
        self._ended = False
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._begun = threading.Event()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def ask(self, program: Mapping[str, Any], timeout: float) -> Asked:
        """Start a program there. Raises TimeoutError where the far end does not begin."""
        if not self._begun.wait(timeout):
            raise TimeoutError
        number = next(self._numbers)
        asked = Asked(self._send, number)
        with self._lock:
            self._asked[number] = asked
            ended = self._ended
        if ended:
            asked.hear(None)
        self._send({**program, "id": number})
        return asked

    def leave(self) -> None:
        """End its input, which ends it and all that it runs."""
        assert self._popen.stdin is not None
        with self._sending, suppress(BrokenPipeError):
            self._popen.stdin.close()

    def stop(self) -> None:
        """Wait for its end, and kill it if that does not come."""
        self.leave()
        try:
            self._popen.wait(5)
        except shell.Expired:
            self._popen.kill()
            self._popen.wait()
        self._listener.join()

    def _send(self, told: Mapping[str, Any]) -> None:
        assert self._popen.stdin is not None
        with self._sending, suppress(BrokenPipeError, ValueError):  # its end is told by the listener
            self._popen.stdin.write(json.dumps(told).encode() + b"\n")
            self._popen.stdin.flush()

    def _listen(self) -> None:
        assert self._popen.stdout is not None
        with self._popen.stdout as lines:
            for line in lines:
                if self._begun.is_set():
                    self._give(json.loads(line))
                elif line.endswith(self._mark):
                    self._begun.set()
        with self._lock:
            self._ended, left = True, list(self._asked.values())
        self._begun.set()
        for asked in left:
            asked.hear(None)

    def _give(self, told: Mapping[str, Any]) -> None:
        with self._lock:
            asked = self._asked[told["id"]]
            if "code" in told:
                del self._asked[told["id"]]
        asked.hear(told)
