"""What is done on a node: commands, files, ports; on this machine, or on the host that the node is on."""

import base64
import ctypes
import os
import secrets
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from weft.adapters.nodes.base import everywhere, one_a_host
from weft.errors import NodeError
from weft.host import shell
from weft.host.lease import Lease
from weft.host.programs import marks, ports
from weft.host.programs.files import coded
from weft.host.remote.reach import Reach, of_text
from weft.host.web import token
from weft.host.work import Work
from weft.layout.node import Node

Answer = TypeVar("Answer")
_CLONE_NEWNET = 0x40000000


def access(node: Node) -> "Access":
    """The access to a node."""
    return _Elsewhere(node, of_text(node.way)) if node.way else _Here(node)


@dataclass(frozen=True)
class Access(ABC):
    """Acts on one node."""

    node: Node

    @abstractmethod
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
        """Start a daemon or a driver on the node."""

    @abstractmethod
    def run(self, argv: Sequence[str], *, timeout: float = 60, check: bool = True) -> shell.Completed:
        """Run a short command on the node until it exits."""

    @abstractmethod
    def call(self, question: Callable[[], Answer]) -> Answer:
        """Run a function of weft from within the node's network, or where its address can be reached."""

    @abstractmethod
    def taken(self, numbers: Sequence[int]) -> dict[str, str]:
        """By port: why it cannot be bound on the node's address, with the process that uses it, as text."""

    @abstractmethod
    def strangers(self, address: str, port: int) -> list[int] | None:
        """IDs of other users (not root) who listen on a port of an address of the node; None if nobody listens."""

    @abstractmethod
    def privileged(self) -> bool:
        """Whether commands on the node run as root."""

    @abstractmethod
    def tool(self, name: str, package: str) -> str:
        """The path of a program on the node. Raises MissingError, which names the Debian package."""

    @abstractmethod
    def sees(self, path: Path) -> bool:
        """Whether a path exists on the node."""

    @abstractmethod
    def make(self, *paths: Path) -> None:
        """Create directories on the node that only this user can access."""

    @abstractmethod
    def claim(self, path: Path, work: Work) -> None:
        """A directory outside the run's own, which must not exist yet; removed when the run ends."""

    @abstractmethod
    def note(self, lease: Lease, kind: str, path: Path | str) -> None:
        """Write an entry to the lease before something is created on the node."""

    @abstractmethod
    def receive(self, files: Mapping[Path, str | bytes]) -> None:
        """Copy files to the node if it is on another machine."""

    @abstractmethod
    def give(self, paths: Sequence[Path]) -> dict[Path, bytes]:
        """The contents of files on the node."""

    def bearer(self, url: str, secret: str) -> str:
        """The token for a page of the node, made from the run's secret; only for a process of weft's own user.

        Raises ConnectionRefusedError if nobody listens, PermissionError if somebody else does: the token opens
        all pages of the run.
        """
        where = urlsplit(url)
        others = self.strangers(str(where.hostname), where.port or 80)
        if others is None:
            raise ConnectionRefusedError(f"nothing listens at {where.netloc}")
        if others:
            raise PermissionError(f"user {others[0]} listens at {where.netloc} on {self.node.name}")
        return token(secret)


class _Here(Access):
    """A node of this machine, which may be in namespaces of its own."""

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
        prefix = self.node.prefix
        own = {**env, marks.NODE: self.node.name}
        enter, own = shell.entering(prefix, own, cwd) if prefix else ([], own)
        return shell.spawn(name, [*enter, *argv], log=log, env=own, cwd=cwd, wrapped=bool(prefix), out=out)

    def run(self, argv: Sequence[str], *, timeout: float = 60, check: bool = True) -> shell.Completed:
        return shell.run([*self.node.prefix, *argv], timeout=timeout, check=check)

    def call(self, question: Callable[[], Answer]) -> Answer:
        pid = self.node.network_pid
        return question() if pid is None else _within(pid, question)

    def taken(self, numbers: Sequence[int]) -> dict[str, str]:
        return self.call(lambda: ports.taken(self.node.address, list(numbers)))

    def strangers(self, address: str, port: int) -> list[int] | None:
        return self.call(lambda: ports.strangers(address, port))

    def privileged(self) -> bool:
        return os.geteuid() == 0

    def tool(self, name: str, package: str) -> str:
        return shell.tool(name, package)

    def sees(self, path: Path) -> bool:
        return path.exists()

    def make(self, *paths: Path) -> None:
        for path in paths:
            path.mkdir(parents=True, exist_ok=True, mode=0o700)

    def claim(self, path: Path, work: Work) -> None:
        work.claim(path)

    def note(self, lease: Lease, kind: str, path: Path | str) -> None:
        lease.note(kind, path=str(path))

    def receive(self, files: Mapping[Path, str | bytes]) -> None:
        """They are here."""

    def give(self, paths: Sequence[Path]) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in paths}


@dataclass(frozen=True)
class _Elsewhere(Access):
    """A node on another host; functions for its network run on weft's machine, which must reach its address."""

    reach: Reach

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
        own = {**env, marks.NODE: self.node.name}
        return self.reach.spawn(name, argv, log=log, env=own, cwd=cwd, out=out)

    def run(self, argv: Sequence[str], *, timeout: float = 60, check: bool = True) -> shell.Completed:
        return self.reach.run(argv, timeout=timeout, check=check, env={marks.NODE: self.node.name})

    def call(self, question: Callable[[], Answer]) -> Answer:
        return question()

    def taken(self, numbers: Sequence[int]) -> dict[str, str]:
        asked = {"address": self.node.address, "ports": list(numbers)}
        found: dict[str, str] = self.reach.ask("ports", asked)
        return found

    def strangers(self, address: str, port: int) -> list[int] | None:
        try:
            found: list[int] | None = self.reach.ask("ports", {"address": address, "port": port}, timeout=5)
        except NodeError as error:
            raise ConnectionRefusedError(error.message) from error
        return found

    def privileged(self) -> bool:
        return self.node.root

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
        lease.note(kind, path=str(path), reach=self.node.way)

    def receive(self, files: Mapping[Path, str | bytes]) -> None:
        self.reach.ask("files", {"files": {str(path): coded(content) for path, content in files.items()}})

    def give(self, paths: Sequence[Path]) -> dict[Path, bytes]:
        found: dict[str, str] = self.reach.ask("files", {"wanted": [str(path) for path in paths]})
        return {Path(path): base64.b64decode(text) for path, text in found.items()}


def _within(pid: int, question: Callable[[], Answer]) -> Answer:
    """Run a function in a thread in the network namespace of a process."""
    answers: list[Answer] = []
    errors: list[BaseException] = []

    def ask() -> None:
        try:
            _enter_network(pid)
            answers.append(question())
        except BaseException as error:  # noqa: BLE001 - raised again in the calling thread
            errors.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return answers[0]


def _enter_network(pid: int) -> None:
    descriptor = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY)
    try:
        if ctypes.CDLL(None, use_errno=True).setns(descriptor, _CLONE_NEWNET) != 0:
            raise NodeError(f"cannot enter the network of process {pid}: {os.strerror(ctypes.get_errno())}")
    finally:
        os.close(descriptor)


def require_shared(nodes: Sequence[Node], directory: Path, what: str, hint: str, *, here: bool) -> None:
    """Raises NodeError, which names the nodes (and, with `here`, weft's machine) that do not see what one of them writes."""
    first, *others = one_a_host(nodes)
    if not first.host and not others:
        return
    token = directory / f".weft-{secrets.token_hex(8)}"
    access(first).receive({token: ""})
    try:
        seen = everywhere(others, lambda node: access(node).sees(token)) if others else []
        blind = [node.name for node, sees in zip(others, seen, strict=True) if not sees]
        blind += ["this machine"] if here and not token.exists() else []
    finally:
        access(first).run(["rm", "-f", str(token)])
    if blind:
        raise NodeError(
            f"{', '.join(blind)} cannot see a file that {first.name} wrote to {directory};  "
            f"{what} must be on a file system that all hosts share",
            hint=hint,
        )
