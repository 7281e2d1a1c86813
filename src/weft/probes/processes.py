"""Which processes of a machine belong to a run, and to which of its nodes: by the mark of the lease."""

import os
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from weft.host import shell

SHARED = "host"
"""The node name for the whole machine."""
_SETTLED = 5.0
"""Seconds after which a process has finished its execs, so that its environment need not be read again."""


@dataclass
class Owners:
    """Remembers the owner of each process: reading an environment costs more than reading counters."""

    lease: str
    known: dict[int, tuple[str, str] | None] = field(default_factory=dict)

    def live(self, kept: Collection[int] = ()) -> Iterator[tuple[int, tuple[str, str]]]:
        """The run's processes now, each with its node and name; `kept` are remembered even if they have ended."""
        there = [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]  # noqa: PTH208 - names only, and often
        # a PID that was free for one reading may belong to another process now
        self.known = {pid: self.known[pid] for pid in self.known.keys() & {*there, *kept}}
        for pid in there:
            if pid not in self.known:
                found, settled = owner(pid, self.lease)
                if settled or found:
                    self.known[pid] = found
            else:
                found = self.known[pid]
            if found:
                yield pid, found


def owner(pid: int, lease: str) -> tuple[tuple[str, str] | None, bool]:
    """Node and name of a process of this run, and whether this is final."""
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        age = time.time() - Path(f"/proc/{pid}").stat().st_ctime
        if f"{shell.LEASE_MARK}={lease}".encode() not in variables:
            return None, age > _SETTLED
        mark = f"{shell.NODE_MARK}=".encode()
        node = next((word.removeprefix(mark).decode() for word in variables if word.startswith(mark)), SHARED)
        return (node, shell.title(pid)), True
    except OSError:
        return None, False
