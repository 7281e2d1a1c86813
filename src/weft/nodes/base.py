"""Where processes run."""

import os
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from weft.errors import NodeError, WeftError
from weft.host import shell, signals
from weft.host.lease import Lease
from weft.host.remote.sent.ports import taken
from weft.host.work import Work, WorkDirectory
from weft.text.fields import Size

Answer = TypeVar("Answer")
Some = TypeVar("Some", bound="Node")
_AT_ONCE = 64
"""Most hosts that are talked to at a time."""


@dataclass(frozen=True)
class Node:
    """A place to run a command: name, address, its share of cores and memory (bytes), a private directory."""

    name: str
    address: str
    cores: int
    memory: int
    directory: Path
    prefix: tuple[str, ...] = field(default=(), repr=False)
    """Words before a command that make it run on this node."""
    cgroups: tuple[Path, ...] = field(default=(), repr=False)
    """Control groups (absolute paths) that account for this node alone; empty where nodes share one."""
    network_pid: int | None = field(default=None, repr=False)
    """A process whose /proc/PID/net shows this node's own network; None where the node shares the host's."""
    host: str = ""
    """The machine it is on; empty for the one that weft runs on."""
    enters: ClassVar[str] = ""
    """The program among those before a command that stays until the command ends, as its parent."""

    @property
    def addresses(self) -> set[str]:
        """Those that what it sends may come from."""
        return {self.address}

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
        # entering a node's mount namespace leaves the working directory behind
        enter = [*self.prefix, "env", f"--chdir={cwd}"] if self.prefix and cwd else self.prefix
        marks = {**env, shell.NODE_MARK: self.name}
        return shell.spawn(
            name, [*enter, *argv], log=log, env=marks, cwd=cwd, wrapped=bool(self.prefix), out=out
        )

    def run(self, argv: Sequence[str], *, timeout: float = 60, check: bool = True) -> shell.Completed:
        """Run a short command on this node to its end."""
        return shell.run([*self.prefix, *argv], timeout=timeout, check=check)

    def call(self, question: Callable[[], Answer]) -> Answer:
        """Answer a question from where this node stands in the network."""
        return question()

    def taken(self, ports: Sequence[int]) -> dict[str, str]:
        """Those of some ports that nobody can bind on this node's address, and who has them, in words."""
        return self.call(lambda: taken(self.address, list(ports)))

    def privileged(self) -> bool:
        """Whether commands on this node are root's."""
        return os.geteuid() == 0

    def tool(self, name: str, package: str) -> str:
        """A program as this node finds it. Raises MissingError naming the Debian package that has it."""
        return shell.tool(name, package)

    def sees(self, path: Path) -> bool:
        """Whether a path is there on this node."""
        return path.exists()

    def make(self, *paths: Path) -> None:
        """Directories on this node, for this user alone."""
        for path in paths:
            path.mkdir(parents=True, exist_ok=True, mode=0o700)

    def claim(self, path: Path, work: Work) -> None:
        """A directory outside the run's own, which must not be there yet; removed when the run ends."""
        work.claim(path)

    def note(self, lease: Lease, kind: str, path: Path | str) -> None:
        """Write down what is to be made on this node, before it is."""
        lease.note(kind, path=str(path))

    def receive(self, files: Mapping[Path, str | bytes]) -> None:
        """Files that are on another machine, which this node has to have too."""

    def give(self, paths: Sequence[Path]) -> dict[Path, bytes]:
        """What files of this node hold."""
        return {path: path.read_bytes() for path in paths}


def everywhere(nodes: Sequence[Some], action: Callable[[Some], Answer]) -> list[Answer]:
    """Do something for each node, all at once. Raises the first error, saying how many more there are.

    Nothing that is started in it may outlive it: processes end with the thread that started them.
    """
    with ThreadPoolExecutor(max_workers=min(_AT_ONCE, len(nodes) or 1)) as pool:
        done = [pool.submit(action, node) for node in nodes]
    signals.check()
    errors = [error for each in done if (error := each.exception())]
    if errors and errors[1:] and isinstance(errors[0], WeftError):
        errors[0].message += f" (and {len(errors) - 1} more like it)"
    if errors:
        raise errors[0]
    return [each.result() for each in done]


def one_a_host(nodes: Sequence[Some]) -> list[Some]:
    """The first node of each machine."""
    return list({node.host: node for node in reversed(nodes)}.values())[::-1]


def require_shared(nodes: Sequence[Node], directory: Path, what: str, hint: str, *, here: bool) -> None:
    """Raises NodeError naming the nodes (and, where `here`, weft's own machine) that do not see what one of them writes."""
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
            f"{', '.join(blind)}: what {first.name} writes into {directory} is not seen there; "
            f"{what} has to stand on a file system that all hosts share",
            hint=hint,
        )


class Nodes(BaseModel, ABC):
    """Configuration of a set of nodes, and the way to get them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    count: int = Field(default=2, ge=1, description="how many nodes")
    cores: int | None = Field(
        default=None, ge=1, description="cores per node; default: an equal share of the machine"
    )
    memory: Size | None = Field(
        default=None, description="memory per node; default: an equal share of what is available"
    )

    elsewhere: ClassVar[bool] = False
    """Whether they are other machines than weft's own, whose directories are not known before they are there."""
    positional: ClassVar[str] = "count"
    """The key that the value after the colon stands for: virtual:3."""
    lists: ClassVar[frozenset[str]] = frozenset()
    """Keys whose value may hold commas in the one-line form."""

    @abstractmethod
    def sketch(self, site: WorkDirectory) -> list[Node]:
        """The nodes that `acquire` would give, without making anything."""

    @abstractmethod
    def acquire(self, work: Work, visible: Sequence[Path]) -> AbstractContextManager[list[Node]]:
        """Nodes for the length of a `with`. `visible` are paths every node must see under the same name."""

    def about(self) -> dict[str, Any]:
        """What a record says of where the nodes come from; nothing for this machine's own."""
        return {}

    @abstractmethod
    def limits(self) -> list[str]:
        """What is lost on this machine, one sentence each; empty when nothing is."""
