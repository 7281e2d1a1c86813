"""What is done on a node: commands, files, ports; on this machine, or on the host that the node is on."""

import base64
import ctypes
import os
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from weft.adapters.nodes.base import everywhere, one_a_host
from weft.errors import NodeError
from weft.host import shell
from weft.host.ask import ask
from weft.host.lease import Lease
from weft.host.programs import marks
from weft.host.programs.files import coded
from weft.host.remote.reach import Reach, of_text
from weft.host.web import token
from weft.host.work import Work
from weft.layout.node import Node

Answer = TypeVar("Answer")
_CLONE_NEWNET = 0x40000000


def access(node: Node) -> "Access":
    """The access to a node."""
    return Access(node, of_text(node.way) if node.way else None)


@dataclass(frozen=True)
class Access:
    """Acts on one node: of this machine, which may be in namespaces of its own, or on another host."""

    node: Node
    reach: Reach | None
    """How its host is reached; None for a node of this machine."""

    def ask(self, program: str, request: Mapping[str, Any], *, timeout: float = 60) -> Any:
        """The answer of one of weft's programs in `host/programs/` on the node. Raises NodeError."""
        return self.call(lambda: ask(self.reach, program, request, timeout=timeout))

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
        own = {**env, marks.NODE: self.node.name}
        if self.reach:
            return self.reach.spawn(name, argv, log=log, env=own, cwd=cwd, out=out)
        prefix = self.node.prefix
        enter, own = shell.entering(prefix, own, cwd) if prefix else ([], own)
        return shell.spawn(name, [*enter, *argv], log=log, env=own, cwd=cwd, wrapped=bool(prefix), out=out)

    def run(self, argv: Sequence[str], *, timeout: float = 60, check: bool = True) -> shell.Completed:
        """Run a short command on the node until it exits."""
        if self.reach:
            return self.reach.run(argv, timeout=timeout, check=check, env={marks.NODE: self.node.name})
        return shell.run([*self.node.prefix, *argv], timeout=timeout, check=check)

    def call(self, question: Callable[[], Answer]) -> Answer:
        """Run a function of weft from within the node's network, or where its address can be reached."""
        pid = self.node.network_pid
        return question() if pid is None else _within(pid, question)

    def taken(self, numbers: Sequence[int]) -> dict[str, str]:
        """By port: why it cannot be bound on the node's address, with the process that uses it, as text."""
        found: dict[str, str] = self.ask("ports", {"address": self.node.address, "ports": list(numbers)})
        return found

    def privileged(self) -> bool:
        """Whether commands on the node run as root."""
        return self.node.root if self.reach else os.geteuid() == 0

    def tool(self, name: str, package: str) -> str:
        """A program on the node, which another host searches on its own PATH. Raises MissingError, which names the Debian package."""
        return name if self.reach else shell.tool(name, package)

    def sees(self, path: Path) -> bool:
        """Whether a path exists on the node."""
        return bool(self.ask("files", {"sought": [str(path)]}))

    def make(self, *paths: Path) -> None:
        """Create directories on the node that only this user can access."""
        self.ask("files", {"directories": [str(path) for path in paths]})

    def claim(self, path: Path, work: Work) -> None:
        """A directory outside the run's own, which must not exist yet; removed when the run ends."""
        if not self.reach:
            work.claim(path)
            return
        self.note(work.lease, "directory", path)
        self.ask("files", {"claimed": [str(path)]})

    def note(self, lease: Lease, kind: str, path: Path | str) -> None:
        """Write an entry to the lease before something is created on the node."""
        lease.note(kind, path=str(path), **({"reach": self.node.way} if self.reach else {}))

    def receive(self, files: Mapping[Path, str | bytes]) -> None:
        """Copy files to the node if it is on another machine."""
        if self.reach:
            self.ask("files", {"files": {str(path): coded(content) for path, content in files.items()}})

    def give(self, paths: Sequence[Path]) -> dict[Path, bytes]:
        """The contents of files on the node."""
        found: dict[str, str] = self.ask("files", {"wanted": [str(path) for path in paths]})
        return {Path(path): base64.b64decode(text) for path, text in found.items()}

    def bearer(self, url: str, secret: str) -> str:
        """The token for a page of the node, made from the run's secret; only for a process of weft's own user."""
        self.require_own(url)
        return token(secret)

    def require_own(self, url: str) -> None:
        """Raises ConnectionRefusedError if nobody listens, PermissionError if another user than weft's own does.

        The token opens all pages of the run.
        """
        where = urlsplit(url)
        asked = {"address": str(where.hostname), "port": where.port or 80}
        try:
            others: list[int] | None = self.ask("ports", asked, timeout=5)
        except NodeError as error:
            raise ConnectionRefusedError(error.message) from error
        if others is None:
            raise ConnectionRefusedError(f"nothing listens at {where.netloc}")
        if others:
            raise PermissionError(f"user {others[0]} listens at {where.netloc} on {self.node.name}")


def _within(pid: int, question: Callable[[], Answer]) -> Answer:
    """Run a function in a thread in the network namespace of a process."""
    answers: list[Answer] = []
    errors: list[BaseException] = []

    def enter() -> None:
        try:
            _enter_network(pid)
            answers.append(question())
        except BaseException as error:  # noqa: BLE001 - raised again in the calling thread
            errors.append(error)

    thread = threading.Thread(target=enter)
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
            f"{', '.join(blind)} cannot see a file that {first.name} wrote to {directory}; "
            f"{what} must be on a file system that all hosts share",
            hint=hint,
        )
