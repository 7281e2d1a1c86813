"""Engines whose tasks are functions of Python: what they share, from their interpreter to the programs of users that connect to them."""

import shlex
import sys
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from weft.adapters.engines.base import Engine
from weft.adapters.engines.ownpackages import OwnPackages, require_packages, searched
from weft.errors import UsageError
from weft.layout.certificate import Certificate
from weft.layout.client import Client
from weft.layout.job import Dependencies, Job
from weft.layout.node import Node
from weft.layout.plan import Applications, Command, Daemon, Layout, Page, Plan, Ready
from weft.record.derived import Derived

_SHARED = Path(__file__).with_name("programs")
"""A directory for PYTHONPATH: workloads as functions, apart from the engine that runs them."""
_ONLY: Mapping[str, object] = {"method": "stock", "limit": None}
"""Parameters of workloads that these programs have with one value only."""
_PYTHON = """#!/bin/sh
# The Python of the cluster's workers, with their packages.
PYTHONPATH={search}${{PYTHONPATH:+:$PYTHONPATH}} {more}exec {python} -S "$@"
"""


@dataclass(frozen=True)
class Missing:
    """Which daemons the page does not list as often as each must be: a value, so that equal plans are equal."""

    expected: tuple[tuple[str, int], ...]

    def __call__(self, known: Mapping[str, Any]) -> list[str]:
        """Names of workers are NAME, or NAME-0, NAME-1 where a daemon has several."""
        registered = [str(name) for name in known["workers"]]
        return [
            name
            for name, count in self.expected
            # a host may have the name of another with a number behind it
            if sum((each if count == 1 else each.rpartition("-")[0]) == name for each in registered) < count
        ]


@dataclass(frozen=True)
class OwnProgram:
    """How a program of the user starts."""

    words: Sequence[str]
    """Those of Python's command line that run it."""
    environment: Mapping[str, str]
    """Variables of its process, and of no other of the user's commands."""


class PythonTaskEngine(Engine):
    """A cluster that runs functions of Python, with locked packages; its processes know each other by a certificate of the run."""

    programs: ClassVar[tuple[str, ...]] = (".py",)
    folder: ClassVar[Path]
    """Of the adapter: `programs/weft_KIND` in it runs in the engine's own processes."""

    packages: OwnPackages = None

    @abstractmethod
    def daemons(self, layout: Layout) -> Sequence[Daemon]:
        """Those of all nodes."""

    @abstractmethod
    def page(self, layout: Layout) -> Page:
        """The page that has the names of `workers` and the number of `clients`."""

    @abstractmethod
    def expected(self, layout: Layout) -> Mapping[str, int]:
        """How many workers each daemon has."""

    @abstractmethod
    def derived(self, layout: Layout) -> Derived:
        """What it makes of its nodes. Raises UsageError if it does not fit them."""

    @abstractmethod
    def address(self, layout: Layout) -> str:
        """Where programs connect."""

    @abstractmethod
    def settings(self, layout: Layout) -> Path | None:
        """The file without which a program of the user cannot connect."""

    @abstractmethod
    def connection(self, layout: Layout) -> Mapping[str, str]:
        """Variables by which a process of the user's connects."""

    @abstractmethod
    def own_program(self, program: str, dependencies: Dependencies, layout: Layout) -> OwnProgram:
        """A program of the user with its modules."""

    @abstractmethod
    def files(self, layout: Layout) -> Mapping[Path, str]:
        """Its configuration."""

    def require(self) -> None:
        if self.packages:
            require_packages("engine.packages", self.packages)

    def require_parameters(self, workload: str, parameters: Mapping[str, Any]) -> None:
        for key, value in _ONLY.items():
            if parameters.get(key, value) != value:
                raise UsageError(
                    f"weft's program for {workload} on {self.kind} has no {key}={parameters[key]}",
                    hint=f"omit workload.{key}, or select another engine with --engine",
                )

    def plan(self, layout: Layout) -> Plan:
        if layout.uris:
            raise UsageError(
                f"weft's programs for {self.kind} read and write mounted files only, not {layout.uris[0]}",
                hint="use a storage with paths for input and output, such as disk or mount",
            )
        certificate, page = self.certificate(layout), self.page(layout)
        return Plan(
            {**self.files(layout), **(certificate.files() if certificate else {})},
            self.daemons(layout),
            [self.ready(layout, self.expected(layout))],
            {self.kind: self._derived(layout)},
            first=certificate.made(layout) if certificate else [],
            applications=(Applications(page, lambda known: int(known["clients"])),),
        )

    def _derived(self, layout: Layout) -> Derived:
        derived = self.derived(layout)
        if self.packages is None:
            return derived
        return derived.model_copy(update={"notes": {**derived.notes, "own packages": str(self.packages)}})

    def submit(self, job: Job, layout: Layout) -> Command:
        environment = self.environment(layout.head, layout)
        if not job.program.endswith(".py"):
            job.dependencies.require(self.kind)
            argv = [*self.python(), "-m", "weft_tasks", f"weft_{self.kind}", job.program, *job.arguments]
            return job.command("client", layout.head, argv, environment)
        job.dependencies.require(self.kind, "py_files")
        own = self.own_program(job.program, job.dependencies, layout)
        # on a persistent cluster, a job has the variables of all commands on it
        variables = [f"{key}={value}" for key, value in own.environment.items()]
        argv = ["env", *variables, sys.executable, "-S", *job.options, *own.words, *job.arguments]
        return job.command("client", layout.head, argv, environment)

    def client(self, layout: Layout) -> Client:
        programs = layout.directory / "bin"
        own = self.own_environment(layout)
        text = _PYTHON.format(
            search=shlex.quote(own.pop("PYTHONPATH")),
            more="".join(f"{key}={shlex.quote(value)} " for key, value in own.items()),
            python=shlex.quote(sys.executable),
        )
        return Client(
            environment={**layout.environment(layout.head), **self.connection(layout)},
            search={"PATH": [str(programs)]},
            programs={programs / name: text for name in ("python", "python3")},
            address=self.address(layout),
            settings=self.settings(layout),
        )

    def ready(self, layout: Layout, expected: Mapping[str, int]) -> Ready:
        """When the page lists these workers."""
        return Ready(self.page(layout), Missing(tuple(expected.items())), layout.table)

    def environment(self, node: Node, layout: Layout) -> dict[str, str]:
        """Variables of its own processes."""
        return {
            **layout.environment(node),
            "PYTHONPATH": self.search(layout),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": str(node.directory),
        }

    def own_environment(self, layout: Layout) -> dict[str, str]:
        """Variables of the process of a user's program, with PYTHONPATH, and of no other of the user's commands."""
        return {"PYTHONPATH": self.search(layout)}

    def search(self, layout: Layout) -> str:
        """Where Python finds the unpacked wheels, weft's programs for this engine and for all, and last the user's packages."""
        own = searched(self.packages) if self.packages else []
        return ":".join(map(str, [layout.homes[self.kind] / "lib", self.folder / "programs", _SHARED, *own]))

    @staticmethod
    def python() -> Sequence[str]:
        """weft's Python without weft's packages: only the locked ones are found."""
        return [sys.executable, "-S", "-P"]

    @staticmethod
    def certificate(layout: Layout) -> Certificate | None:
        """The run's certificate; None if the run is not secured."""
        return Certificate(layout.directory / "conf") if layout.secured else None
