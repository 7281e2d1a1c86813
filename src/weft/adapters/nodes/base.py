"""Where processes run."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from weft.errors import WeftError
from weft.host import signals
from weft.host.work import Work, WorkDirectory
from weft.layout.node import Node
from weft.text.fields import MOST, Size

Answer = TypeVar("Answer")
Some = TypeVar("Some", bound="Node")
_AT_ONCE = 64
"""Maximum number of hosts to communicate with at a time."""


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


class Nodes(BaseModel, ABC):
    """Configuration of a set of nodes, and how to acquire them."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    kind: str
    count: int = Field(default=2, ge=1, le=MOST, description="number of nodes")
    cores: int | None = Field(
        default=None, ge=1, le=MOST, description="cores per node; default: an equal share of the machine"
    )
    memory: Size | None = Field(
        default=None, description="memory per node; default: an equal share of the available memory"
    )

    on_other_hosts: ClassVar[bool] = False
    """Whether they are other machines than weft's own, whose directories are not known before they are there."""
    reached_by: ClassVar[str] = "every user of this machine"
    """Who else can connect to their ports."""
    private: ClassVar[bool] = False
    """Whether no other user of the machine can."""
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
