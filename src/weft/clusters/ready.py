"""The application that a persistent cluster has ready for the next measured run, as that run sees it: files on the head node.

`N.starting` is there from before the application N is started until it has ended, `N` is its socket, which is there while it
waits, `N.waited` says that it has waited, and `failed` that the last one ended without.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from weft.adapters.nodes.access import access
from weft.host import signals
from weft.layout.plan import Layout

STARTING, WAITED, FAILED = ".starting", ".waited", "failed"
_PATIENCE = 60.0
"""Seconds for an application to start or to end."""
_POLL = 0.05


@dataclass(frozen=True)
class ReadyApplication:
    """An application that waits for a job."""

    cluster: Layout
    name: str

    @property
    def socket(self) -> Path:
        return folder(self.cluster) / self.name

    @property
    def mark(self) -> str:
        """The mark of its processes, which begins with that of the cluster: with it they end."""
        return f"{self.cluster.run}.ready-{self.name}"

    @property
    def command(self) -> str:
        """The name of its driver's process."""
        return f"ready-{self.name}"

    @property
    def log(self) -> Path:
        return self.cluster.log(self.cluster.head, self.command)


def folder(cluster: Layout) -> Path:
    """The directory of these files."""
    return cluster.directory / "ready"


def find(cluster: Layout) -> ReadyApplication | None:
    """The application of a cluster when it waits; None if it has failed, does not wait in time, or cannot be given a job from here."""
    if (
        cluster.head.host
        and access(cluster.head).run([sys.executable, "-I", "-S", "-c", ""], check=False).code
    ):
        return None
    for names in _listed(cluster):
        if waiting := _waiting(names):
            return ReadyApplication(cluster, waiting[-1])
        if FAILED in names:
            break
    return None


def dismiss(cluster: Layout) -> None:
    """End the application of a cluster, also one that only starts, and wait until it is gone."""
    for names in _listed(cluster):
        if waiting := _waiting(names):
            access(cluster.head).run(["rm", "-f", *(str(folder(cluster) / name) for name in waiting)])
        if not any(name.endswith(STARTING) for name in names):
            break


def _listed(cluster: Layout) -> Iterator[list[str]]:
    """The names of the files, again and again until patience ends."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        yield access(cluster.head).run(["ls", str(folder(cluster))], check=False).out.split()
        signals.sleep(_POLL)


def _waiting(names: Sequence[str]) -> list[str]:
    return [name for name in names if name.isdecimal()]
