"""The engines under measurement. An engine has no effects: it converts a layout to data."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, SerializeAsAny

from weft.adapters.services.base import Service
from weft.errors import UsageError
from weft.host.javaprogram import JavaProgram
from weft.layout.client import Client
from weft.layout.job import Job
from weft.layout.jvm import SharedClasses
from weft.layout.plan import Command, Layout, Plan
from weft.text.family import Family


class Engine(BaseModel, ABC):
    """Configuration of an engine, and the pure functions that describe it."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    positional: ClassVar[str] = "version"
    lists: ClassVar[frozenset[str]] = frozenset()
    distributions: ClassVar[tuple[str, ...]] = ()
    """Names of the distributions that it needs."""
    prefix: ClassVar[str] = ""
    """Prefix of its own configuration keys, if they have one: spark."""
    ports_with_others: ClassVar[Mapping[str, int]] = {}
    """Its default ports beside other engines: its own defaults are in use by another engine."""
    programs: ClassVar[tuple[str, ...]] = ()
    """File name suffixes of users' programs that it runs."""
    instead: ClassVar[Mapping[str, str]] = {}
    """By suffix of a user's program that it does not run: why, or what runs it."""
    java_modules: ClassVar[tuple[str, ...]] = ()
    """Modules of Java that its processes need, and that some runtimes lack."""
    login_name: ClassVar[bool] = False
    """Whether its processes refuse a user whose ID has no name, as Hadoop's libraries do (UserGroupInformation)."""
    native: ClassVar[tuple[str, ...]] = ()
    """weft's native programs of which it consists, by the name of their package."""
    most_nodes: ClassVar[int | None] = None
    """The most compute nodes that it uses; None: any number."""
    authenticates: ClassVar[bool] = True
    """Whether its processes prove to each other over any network that they belong to the run."""
    executes: ClassVar[bool] = False
    """Whether a process that connects to its own can run programs as their user, without a secret: only private nodes protect it."""
    exposed: ClassVar[bool] = False
    """Whether its processes accept connections on all addresses of a host, whatever the nodes are."""
    kind: str

    @property
    def label(self) -> str:
        """Its name in lists and reports."""
        return self.kind

    @property
    def parts(self) -> "Mapping[str, Engine]":
        """By kind: the engines of which it consists; for an ordinary engine, only itself."""
        return {self.kind: self}

    @property
    def memory_shares(self) -> Mapping[str, int]:
        """By kind, if it consists of several: the parts of each node's memory."""
        return {}

    @property
    def encrypted(self) -> bool:
        """Whether network traffic must be encrypted."""
        return False

    def require_program(self, program: Path) -> None:
        """Raises UsageError if this engine cannot run a program of the user."""
        if self.programs and program.suffix not in self.programs:
            runs = f"{self.kind} runs {' and '.join(self.programs)} files"
            raise UsageError(
                f"{program} is not a program for {self.kind}",
                hint="; ".join(filter(None, [runs, self.instead.get(program.suffix)])),
            )

    def training(self, home: Path, jar: Path, empty: Path, scratch: Path) -> JavaProgram:  # noqa: ARG002 - for engines with such a job
        """A short job that loads the classes of its processes; one without arguments if there is none.

        `jar` is weft's own for the engine, `empty` a directory with which a class path may begin, `scratch` a writable one.
        """
        return JavaProgram()

    def classes(self, homes: Mapping[str, Path]) -> Mapping[str, SharedClasses]:  # noqa: ARG002 - for engines with such processes
        """By distribution: processes whose classes are archived while provisioning."""
        return {}

    def services(self) -> Sequence[Service]:
        """The services that it needs in its configuration."""
        return ()

    def recognize(self, home: Path) -> None:
        """Raises UsageError if a directory is not a supported installation of this engine, MissingError if it needs another program."""

    def require(self) -> None:
        """Raises UsageError if this machine lacks what its settings name."""

    def require_parameters(self, workload: str, parameters: Mapping[str, Any]) -> None:
        """Raises UsageError if its own program for a workload does not have these parameters."""

    @abstractmethod
    def plan(self, layout: Layout) -> Plan:
        """The files and daemons of a cluster. Raises UsageError if it does not fit the nodes."""

    @abstractmethod
    def submit(self, job: Job, layout: Layout) -> Command:
        """The command that runs a job on the cluster and exits with it."""

    def of_one_job(self, layout: Layout) -> Mapping[str, str]:
        """Settings by which a job on a persistent cluster has processes with its own mark, and its history in its own record.

        Raises UsageError if the engine runs the tasks of all jobs in the same processes.
        """
        del layout
        raise UsageError(
            f"{self.label} runs the tasks of all jobs in the same processes, so that those of one job cannot be measured alone",
            hint="omit --to: `weft run` starts a cluster of its own; `weft submit --to` runs programs of yours on this one",
        )

    def task_logs(self, application: str) -> str:
        """Where the processes of an application's tasks log, below the folder of a node's logs; empty if in logs of all."""
        del application
        return ""

    def client(self, layout: Layout) -> Client:
        """The environment of a user's command on the head node of a persistent cluster."""
        return Client({**layout.environment(layout.head), "JAVA_HOME": str(layout.java_home)})


class KeepsReady(ABC):
    """An engine that can have an application whose processes are there before its job."""

    @property
    @abstractmethod
    def waits(self) -> bool:
        """Whether it can with these settings."""

    @abstractmethod
    def waiting(self, layout: Layout, socket: Path) -> Command:
        """Such an application, which waits for a job at a socket.

        The socket is there when its processes are, and it ends when that is removed. They have the mark of the layout's run.
        """

    @abstractmethod
    def taken(self, job: Job, layout: Layout, socket: Path, log: Path) -> Command | None:
        """The command that gives it a job and ends with that; None if the job needs an application of its own.

        `log`: the application's.
        """


KINDS: Family[Engine] = Family()
"""All engines by kind; filled by `weft.adapters.engines`."""

OneEngine = Annotated[SerializeAsAny[Engine], BeforeValidator(KINDS.read)]
