"""An open connection to a host, over which weft's programs run there, with one login and one start of Python."""

import itertools
import json
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from weft.host import shell
from weft.host.remote.command import PATIENCE, AgentProcess, RemoteCommand
from weft.host.shell import Process


class Agent:
    """The local end of `programs/agent.py`. It is thread-safe, but must be started in the thread that stops it."""

    def __init__(self, arguments: Sequence[str], begin: bytes, mark: str, log: Path) -> None:
        """`arguments`: the local command; `begin`: the message that starts the remote end, which first prints `mark`."""
        self.log = log
        self._popen = shell.converse(arguments, begin, log)
        self._mark = mark.encode()
        self._numbers = itertools.count()
        self._asked: dict[int, RemoteCommand] = {}
        self._ended = False
        self._mute = False
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._begun = threading.Event()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    @property
    def pid(self) -> int:
        """The client's process."""
        return self._popen.pid

    @property
    def answered(self) -> bool:
        """Whether the remote end has started, or is known to have failed."""
        return self._begun.is_set()

    def failed(self) -> int | None:
        """The exit code of a client that exited before the remote end started."""
        return self._popen.wait() if self._mute else None

    def spawn(
        self, name: str, argv: Sequence[str], program: Mapping[str, Any], log: Path, out: Path | None
    ) -> Process:
        """Start a program there that runs until it is stopped, with its output in files. Raises TimeoutError."""
        log.parent.mkdir(parents=True, exist_ok=True)
        written = log.open("ab", buffering=0)
        printed = written if out is None else out.open("ab", buffering=0)
        asked = self.ask(program, PATIENCE, {"out": printed, "err": written})
        return AgentProcess(name, tuple(argv), log, self._popen, asked=asked)

    def ask(
        self, program: Mapping[str, Any], timeout: float, files: Mapping[str, IO[bytes]] | None = None
    ) -> RemoteCommand:
        """Start a program there. Raises TimeoutError if the remote end does not start."""
        if not self._begun.wait(timeout):
            raise TimeoutError
        number = next(self._numbers)
        asked = RemoteCommand(self._send, number, files or {})
        with self._lock:
            self._asked[number] = asked
            ended = self._ended
        if ended:
            asked.hear(None)
        self._send({**program, "id": number})
        return asked

    def leave(self) -> None:
        """Close its input, which ends it and all programs that it runs."""
        assert self._popen.stdin is not None
        with self._sending, suppress(BrokenPipeError):
            self._popen.stdin.close()

    def stop(self, patience: float = 5) -> None:
        """Wait some seconds for it to exit, then kill it."""
        self.leave()
        try:
            self._popen.wait(patience)
        except shell.Expired:
            self._popen.kill()
            self._popen.wait()
        self._listener.join()

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._popen.stdin is not None
        with self._sending, suppress(BrokenPipeError, ValueError):  # the listener reports its end
            self._popen.stdin.write(json.dumps(message).encode() + b"\n")
            self._popen.stdin.flush()

    def _listen(self) -> None:
        assert self._popen.stdout is not None
        with self._popen.stdout as lines:
            for line in lines:
                if self._begun.is_set():
                    if message := _answer(line):
                        self._give(message)
                elif line.endswith(self._mark):
                    self._begun.set()
        with self._lock:
            self._ended, left = True, list(self._asked.values())
        self._mute = not self._begun.is_set()
        self._begun.set()
        for asked in left:
            asked.hear(None)

    def _give(self, message: Mapping[str, Any]) -> None:
        with self._lock:
            asked = self._asked.get(message.get("id", -1))
            if asked and "code" in message:
                del self._asked[message["id"]]
        if asked:
            asked.hear(message)


def _answer(line: bytes) -> Mapping[str, Any] | None:
    """None for what another program wrote there, such as one that the host's .bashrc has started in the background."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
