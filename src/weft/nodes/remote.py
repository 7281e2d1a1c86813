"""A node on another host, whose commands run through a client such as ssh or srun; and how to acquire one."""

import base64
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from weft.errors import NodeError
from weft.host import shell
from weft.host.lease import Lease
from weft.host.provision.jdk import OLDEST
from weft.host.remote.agent import Agent
from weft.host.remote.reach import Reach
from weft.host.remote.sent.files import coded
from weft.host.work import Work
from weft.nodes.base import Node, everywhere

_PATIENCE = 5.0
"""Seconds for connections to close by themselves."""


@dataclass(frozen=True)
class RemoteNode(Node):
    """A node on another host; functions for its network run on weft's machine, which must reach its address."""

    reach: Reach = field(kw_only=True, repr=False)
    root: bool = field(default=False, kw_only=True)
    interfaces: Mapping[str, str] = field(default_factory=dict, kw_only=True, repr=False, compare=False)
    """IPv4 address by interface."""

    @property
    def addresses(self) -> set[str]:
        return {self.address, *self.interfaces.values()}

    def spawn(
        self,
        name: str,
        argv: Sequence[str],
        *,
        log: Path,
        env: Mapping[str, str],
        cwd: Path | None = None,
        out: Path | None = None,
    ) -> shell.Process:
        marks = {**env, shell.NODE_MARK: self.name}
        return self.reach.spawn(name, argv, log=log, env=marks, cwd=cwd, out=out)

    def run(self, argv: Sequence[str], *, timeout: float = 60, check: bool = True) -> shell.Completed:
        return self.reach.run(argv, timeout=timeout, check=check, env={shell.NODE_MARK: self.name})

    def taken(self, ports: Sequence[int]) -> dict[str, str]:
        found: dict[str, str] = self.reach.ask("ports", {"address": self.address, "ports": list(ports)})
        return found

    def privileged(self) -> bool:
        return self.root

    def tool(self, name: str, package: str) -> str:  # noqa: ARG002 - the host searches its own PATH
        return name

    def sees(self, path: Path) -> bool:
        return bool(self.reach.ask("files", {"sought": [str(path)]}))

    def make(self, *paths: Path) -> None:
        self.reach.ask("files", {"directories": [str(path) for path in paths]})

    def claim(self, path: Path, work: Work) -> None:
        self.note(work.lease, "directory", path)
        self.reach.ask("files", {"claimed": [str(path)]})

    def note(self, lease: Lease, kind: str, path: Path | str) -> None:
        lease.note(kind, path=str(path), reach=self.reach.text())

    def receive(self, files: Mapping[Path, str | bytes]) -> None:
        self.reach.ask("files", {"files": {str(path): coded(content) for path, content in files.items()}})

    def give(self, paths: Sequence[Path]) -> dict[Path, bytes]:
        found: dict[str, str] = self.reach.ask("files", {"wanted": [str(path) for path in paths]})
        return {Path(path): base64.b64decode(text) for path, text in found.items()}


@contextmanager
def furnished(nodes: Sequence[RemoteNode], work: Work, visible: Sequence[Path]) -> Iterator[list[RemoteNode]]:
    """Nodes whose hosts have been inspected, with directories for the run; all are removed at the end.

    A node of 0 cores or 0 bytes of memory gets what its host has; nothing is created before all have answered.
    """
    looked = everywhere(nodes, lambda node: _look(node, visible))
    _refuse_missing(looked, visible)
    _refuse_old(looked)
    _refuse_few_cores(nodes, looked)
    found = [node for node, _ in looked]
    try:
        everywhere(found, lambda node: _furnish(node, work))
        yield found
    finally:
        work.lease.release_hosts([node.reach for node in found])


@contextmanager
def attended(nodes: Sequence[RemoteNode], work: Work) -> Iterator[list[RemoteNode]]:
    """Nodes with one open connection each, which all requests use from now on."""
    found: list[RemoteNode] = []
    try:
        for node in nodes:
            log = work.directory / f"{node.name}.agent.log"
            found.append(replace(node, reach=node.reach.attended(log)))
        yield found
    finally:
        _dismiss([node.reach.agent for node in found if node.reach.agent])


def _dismiss(agents: Sequence[Agent]) -> None:
    end = time.monotonic() + _PATIENCE
    for agent in agents:
        agent.leave()
    for agent in agents:
        agent.stop(max(0, end - time.monotonic()))


def _furnish(node: RemoteNode, work: Work) -> None:
    node.note(work.lease, "directory", work.directory)
    made = [str(path) for path in (work.directory.parent, work.directory, node.directory)]
    try:
        node.reach.ask("files", {"directories": made, "own": made[:1]})
    except NodeError as error:
        error.hint = error.hint or "set WEFT_WORK to a directory that you can write on every host"
        raise


Looked = tuple[RemoteNode, dict[str, Any]]
"""A node, and the facts about its host."""


def _look(node: RemoteNode, visible: Sequence[Path]) -> Looked:
    found: dict[str, Any] = node.reach.ask("look", {"visible": [str(path) for path in visible]})
    filled = replace(
        node,
        cores=node.cores or found["cores"],
        memory=node.memory or max(0, found["memory"] - _RESERVE),
        root=found["user"] == 0,
        interfaces=found["addresses"],
    )
    return filled, found


_RESERVE = 1 << 30
"""Bytes reserved for a host's operating system."""


def _refuse_missing(looked: Sequence[Looked], visible: Sequence[Path]) -> None:
    for path in map(str, visible):
        lacking = [node.name for node, found in looked if path in found["missing"]]
        if lacking:
            raise NodeError(
                f"{listed(lacking)}: {path} does not exist there; every node must see it",
                hint="put weft, WEFT_CACHE and WEFT_RUNS on a file system that all hosts share, and the JDK under one path",
            )


def _refuse_few_cores(asked: Sequence[RemoteNode], looked: Sequence[Looked]) -> None:
    for node, (_, found) in zip(asked, looked, strict=True):
        if node.cores > found["cores"]:
            raise NodeError(
                f"{node.name} was to have {node.cores} cores, but commands on it may use {found['cores']}",
                hint=f"request cores={found['cores']}, or omit cores",
            )


def _refuse_old(looked: Sequence[Looked]) -> None:
    """With an old Java, engines fail one after another, each with a different message."""
    old = {
        node.name: f"{path} is Java {version}" if version else f"{path} has a java that cannot run"
        for node, found in looked
        for path, version in found["java"].items()
        if version < OLDEST
    }
    if old:
        raise NodeError(
            f"{listed(list(old))}: {next(iter(old.values()))}; the engines need Java {OLDEST} or newer",
            hint="install one JDK under one path on all hosts and set JAVA_HOME to it; `weft doctor --nodes ...` shows more",
        )


def listed(names: Sequence[str]) -> str:
    """Names for a message: all if they are few, otherwise the first ones."""
    return ", ".join(names) if len(names) <= 5 else f"{', '.join(names[:5])} and {len(names) - 5} more"
