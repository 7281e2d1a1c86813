"""What nodes of a batch system's job have in common, whatever the batch system."""

import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from weft.adapters.nodes.hosts import Hosts
from weft.errors import NodeError, Stopped, UsageError, WeftError
from weft.host import settings, signals
from weft.host.shell import Process
from weft.host.site.profile import Profile, load
from weft.host.work import Work
from weft.layout.node import Node
from weft.text.fields import Duration
from weft.text.units import write_size

_THERE = 30.0
"""Seconds for a watchdog to start; without one, `weft clean` removes what a job leaves on a node."""


class JobNodes(Hosts):
    """Nodes of a job."""

    scheduler: ClassVar[str]
    """The batch system."""

    wait: Duration | None = Field(
        default=None, description="maximum waiting time in the queue; default: unlimited"
    )

    @abstractmethod
    def directives_of(self, profile: Profile) -> tuple[Sequence[str], Sequence[str]]:
        """Directives of a job with these nodes, and the further ones that the site profile has."""


Given = tuple[int | None, int]
"""What was requested, None if nothing was, and what there is, 0 if only the host knows."""


def shared_default() -> Path:
    """Default directory for input and output: other nodes do not see a node's own directories."""
    return load().shared or settings.runs() / ".shared"


def require_room(job: str, host: str, cores: Given, memory: Given = (None, 0)) -> None:
    """Raises UsageError if a job has fewer cores or less memory on a host than was requested of it."""
    for key, (asked, given), shown in (("cores", cores, str), ("memory", memory, write_size)):
        if asked and given and asked > given:
            raise UsageError(
                f"{job} has {key}={shown(given)} on {host}, but {key}={shown(asked)} was requested",
                hint=f"request {key}={shown(given)}, or omit it; outside of this job, weft submits one with what you request",
            )


@contextmanager
def explained_by(ended: Callable[[], NodeError | None]) -> Iterator[None]:
    """Errors that the batch system caused by ending the job are reported as such."""
    try:
        yield
    except (WeftError, Stopped) as error:
        if why := ended():
            raise why from error
        raise


def watching(node: Node, nodes: Sequence[Node], work: Work) -> dict[str, Any]:
    """The request to the watchdog of a node. Hosts may share the work directory, and one may lose its watchdog alone."""
    others = [one.directory.name for one in nodes if one.directory != node.directory]
    return {
        "lease": work.name,
        "directories": [str(work.directory)],
        "own": str(node.directory),
        "others": others,
    }


@contextmanager
def watched_nodes(begin: Sequence[Callable[[Path], Process]], work: Work) -> Iterator[None]:
    """One watchdog per node, which removes the run's directory if the job is ended externally; `begin` starts one."""
    started: list[Process] = []
    try:
        for number, start in enumerate(begin):
            started.append(start(work.directory / f"watchdog-{number}.log"))
        end = time.monotonic() + _THERE
        while time.monotonic() < end and any(
            one.code() is None and not one.log.read_bytes() for one in started
        ):
            signals.sleep(0.02)
        yield
    finally:
        with ThreadPoolExecutor(max_workers=max(1, min(64, len(started)))) as pool:
            list(pool.map(lambda process: process.stop(grace=0), started))
