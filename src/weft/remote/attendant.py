"""An open connection to a host, over which weft's programs run there: one login and one start of Python for all of them."""

import itertools
import json
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

from weft import shell
from weft.shell import Completed


class Attendant:
    """The near end of `sent/attend.py`. Any thread may ask; it has to be started where it is to be ended."""

    def __init__(self, words: Sequence[str], begin: bytes, mark: str, log: Path) -> None:
        """`words`: the local command; `begin`: the message that starts the far end, which first prints `mark`."""
        self.log = log
        self._popen = shell.converse(words, begin, log)
        self._mark = mark.encode()
        self._numbers = itertools.count()
        self._asked: dict[int, Future[Completed]] = {}
        self._ended = False
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._begun = threading.Event()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def talk(self, program: Mapping[str, Any], timeout: float) -> Completed:
        """What a program answers. Raises TimeoutError, and EOFError where the connection has ended."""
        number, answer = next(self._numbers), Future[Completed]()
        with self._lock:
            if self._ended:
                raise EOFError
            self._asked[number] = answer
        if not self._begun.wait(timeout):
            raise TimeoutError
        self._send({**program, "id": number})
        try:
            return answer.result(timeout)
        except TimeoutError:
            self._send({"id": number})
            raise

    def leave(self) -> None:
        """End its input, which ends it."""
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
        for answer in left:
            answer.set_exception(EOFError())

    def _give(self, told: Mapping[str, Any]) -> None:
        with self._lock:
            answer = self._asked.pop(told["id"])
        answer.set_result(Completed(told["code"], told["out"], told["err"]))
