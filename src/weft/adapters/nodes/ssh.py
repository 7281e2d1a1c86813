"""Hosts by name, reached with the user's own ssh; each host has one connection for everything."""

import os
import re
import secrets
import shlex
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import psutil
from pydantic import BeforeValidator, Field, model_validator

from weft.adapters.nodes.fabric import on_fabric
from weft.adapters.nodes.hosts import Hosts
from weft.adapters.nodes.remote import SSH_OPTIONS, connected, enumeration, prepared
from weft.errors import NodeError, UsageError
from weft.host import machine, shell, signals
from weft.host.remote.command import LOST
from weft.host.remote.reach import Reach
from weft.host.shell import tool
from weft.host.work import Work, WorkDirectory
from weft.layout.node import Node
from weft.text.arguments import repeat
from weft.text.executes import Executes
from weft.text.fields import MOST, Duration

_ASSUMED_MEMORY = 64 << 30
"""Bytes of memory that a plan assumes before the hosts are inspected."""

_HINTS = {
    "Permission denied": "`ssh {host} true` must work without a password: ssh-copy-id {host}, or start an ssh-agent",
    "Host key verification failed": "connect once by hand to accept its key: ssh {host} true",
    "Could not resolve hostname": "correct the name, or give it an entry in ~/.ssh/config",
    "Connection refused": "nothing listens there: start sshd, or name its port with --set nodes.options='-p PORT'",
}
"""Remedies, by ssh's message."""


def _words(value: Any) -> Any:
    return shlex.split(value) if isinstance(value, str) else value


class SshNodes(Hosts):
    """A list of hosts; the first is the head node."""

    kind: Literal["ssh"] = "ssh"
    positional: ClassVar[str] = "hosts"
    lists: ClassVar[frozenset[str]] = frozenset({"hosts"})

    hosts: str = Field(
        description="host1,host2; a node set such as node[1-4]; or @FILE with one host per line"
    )
    count: int = Field(default=0, ge=0, le=MOST, description="number of hosts, from the first; default: all")
    cores: int | None = Field(
        default=None, ge=1, le=MOST, description="cores per node; default: those of the host"
    )
    fabric: str = Field(default="auto", description="interface that engines bind, such as ib0")
    options: Annotated[
        tuple[str, ...],
        BeforeValidator(_words),
        Executes("ssh runs commands of its options, such as ProxyCommand"),
    ] = Field(default=(), description="options of ssh, such as '-F FILE' or '-p PORT'")
    python: Annotated[str, Executes("the program that runs on each host")] = Field(
        default="python3", description="Python on the hosts, 3.6 or newer"
    )
    deadline: Duration = Field(default=30.0, description="maximum time for a host to answer")

    @model_validator(mode="before")
    @classmethod
    def _name_all(cls, table: Any) -> Any:
        """Expand the list of hosts, so that the record contains their names."""
        if not isinstance(table, dict) or not isinstance(table.get("hosts"), str):
            return table
        names = host_names(table["hosts"])
        return {**table, "hosts": ",".join(names), "count": table.get("count") or len(names)}

    def limits(self) -> list[str]:
        read = (
            []
            if self.cores and self.memory
            else ["cores and memory are read on the hosts when they are acquired"]
        )
        return [*read, "CPU and memory shares are not enforced on ssh hosts"]

    def sketch(self, site: WorkDirectory) -> list[Node]:
        return [
            Node(
                name,
                name,
                self.cores or machine.cores(),
                self.memory or _ASSUMED_MEMORY,
                site.directory / name,
                host=name,
            )
            for name in self._names()
        ]

    def _names(self) -> list[str]:
        names = self.hosts.split(",")
        if self.count > len(names):
            raise UsageError(
                f"{self.count} nodes were requested, but only {len(names)} hosts are named",
                hint="name more hosts, or request fewer nodes with count=N",
            )
        return names[: self.count]

    @contextmanager
    def acquire(self, work: Work, visible: Sequence[Path]) -> Iterator[list[Node]]:
        sockets = Path("/tmp") / f"weft-{secrets.token_hex(4)}"  # noqa: S108 - a socket's path is at most 108 bytes
        work.claim(sockets)
        reaches = [self._reach(name, sockets / str(i)) for i, name in enumerate(self._names())]
        with connected(reaches, work) as opened:
            self._wait(opened)
            with prepared(self._nodes(opened, work), work, visible, self.memory) as inspected:
                yield [*on_fabric(inspected, self.fabric)]

    def _reach(self, host: str, path: Path) -> Reach:
        """The remote agent's connection, which all other commands share."""
        client, opening = self._client(host, path, master="no"), self._client(host, path, master="yes")
        return Reach(host, client, login_shell=True, python=self.python, opening=opening)

    def _client(self, host: str, path: Path, *, master: str) -> tuple[str, ...]:
        own = [
            *SSH_OPTIONS,
            f"ControlMaster={master}",
            f"ControlPath={path}",
            f"ConnectTimeout={self.deadline + 5:.0f}",
        ]
        return (tool("ssh", "openssh-client"), *repeat("-o", own), *self.options, host)

    def _wait(self, opened: Sequence[Reach]) -> None:
        """Wait until every host has answered. Raises NodeError, which names those that did not."""
        end = time.monotonic() + self.deadline
        silent = [(reach.host, agent) for reach in opened if (agent := reach.agent)]
        while silent:
            answered = [one for one in silent if one[1].answered]
            for name, agent in answered:
                if agent.failed() == LOST:
                    raise _refused(name, agent.log)
            silent = [one for one in silent if one not in answered]
            if silent and time.monotonic() > end:
                raise NodeError(
                    f"{enumeration([name for name, _ in silent])} did not answer within {self.deadline:.0f} s",
                    hint="check the host and its name; leave it out, or wait longer with --set nodes.deadline=2m",
                )
            signals.sleep(0.02)

    def _nodes(self, opened: Sequence[Reach], work: Work) -> list[Node]:
        """With the addresses to which ssh is connected, or would connect if it used no proxy."""
        peers = _peers()
        return [
            Node(
                reach.host,
                (peers.get(reach.agent.pid) if reach.agent else "") or self._address(reach.host),
                self.cores or 0,
                self.memory or 0,
                work.directory / reach.host,
                host=reach.host,
                way=reach.text(),
            )
            for reach in opened
        ]

    def _address(self, host: str) -> str:
        config = shell.run([tool("ssh", "openssh-client"), *self.options, "-G", host]).out
        name = next(line.split()[1] for line in config.splitlines() if line.startswith("hostname "))
        try:
            return socket.gethostbyname(name)
        except OSError:
            return (
                name  # behind a jump host this machine may not resolve it; the check of the fabric shows that
            )


def _peers() -> dict[int, str]:
    """The IPv4 address to which a process of this machine is connected, if it is the only one."""
    found: dict[int, str] = {}
    for one in psutil.net_connections("tcp4"):
        if one.pid and one.raddr:
            found[one.pid] = "" if one.pid in found else one.raddr.ip
    return found


def host_names(text: str) -> list[str]:
    """The hosts of a list, a ClusterShell node set or a file, in order, each once. Raises ValueError."""
    from ClusterShell.NodeSet import NodeSet, NodeSetException  # noqa: PLC0415 - reads the site's files at import

    if text.startswith("@") and (
        os.sep in text or Path(text[1:]).is_file()
    ):  # otherwise a node group of the site
        text = ",".join(_lines(Path(text[1:])))
    try:
        # a node set is sorted; the first host in the text is the head node
        parts = re.split(r",(?![^\[]*\])", text)
        names = list(dict.fromkeys(str(name) for part in parts for name in NodeSet(part)))
    except NodeSetException as error:
        raise ValueError(f"{text!r} is not a list of hosts: {error}") from error
    if not names:
        raise ValueError(f"{text!r} names no host; a file with hosts is written @/path/to/it")
    if bad := [name for name in names if not re.fullmatch(r"[A-Za-z0-9_.][A-Za-z0-9_.-]*", name)]:
        raise ValueError(f"{bad[0]!r} is not a host name")
    return names


def _lines(path: Path) -> list[str]:
    """Hosts of a file: one per line, `#` begins a comment."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from error
    return [name for line in lines if (name := line.partition("#")[0].strip())]


def _refused(host: str, log: Path) -> NodeError:
    lines = shell.tail(log, 4)
    hint = next(
        (hint for sign, hint in _HINTS.items() if any(sign in line for line in lines)),
        "try: ssh {host} true",
    )
    return NodeError(f"{host}: ssh cannot connect", tail=lines, hint=hint.format(host=host))
