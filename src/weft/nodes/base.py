"""Where processes run."""

import os
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from weft.errors import NodeError, WeftError
from weft.host import shell, signals
from weft.host.lease import Lease
from weft.host.remote.sent.ports import taken
from weft.host.work import Work, WorkDirectory
from weft.text.fields import MOST, Size

Answer = TypeVar("Answer")
Some = TypeVar("Some", bound="Node")
_AT_ONCE = 64
"""Maximum number of hosts to communicate with at a time."""


Network = Literal["compute", "storage"]
"""What traffic is for: engines and most services, or services that store files."""


@dataclass(frozen=True)
class Attachment:
    """A node's place on a further network: its address there, its interface, and its link (bytes a second each way)."""

    address: str
    interface: str
    link: float | None = None


@dataclass(frozen=True)
class Node:
    """Runs commands: name, address, its share of cores and memory (bytes), a private directory."""

    name: str
    address: str
    cores: int
    memory: int
    directory: Path
    prefix: tuple[str, ...] = field(default=(), repr=False)
    """Arguments before a command that make it run on this node."""
    cgroups: tuple[Path, ...] = field(default=(), repr=False)
    """Control groups (absolute paths) of this node alone; empty if nodes share one."""
    network_pid: int | None = field(default=None, repr=False)
    """A process whose /proc/PID/net shows this node's own network; None if the node shares the host's."""
    host: str = ""
    """The host it is on; empty for the machine that runs weft."""
    link: float | None = None
    """Bytes a second that its link carries each way; None where nothing limits it, or nobody says how much it is."""
    storage: Attachment | None = None
    """Where it is on a network of its own for storage traffic; None if it has one network for all traffic."""
    enters: ClassVar[str] = ""
    """The program in the prefix that remains as the parent of the command until it ends."""

    @property
    def addresses(self) -> set[str]:
        """Source addresses of its connections."""
        return {self.address, *([self.storage.address] if self.storage else [])}

    def on(self, network: Network) -> Self:
        """The same node as it is reached on a network: with one network only, always the same."""
        if network == "compute" or self.storage is None:
            return self
        return replace(self, address=self.storage.address, link=self.storage.link)

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
        """Start a daemon or a driver on this node."""
        # entering a node's mount namespace loses the working directory
        enter = [*self.prefix, "env", f"--chdir={cwd}"] if self.prefix and cwd else self.prefix
        marks = {**env, shell.NODE_MARK: self.name}
        return shell.spawn(
            name, [*enter, *argv], log=log, env=marks, cwd=cwd, wrapped=bool(self.prefix), out=out
        )

    def run(self, argv: Sequence[str], *, timeout: float = 60, check: bool = True) -> shell.Completed:
        """Run a short command on this node until it exits."""
        return shell.run([*self.prefix, *argv], timeout=timeout, check=check)

    def call(self, question: Callable[[], Answer]) -> Answer:
        """Run a function from within the node's network."""
        return question()

    def taken(self, ports: Sequence[int]) -> dict[str, str]:
        """By port: why it cannot be bound on this node's address, with the process that uses it, as text."""
        return self.call(lambda: taken(self.address, list(ports)))

    def privileged(self) -> bool:
        """Whether commands on this node run as root."""
        return os.geteuid() == 0

    def tool(self, name: str, package: str) -> str:
        """The path of a program on this node. Raises MissingError, which names the Debian package."""
        return shell.tool(name, package)

    def sees(self, path: Path) -> bool:
        """Whether a path exists on this node."""
        return path.exists()

    def make(self, *paths: Path) -> None:
        """Create directories on this node that only this user can access."""
        for path in paths:
            path.mkdir(parents=True, exist_ok=True, mode=0o700)

    def claim(self, path: Path, work: Work) -> None:
        """A directory outside the run's own, which must not exist yet; removed when the run ends."""
        work.claim(path)

    def note(self, lease: Lease, kind: str, path: Path | str) -> None:
        """Write an entry to the lease before something is created on this node."""
        lease.note(kind, path=str(path))

    def receive(self, files: Mapping[Path, str | bytes]) -> None:
        """Copy files to this node if it is on another machine."""

    def give(self, paths: Sequence[Path]) -> dict[Path, bytes]:
        """The contents of files on this node."""
        return {path: path.read_bytes() for path in paths}


def everywhere(nodes: Sequence[Some], action: Callable[[Some], Answer]) -> list[Answer]:
    """Call a function for each node, concurrently. Raises the first error, with the number of further ones.

    Processes started in it must not outlive it: they end with the thread that started them. A signal waits until all
    functions have returned: what they create must not appear after the cleanup.
    """
    with signals.held(), ThreadPoolExecutor(max_workers=min(_AT_ONCE, len(nodes) or 1)) as pool:
        done = [pool.submit(action, node) for node in nodes]
    errors = [error for each in done if (error := each.exception())]
    if errors and errors[1:] and isinstance(errors[0], WeftError):
        errors[0].message += f" (and {len(errors) - 1} more like it)"
    if errors:
        raise errors[0]
    return [each.result() for each in done]


def one_a_host(nodes: Sequence[Some]) -> list[Some]:
    """The first node on each host."""
    return list({node.host: node for node in reversed(nodes)}.values())[::-1]


def require_shared(nodes: Sequence[Node], directory: Path, what: str, hint: str, *, here: bool) -> None:
    """Raises NodeError, which names the nodes (and, with `here`, weft's machine) that do not see what one of them writes."""
    first, *others = one_a_host(nodes)
    if not first.host and not others:
        return
    token = directory / f".weft-{secrets.token_hex(8)}"
    first.receive({token: ""})
    try:
        seen = everywhere(others, lambda node: node.sees(token)) if others else []
        blind = [node.name for node, sees in zip(others, seen, strict=True) if not sees]
        blind += ["this machine"] if here and not token.exists() else []
    finally:
        first.run(["rm", "-f", str(token)])
    if blind:
        raise NodeError(
            f"{', '.join(blind)} cannot see a file that {first.name} wrote to {directory};  "
            f"{what} must be on a file system that all hosts share",
            hint=hint,
        )


class Nodes(BaseModel, ABC):
    """Configuration of a set of nodes, and how to acquire them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    count: int = Field(default=2, ge=1, le=MOST, description="number of nodes")
    cores: int | None = Field(
        default=None, ge=1, le=MOST, description="cores per node; default: an equal share of the machine"
    )
    memory: Size | None = Field(
        default=None, description="memory per node; default: an equal share of the available memory"
    )

    elsewhere: ClassVar[bool] = False
    """Whether they are other machines than weft's own, whose directories are not known before they are there."""
    reached_by: ClassVar[str] = "every user of this machine"
    """Who else can connect to their ports."""
    positional: ClassVar[str] = "count"
    """The key of the value after the colon: virtual:3."""
    lists: ClassVar[frozenset[str]] = frozenset()
    """Keys whose values may contain commas in the short form."""

    @abstractmethod
    def sketch(self, site: WorkDirectory) -> list[Node]:
        """The nodes that `acquire` would provide, without creating anything."""

    @abstractmethod
    def acquire(self, work: Work, visible: Sequence[Path]) -> AbstractContextManager[list[Node]]:
        """Nodes for the length of a `with` block. `visible` are paths that every node must see under the same name."""

    def explained(self) -> AbstractContextManager[None]:
        """A `with` block in which a stop or an error that the nodes' scheduler caused is reported as such."""
        return nullcontext()

    def about(self) -> dict[str, Any]:
        """What a record contains about the origin of the nodes; nothing for this machine's own."""
        return {}

    def require_unsecured(self) -> None:
        """Raises UsageError if these nodes do not accept a run with security=none."""

    @abstractmethod
    def limits(self) -> list[str]:
        """What is not available on this machine, one sentence each; empty if nothing is missing."""
