"""Which processes of a machine belong to a run, and to which of its nodes: by the mark of the lease."""

import os
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from weft.host import shell
from weft.host.programs import marks

SHARED = "host"
"""The node name for the whole machine."""
_SETTLED = 5.0
"""Seconds after which a process has finished its execs, so that its environment need not be read again."""


@dataclass
class Owners:
    """Remembers the owner of each process: reading an environment costs more than reading counters."""

    leases: str
    """The marks of its processes, as `Layout.marks` has them."""
    known: dict[int, tuple[str, str] | None] = field(default_factory=dict)
    young: set[int] = field(default_factory=set)
    """Known ones whose name may still change: until its exec, a process has the name of the one that starts it."""

    def live(self, kept: Collection[int] = ()) -> Iterator[tuple[int, tuple[str, str]]]:
        """The run's processes now, each with its node and name; `kept` are remembered even if they have ended."""
        there = [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]  # noqa: PTH208 - names only, and often
        # a PID that was free for one reading may belong to another process now
        self.known = {pid: self.known[pid] for pid in self.known.keys() & {*there, *kept}}
        self.young &= self.known.keys()
        for pid in there:
            found = self.known.get(pid)
            if pid not in self.known or pid in self.young:
                found = self._learn(pid) or found
            if found:
                yield pid, found

    def _learn(self, pid: int) -> tuple[str, str] | None:
        found, settled = owner(pid, self.leases)
        if found or (settled and pid not in self.young):
            self.known[pid] = found
        if found and not settled:
            self.young.add(pid)
        else:
            self.young.discard(pid)
        return found


def owner(pid: int, leases: str) -> tuple[tuple[str, str] | None, bool]:
    """Node and name of a process of this run, and whether this is final. `leases`: as `Layout.marks` has them."""
    try:
        variables = marks.variables(pid) or []
        age = time.time() - Path(f"/proc/{pid}").stat().st_ctime
        if marks.value(variables, marks.LEASE) not in leases.split(","):
            return None, age > _SETTLED
        return (marks.value(variables, marks.NODE) or SHARED, shell.title(pid)), age > _SETTLED
    except OSError:
        return None, False
