"""Nodes on other hosts, whose commands run through a client such as ssh or srun: how they are acquired."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere
from weft.errors import NodeError
from weft.host.provision.jdk import OLDEST
from weft.host.remote.reach import Reach
from weft.host.work import Work
from weft.layout.node import Node
from weft.text.units import show_size

_PATIENCE = 5.0
"""Seconds for connections to close by themselves."""
SSH_OPTIONS = (
    "BatchMode=yes",
    "ClearAllForwardings=yes",
    "ForwardAgent=no",
    "ForwardX11=no",
    "LogLevel=ERROR",
    "RequestTTY=no",
    "ServerAliveInterval=15",
    "ServerAliveCountMax=4",
    "ControlPersist=no",
)
"""Of every connection with ssh, whatever its user's configuration says; a lost one ends within a minute."""


@contextmanager
def prepared(
    nodes: Sequence[Node], work: Work, visible: Sequence[Path], memory: int | None
) -> Iterator[list[Node]]:
    """Nodes whose hosts have been inspected, with directories for the run; all are removed at the end.

    A node of 0 cores or 0 bytes of memory gets what its host has; nothing is created before all have answered.
    `memory`: bytes that were requested of each node.
    """
    inspected = everywhere(nodes, lambda node: _inspect(node, visible, memory))
    _refuse_missing(inspected, visible)
    _refuse_old(inspected)
    _refuse_ipv6_only(inspected)
    _refuse_few_cores(nodes, inspected)
    _refuse_little_memory(memory or 0, inspected)
    found = [node for node, _ in inspected]
    try:
        everywhere(found, lambda node: _prepare(node, work))
        yield found
    finally:
        work.lease.release_hosts()


@contextmanager
def connected(reaches: Sequence[Reach], work: Work) -> Iterator[list[Reach]]:
    """One open connection to each host, which all requests to its nodes use for the length of a `with` block."""
    opened: list[Reach] = []
    try:
        opened.extend(reach.connected(work.directory / f"{reach.host}.agent.log") for reach in reaches)
        yield opened
    finally:
        _dismiss(opened)


def _dismiss(opened: Sequence[Reach]) -> None:
    end = time.monotonic() + _PATIENCE
    for reach in opened:
        if reach.agent:
            reach.agent.leave()
    for reach in opened:
        reach.close(max(0, end - time.monotonic()))


def _prepare(node: Node, work: Work) -> None:
    access(node).note(work.lease, "directory", work.directory)
    made = [str(path) for path in (work.directory.parent, work.directory, node.directory)]
    try:
        access(node).ask("files", {"directories": made, "own": made[:1]})
    except NodeError as error:
        error.hint = error.hint or "set WEFT_WORK to a directory that you can write on every host"
        raise


Inspected = tuple[Node, dict[str, Any]]
"""A node, and the facts about its host."""


def _inspect(node: Node, visible: Sequence[Path], asked: int | None) -> Inspected:
    found: dict[str, Any] = access(node).ask("inventory", {"visible": [str(path) for path in visible]})
    memory = node.memory or max(0, found["memory"] - _RESERVE)
    if not asked and found["limit"]:
        # a job that asks for memory of each GPU has no variable for it, and less than its whole node
        memory = min(memory, max(0, found["limit"] - _RESERVE))
    filled = replace(
        node,
        cores=node.cores or found["cores"],
        memory=memory,
        root=found["user"] == 0,
        interfaces=found["addresses"],
    )
    return filled, found


_RESERVE = 1 << 30
"""Bytes reserved for a host's operating system."""


def _refuse_missing(inspected: Sequence[Inspected], visible: Sequence[Path]) -> None:
    for path in map(str, visible):
        lacking = [node.name for node, found in inspected if path in found["missing"]]
        if lacking:
            raise NodeError(
                f"{enumeration(lacking)}: {path} does not exist there; every node must see it",
                hint="put weft, WEFT_CACHE and WEFT_RUNS on a file system that all hosts share, and the JDK under one path",
            )


def _refuse_few_cores(asked: Sequence[Node], inspected: Sequence[Inspected]) -> None:
    for node, (_, found) in zip(asked, inspected, strict=True):
        if node.cores > found["cores"]:
            raise NodeError(
                f"{node.name} was to have {node.cores} cores, but commands on it may use {found['cores']}",
                hint=f"request cores={found['cores']}, or omit cores",
            )


def _refuse_little_memory(asked: int, inspected: Sequence[Inspected]) -> None:
    for node, found in inspected:
        if asked > found["memory"]:
            raise NodeError(
                f"{node.name} was to have {show_size(asked)} of memory, but {show_size(found['memory'])} are free there",
                hint=f"request memory={found['memory'] >> 20}M or less, or omit memory",
            )


def _refuse_old(inspected: Sequence[Inspected]) -> None:
    """With an old Java, engines fail one after another, each with a different message."""
    old = {
        node.name: f"{path} is Java {version}" if version else f"{path} has a java that cannot run"
        for node, found in inspected
        for path, version in found["java"].items()
        if version < OLDEST
    }
    if old:
        raise NodeError(
            f"{enumeration(list(old))}: {next(iter(old.values()))}; the engines need Java {OLDEST} or newer",
            hint="install one JDK under one path on all hosts and set JAVA_HOME to it; `weft doctor --nodes ...` shows more",
        )


def _refuse_ipv6_only(inspected: Sequence[Inspected]) -> None:
    lacking = [
        node.name for node, found in inspected if found["ipv6"] and not found["addresses"].keys() - {"lo"}
    ]
    if lacking:
        raise NodeError(
            f"{enumeration(lacking)}: only IPv6 addresses; weft and its engines connect over IPv4",
            hint="give an interface of each host an IPv4 address, which may be a private one",
        )


def enumeration(names: Sequence[str]) -> str:
    """Names for a message: all if they are few, otherwise the first ones."""
    return ", ".join(names) if len(names) <= 5 else f"{', '.join(names[:5])} and {len(names) - 5} more"
