"""What the kernels of a run's hosts and their file systems say of it: processes killed for memory, what is full."""

import math
import os
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere, one_a_host
from weft.errors import FailureEvidence, WeftError
from weft.host import ask as asking
from weft.layout.node import Node
from weft.layout.plan import Layout
from weft.text.units import show_size

_KILLED = re.compile(r"Killed process \d+ \((?P<program>[^)]*)\)")
_POLL = 1.0
"""Seconds between samples."""
_FULL = 0.97
"""The share of a file system in use at which writes begin to fail: some of it is reserved."""


@dataclass(frozen=True)
class Killed:
    """Processes that the kernel killed for memory."""

    says: str
    evidence: FailureEvidence
    certain: bool
    """Whether they belong to this run: those of a control group of its own."""


@dataclass
class Kernel:
    """What the hosts reported when a program began."""

    layout: Layout
    before: Mapping[str, Any]
    fullest: dict[str, float] = field(default_factory=dict)
    """By directory of a role on this machine: the highest share in use of its file system."""
    sampled: float = -math.inf

    @classmethod
    def of(cls, layout: Layout) -> "Kernel":
        return cls(layout, _asked(layout))

    def sample(self) -> None:
        """Remember how full the file systems are that weft made: what filled one may be gone when the program has ended."""
        if time.monotonic() < self.sampled + _POLL:
            return
        self.sampled = time.monotonic()
        for path in self._own():
            with suppress(OSError):
                found = os.statvfs(path)
                share = 1 - found.f_bavail / max(1, found.f_blocks)
                self.fullest[path] = max(share, self.fullest.get(path, 0.0))

    def _own(self) -> list[str]:
        """Paths of file systems of a limited size on this machine, whose answer costs nothing."""
        near = [node.name for node in self.layout.all_nodes if not node.host]
        return [
            place.paths[name]
            for place in self.layout.places.values()
            for name in near
            if any(mount.size for mount in place.expected.get(name, ()))
        ]

    def full(self) -> tuple[str, str]:
        """A role's directory whose file system was full, as text, and its node; empty if none was."""
        self.sample()
        now = {path: share for found in _asked(self.layout).values() for path, share in found["full"].items()}
        for role, place in self.layout.places.items():
            for node, path in place.paths.items():
                if max(now.get(path, 0.0), self.fullest.get(path, 0.0)) >= _FULL:
                    return f"the {role} ({place.description}) was full", "" if place.shared else node
        return "", ""

    def killed(self) -> Killed | None:
        """What the kernels have killed for memory since."""
        for host, now in _asked(self.layout).items():
            then = self.before.get(host, {"kills": {}, "host": 0, "words": []})
            words = now["words"][len(then["words"]) :]
            for file, count in now["kills"].items():
                if count > then["kills"].get(file, 0):
                    return self._of_group(file, count, words)
            if now["host"] > then["host"]:
                return _of_host(now["host"] - then["host"], host, words)
        return None

    def _of_group(self, file: str, count: int, words: Sequence[str]) -> Killed:
        node = next(
            (n for n in self.layout.all_nodes if any(file.startswith(f"{g}/") for g in n.cgroups)), None
        )
        limit = f" of {show_size(node.memory)}" if node else " of the batch job's control group"
        program = (
            f" a process ({match['program']})"
            if (match := _KILLED.search("".join(words[-1:])))
            else " a process"
        )
        return Killed(
            f"the memory limit{limit} was reached, and the kernel killed{program}",
            FailureEvidence(
                file,
                0,
                "; ".join([f"oom_kill {count}", *words[-1:]]),
                "memory-limit",
                node.name if node else "",
            ),
            certain=True,
        )


def _of_host(count: int, host: str, words: Sequence[str]) -> Killed:
    processes = "a process" if count == 1 else f"{count} processes"
    says = f"meanwhile the kernel killed {processes} of this host because its memory was exhausted"
    excerpt = "; ".join([f"oom_kill +{count}", *words[-1:]])
    return Killed(says, FailureEvidence("/proc/vmstat", 0, excerpt, "host-memory", host), certain=False)


def _asked(layout: Layout) -> dict[str, Any]:
    """By host: the answer of `host/programs/limits.py`; of a host that does not answer, nothing."""
    hosts = one_a_host(layout.all_nodes)
    return {
        host.host: found for host, found in zip(hosts, everywhere(hosts, _ask(layout)), strict=True) if found
    }


def _ask(layout: Layout) -> Any:
    def ask(host: Node) -> Any:
        nodes = [node for node in layout.all_nodes if node.host == host.host]
        groups = [str(path) for node in nodes for path in node.cgroups]
        # not through the node's network, which has ended with its cluster
        with suppress(WeftError):
            request = {"groups": groups, "paths": _directories(layout, nodes)}
            return asking.ask(access(host).reach, "limits", request, timeout=20)
        return None

    return ask


def _directories(layout: Layout, nodes: Sequence[Node]) -> list[str]:
    paths = [
        place.paths[node.name]
        for place in layout.places.values()
        for node in nodes
        if node.name in place.paths
    ]
    return [path for path in dict.fromkeys(paths) if "://" not in path]
