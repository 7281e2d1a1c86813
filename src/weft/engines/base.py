"""What is being measured. An engine touches nothing: it turns a layout into data."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, SerializeAsAny

from weft.layout.jvm import SharedClasses
from weft.layout.plan import Client, Command, Job, Layout, Plan
from weft.services.base import Service
from weft.text.family import Family


class Engine(BaseModel, ABC):
    """Configuration of an engine, and the pure functions that describe it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    positional: ClassVar[str] = "version"
    lists: ClassVar[frozenset[str]] = frozenset()
    distributions: ClassVar[tuple[str, ...]] = ()
    """Names of the distributions that it needs."""
    prefix: ClassVar[str] = ""
    """First word of the keys of its own configuration, where they can be told from others: spark."""
    beside: ClassVar[Mapping[str, int]] = {}
    """Ports that it has beside other engines unless it is told any: its own defaults are another's."""
    programs: ClassVar[tuple[str, ...]] = ()
    """How the names of a user's own programs end that it runs."""
    kind: str

    @property
    def label(self) -> str:
        """What it is called in lists and reports."""
        return self.kind

    @property
    def parts(self) -> "Mapping[str, Engine]":
        """By kind: the engines that it is made of; an engine is made of itself alone."""
        return {self.kind: self}

    @property
    def encrypted(self) -> bool:
        """Whether what goes over the network is to be hidden from who can listen to it."""
        return False

    def share(self, kind: str, layout: Layout) -> Layout:  # noqa: ARG002 - for those with parts
        """What one of its parts has of a layout."""
        return layout

    def training(self, home: Path, jar: Path, empty: Path, scratch: Path) -> Sequence[str]:  # noqa: ARG002 - for those that can
        """The words after `java` of a short job that loads the classes its processes load; none where there is no such.

        `jar` is weft's own for the engine, `empty` a directory that a class path may begin with, `scratch` one to write to.
        """
        return ()

    def listed(self, homes: Mapping[str, Path]) -> Mapping[str, SharedClasses]:  # noqa: ARG002 - for those that have it
        """By distribution: processes whose classes are archived while provisioning."""
        return {}

    def services(self) -> Sequence[Service]:
        """The services that it needs as it is configured."""
        return ()

    def recognize(self, home: Path) -> None:
        """Raises UsageError when a directory is no installation of this engine that weft can run."""

    @abstractmethod
    def plan(self, layout: Layout) -> Plan:
        """The files and daemons that make a cluster. Raises UsageError when it cannot fit the nodes."""

    @abstractmethod
    def submit(self, job: Job, layout: Layout) -> Command:
        """The command that runs a job on the cluster and ends with it."""

    def client(self, layout: Layout) -> Client:
        """What a command of the user's own finds on the head node of a standing cluster."""
        return Client({**layout.environment(layout.head), "JAVA_HOME": str(layout.java.parent.parent)})


KINDS: Family[Engine] = Family()
"""All engines by kind, as `weft.engines` fills it."""

OneEngine = Annotated[SerializeAsAny[Engine], BeforeValidator(KINDS.read)]
