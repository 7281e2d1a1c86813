"""Who is at the other end of a process's sockets and pipes, as far as it is a process of the run on this machine."""

import os
import re
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, NamedTuple

from weft.facts.peers import CHILD, PYTHON, role
from weft.host.shell import title_of

_LINK = re.compile(r"(socket|pipe):\[(\d+)\]")
_STANDARD = 2
"""The last descriptor of a standard stream, whose other end is of who started the process."""
_FAMILIES = ("tcp", "tcp6")
_ANY = ("00000000", "0" * 32)
_MAPPED = "0000000000000000FFFF0000"
"""Before an address of IPv4 in a socket of IPv6, as those of Java are."""
_LISTENS = "0A"
_INODE, _PATH = 9, 7
"""Fields of a line of /proc/net/tcp, and of one of /proc/net/unix."""


@dataclass
class Peers:
    """`processes`: the run's live processes, each with the address of its node.

    To read a table of connections takes milliseconds, whatever it has: it is read again only for a socket that it lacks, and not often.
    What was found of a descriptor is kept for as long as it exists; what was not is looked for again, less and less often.
    """

    processes: Callable[[], Mapping[int, str]]
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    """By address of a node that runs nothing else: the role of its daemons, which may be on another host."""
    root: str = "/proc"
    known: dict[str, "_Found"] = field(default_factory=dict)
    """By link of a descriptor."""
    servers: dict[tuple[str, str], tuple[str, float]] = field(default_factory=dict)
    """By network namespace and remote address where one listens, the role and when it was found: many connections lead to it."""
    tables: dict[str, tuple[str, float]] = field(default_factory=dict)
    """By network namespace: its connections, and when they were read."""
    AGAIN: ClassVar[float] = 1.0
    """Seconds after which a peer that was not found is looked for again; twice as many each time."""
    OLD: ClassVar[float] = 2.0
    """Seconds for which a table is not read again."""
    KEPT: ClassVar[float] = 10.0
    MOST: ClassVar[int] = 10_000

    def of(self, pid: int, descriptor: int) -> str | None:
        """The role; empty if it is not known; None if it is no socket and no pipe. Raises OSError if it is gone."""
        link = _link(f"{self.root}/{pid}/fd/{descriptor}")
        if not (match := _LINK.fullmatch(link)):
            return None
        now, found = time.monotonic(), self.known.get(link)
        if found is None or (not found.role and now > found.again):
            if len(self.known) + len(self.servers) >= self.MOST:
                self.known.clear()
                self.servers.clear()
            find = self._of_pipe if match[1] == "pipe" else self._of_socket
            pause = 2 * found.pause if found else self.AGAIN
            found = self.known[link] = _Found(find(pid, match[2]), now + pause, pause)
        if found.role or match[1] != "pipe":
            return found.role
        return CHILD if descriptor > _STANDARD and self._leads_out(pid, link) else ""

    def _leads_out(self, pid: int, link: str) -> bool:
        """Whether a process lacks the other end of its pipe: who has it was started by it, such as Hadoop's chmod, and ends sooner than it is found.

        By now the pipe may be closed."""
        return list(self._descriptors(pid)).count(link) < 2

    def _of_pipe(self, pid: int, inode: str) -> str:
        """Of a process that this one has started."""
        for other, words in self._others(pid):
            if parent(self.root, other) == pid and f"pipe:[{inode}]" in self._links(other):
                return _role(words) or CHILD
        return ""

    def _of_socket(self, pid: int, inode: str) -> str:
        if found := self._of_unix(pid, inode):
            return found
        ends = _ends(self._connections(pid, f" {inode} "), inode)
        return self._at(pid, *ends) if ends else ""

    def _at(self, pid: int, local: str, remote: str) -> str:
        """Of the process that listens at the remote address, or has the same connection from its own side."""
        here = self._space(pid)
        found, when = self.servers.get((here, remote), ("", 0.0))
        if found and time.monotonic() - when < self.KEPT:
            return found
        # a server at all addresses is found in the namespace of the node that has the address
        port = remote.rpartition(":")[2]
        servers = [*map(_listens, _forms(remote)), *(_listens(f"{anywhere}:{port}") for anywhere in _ANY)]
        own = [other for other, address in self.processes().items() if hexadecimal(address) in remote][:1]
        texts = [self._connections(other, *servers) for other in (pid, *own)]
        if found := self._holder([_inode(text, server) for text in texts for server in servers]):
            self.servers[here, remote] = found, time.monotonic()
            return found
        if found := next((role for each, role in self.elsewhere.items() if hexadecimal(each) in remote), ""):
            return found
        pairs = [f"{far} {near} " for far in _forms(remote) for near in _forms(local)]
        return self._holder([_inode(text, pair) for text in texts for pair in pairs])

    def _space(self, pid: int) -> str:
        """The network namespace of a process; one of its own where that is not readable."""
        with suppress(OSError):
            return _link(f"{self.root}/{pid}/ns/net")
        return str(pid)

    def _connections(self, pid: int, *wanted: str) -> str:
        """Those of a process's network namespace, with at least one that is wanted as far as there is one."""
        space, now = self._space(pid), time.monotonic()
        text, when = self.tables.get(space, ("", -self.OLD))
        if now - when >= self.OLD and not any(each in text for each in wanted):
            text = "".join(self._table(pid, family) for family in _FAMILIES)
            self.tables[space] = text, now
        return text

    def _of_unix(self, pid: int, inode: str) -> str:
        """Linux does not say who has the other end. It is a Python worker's if one side has a name, and the other has none."""
        text = self._table(pid, "unix")
        paths = {fields[6]: fields[_PATH:] for fields in map(str.split, text.splitlines()[1:])}
        if inode not in paths:
            return ""
        for other, words in self._others(pid):
            if _role(words) == PYTHON:
                sockets = [link[8:-1] for link in self._links(other) if link.startswith("socket:[")]
                if any(each in paths and bool(paths[each]) != bool(paths[inode]) for each in sockets):
                    return PYTHON
        return ""

    def _holder(self, inodes: Iterable[str]) -> str:
        """The role of the process that has one of these sockets; empty if it is not the run's."""
        wanted = {f"socket:[{inode}]" for inode in inodes if inode not in {"", "0"}}
        for other, words in self._others(0) if wanted else ():
            if wanted & self._links(other):
                return _role(words)
        return ""

    def _others(self, pid: int) -> Iterator[tuple[int, list[str]]]:
        for other in self.processes():
            with suppress(OSError):
                if other != pid:
                    yield (
                        other,
                        Path(f"{self.root}/{other}/cmdline")
                        .read_text(encoding="utf-8", errors="replace")
                        .split("\0"),
                    )

    def _links(self, pid: int) -> set[str]:
        return set(self._descriptors(pid))

    def _descriptors(self, pid: int) -> Iterator[str]:
        """The link of each."""
        folder = f"{self.root}/{pid}/fd"
        with suppress(OSError):
            for name in os.listdir(folder):  # noqa: PTH208 - names only, and many
                with suppress(OSError):
                    yield _link(f"{folder}/{name}")

    def _table(self, pid: int, family: str) -> str:
        with suppress(OSError):
            return Path(f"{self.root}/{pid}/net/{family}").read_text(encoding="utf-8", errors="replace")
        return ""


class _Found(NamedTuple):
    """A peer's role, empty if it was not found: when to look again, and how long that waits."""

    role: str
    again: float
    pause: float


def hexadecimal(address: str) -> str:
    """An address of IPv4 as the kernel writes it on a little-endian machine; of others something that no address has."""
    with suppress(OSError):
        return socket.inet_aton(address)[::-1].hex().upper() + ":"
    return "none"


def _link(path: str) -> str:
    return os.readlink(path)  # noqa: PTH115 - often


def _role(words: list[str]) -> str:
    return role(words, title_of(words))


def _forms(address: str) -> tuple[str, ...]:
    """An address of IPv4 as sockets of IPv4 and of IPv6 have it."""
    if len(address.partition(":")[0]) == len(_ANY[0]):
        return address, _MAPPED + address
    return (address.removeprefix(_MAPPED), address) if address.startswith(_MAPPED) else (address,)


def _listens(address: str) -> str:
    """How the line of a server's socket begins."""
    return f"{address} {'0' * len(address.partition(':')[0])}:0000 {_LISTENS} "


def _lines(text: str, part: str) -> Iterator[list[str]]:
    """The fields of each line of a table that contains some text."""
    at = text.find(part)
    while at >= 0:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield text[text.rfind("\n", 0, at) + 1 : end].split()
        at = text.find(part, end)


def _ends(text: str, inode: str) -> tuple[str, str] | None:
    """Local and remote address of a connection, as the kernel writes them."""
    # a user may have the same number
    found = (fields for fields in _lines(text, f" {inode} ") if fields[_INODE : _INODE + 1] == [inode])
    return next(((fields[1], fields[2]) for fields in found), None)


def _inode(text: str, part: str) -> str:
    return next((fields[_INODE] for fields in _lines(text, f" {part}") if len(fields) > _INODE), "")


def parent(root: str, pid: int) -> int:
    """The PID of a process's parent; 0 if it has ended."""
    with suppress(OSError, ValueError, IndexError):
        return int(
            Path(f"{root}/{pid}/stat")
            .read_text(encoding="utf-8", errors="replace")
            .rpartition(")")[2]
            .split()[1]
        )
    return 0
