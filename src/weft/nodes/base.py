"""Where processes run."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from weft import shell
from weft.units import Size
from weft.work import Site, Work

Answer = TypeVar("Answer")


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


class Nodes(BaseModel, ABC):
    """Configuration of a set of nodes, and the way to get them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    count: int = Field(default=2, ge=1, description="how many nodes")
    cores: int | None = Field(
        default=None, ge=1, description="cores per node; default: an equal share of the machine"
    )
    memory: Size | None = Field(
        default=None, description="memory per node; default: an equal share of what is available"
    )

    positional: ClassVar[str] = "count"
    """The key that the value after the colon stands for: virtual:3."""

    @abstractmethod
    def sketch(self, site: Site) -> list[Node]:
        """The nodes that `acquire` would give, without making anything."""

    @abstractmethod
    def acquire(self, work: Work, visible: Sequence[Path]) -> AbstractContextManager[list[Node]]:
        """Nodes for the length of a `with`. `visible` are paths every node must see under the same name."""

    @abstractmethod
    def limits(self) -> list[str]:
        """What is lost on this machine, one sentence each; empty when nothing is."""
