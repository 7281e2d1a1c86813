"""What a thread is blocked in: the operation, and who is at the other end of the descriptor that it waits for.

Both are in one line of /proc, /proc/PID/task/TID/syscall: number and arguments of the system call.
"""

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import ClassVar

from weft.adapters.probes.peers import Peers
from weft.facts.threadkinds import call, several

_ON_DESCRIPTORS = frozenset({"read", "write", "network"})
"""Operations on files, and on sockets and pipes too."""
_MOST = 64
"""Descriptors of one call that are looked at."""
_TARGET = re.compile(r"^tfd:\s+(\d+)", re.MULTILINE)


@dataclass
class ThreadWaits:
    """Looks at threads again and again; a thread that is still in the same call is not resolved again, for a while."""

    peers: Peers
    machine: str
    root: str = "/proc"
    seen: dict[tuple[int, int], tuple[bytes, tuple[str, str], float]] = field(default_factory=dict)
    """By process and thread: the line, what was found, and when."""
    KEPT: ClassVar[float] = 2.0
    """Seconds: another descriptor may have the same number by then."""

    def of(self, pid: int, tid: int) -> tuple[str, str]:
        """Operation, and role of the peer; both empty if the thread has ended or is not readable."""
        try:
            line = read(f"{self.root}/{pid}/task/{tid}/syscall")
        except OSError:
            self.seen.pop((pid, tid), None)
            return "", ""
        before, found, when = self.seen.get((pid, tid), (b"", ("", ""), 0.0))
        now = time.monotonic()
        if line != before or now - when > self.KEPT:
            found = self._resolved(pid, line)
            self.seen[pid, tid] = line, found, now
        return found

    def _resolved(self, pid: int, line: bytes) -> tuple[str, str]:
        operation = operation_of(line, self.machine)
        if operation not in _ON_DESCRIPTORS:
            return operation, ""
        with suppress(OSError, ValueError):
            number, *arguments = line.split()
            asked = descriptors(self.root, pid, several(int(number), self.machine), arguments)
            found = [role for each in asked if (role := self.peers.of(pid, each)) is not None]
            if found:
                return "network", next(filter(None, found), "")
        return operation, ""


def operation_of(line: bytes, machine: str) -> str:
    """Of a thread: running, fault, or the category of its system call."""
    first = line.split(b" ", 1)[0].strip()
    if first == b"running":
        return "running"
    return "fault" if first == b"-1" else call(int(first), machine)


def descriptors(root: str, pid: int, kind: str, arguments: list[bytes]) -> Iterator[int]:
    """Those that a call waits for. Raises OSError, also where the process's memory is not readable."""
    first, second = (int(word, 16) for word in arguments[:2])
    if kind == "epoll":
        text = read(f"{root}/{pid}/fdinfo/{first}", 4096).decode()
        yield from list(map(int, _TARGET.findall(text)))[:_MOST]
    elif kind == "poll":
        data = _memory(root, pid, first, 8 * min(second, _MOST))
        yield from (int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 8))
    elif kind == "select":
        data = _memory(root, pid, second, (min(first, 1024) + 7) // 8) if second else b""
        yield from (8 * at + bit for at, byte in enumerate(data) for bit in range(8) if byte >> bit & 1)
    else:
        yield first


def _memory(root: str, pid: int, address: int, size: int) -> bytes:
    """As readable as the line of the system call: the kernel asks for the same right (PTRACE_MODE_ATTACH)."""
    file = os.open(f"{root}/{pid}/mem", os.O_RDONLY)
    try:
        return os.pread(file, size, address)
    finally:
        os.close(file)


def read(path: str, size: int = 1024) -> bytes:
    """The beginning of a file of /proc: half the time of open() and read(), and there are hundreds of them."""
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, size)
    finally:
        os.close(file)
