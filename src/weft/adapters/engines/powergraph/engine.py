"""PowerGraph (GraphLab 2.2): the PageRank of its graph_analytics toolkit, which the user has built, started with MPI."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from weft.adapters.engines.base import Engine
from weft.errors import MissingError, UsageError
from weft.layout.job import Job
from weft.layout.node import fewest_cores
from weft.layout.plan import Command, Layout, Plan
from weft.record.derived import Derived
from weft.text.executes import Executes, Home
from weft.text.fields import Listed

_TRANSLATION = Path(__file__).with_name("translation.py")
_TEXT = _TRANSLATION.read_text(encoding="utf-8")
_BUILT = ("release/toolkits/graph_analytics/pagerank", "toolkits/graph_analytics/pagerank", "pagerank")
"""Where a build may have the program, below its directory."""
_FIXED: Mapping[str, Any] = {"damping": 0.85, "dangling": "leak", "edges": "merge", "self_edges": "drop"}
"""Parameters of `pagerank` that the program has built in: pagerank.cpp, and its parsers of graphs."""
_DIGITS = 1e-5
"""The program writes ranks with six digits: the smallest difference from a reference, as a share of each, that can be asked for."""


class PowerGraphEngine(Engine):
    """One process per node, started by mpiexec for the job; there is no cluster between jobs."""

    kind: Literal["powergraph"] = "powergraph"
    positional: ClassVar[str] = "home"
    lists: ClassVar[frozenset[str]] = frozenset({"mpi_options", "options"})
    authenticates: ClassVar[bool] = False
    exposed: ClassVar[bool] = True

    home: Home = Field(
        default=None, description="directory of a PowerGraph that you have built; weft does not build it"
    )
    mpi: Annotated[str, Executes("the program that starts the others")] = Field(
        default="mpiexec", description="mpiexec of the MPI that it was built with, or its path"
    )
    mpi_options: Annotated[tuple[str, ...], Listed, Executes("options of mpiexec name programs")] = Field(
        default=(), description="further arguments of mpiexec, separated by commas"
    )
    graph_format: Literal["tsv", "snap", "adj"] = Field(
        default="tsv",
        description="format of the graph that it reads: lines of an edge, or of a vertex and its neighbours",
    )
    options: Annotated[tuple[str, ...], Listed, Executes("arguments of a program")] = Field(
        default=(), description="further arguments of the program, such as --graph_opts=ingress=grid"
    )

    def recognize(self, home: Path) -> None:
        program = next((home / path for path in _BUILT if (home / path).is_file()), None)
        if program is None:
            raise UsageError(
                f"{home} has no program for PageRank of PowerGraph: there is no {_BUILT[0]} in it",
                hint="name the directory in which ./configure and make were run, with --set engine.home=DIRECTORY",
            )
        if not os.access(program, os.X_OK):
            raise UsageError(f"{program} cannot be executed", hint=f"chmod +x {program}")
        if shutil.which(self.mpi) is None:
            raise MissingError(
                f"the program `{self.mpi}` of MPI is not installed, and PowerGraph is started with it",
                hint="apt-get install mpich, load the module of your site's MPI, or name it with --set engine.mpi=/path/to/mpiexec",
            )

    def require_parameters(self, workload: str, parameters: Mapping[str, Any]) -> None:
        wrong = {key: value for key, value in _FIXED.items() if parameters.get(key) != value}
        if wrong:
            key = next(iter(wrong))
            asked = " ".join(f"--set workload.{name}={value}" for name, value in wrong.items())
            raise UsageError(
                f"PowerGraph's own program for {workload} has {key}={wrong[key]} built in, not {parameters.get(key)}",
                hint=f"add {asked}",
            )
        if parameters.get("rounds", 0) < 1:
            raise UsageError(
                "PowerGraph runs until ranks change little if it is given no rounds",
                hint="use --set workload.rounds=10, or another number above 0",
            )
        if parameters.get("bound", 0) < _DIGITS:
            raise UsageError(
                f"PowerGraph writes ranks with six digits, which are no {parameters.get('bound'):g} from the reference",
                hint=f"add --set workload.bound={_DIGITS:g}",
            )

    def plan(self, layout: Layout) -> Plan:
        self._home()
        if layout.uris:
            raise UsageError(
                f"weft gives PowerGraph files of mounted file systems only, not {layout.uris[0]}",
                hint="use a storage with paths for input and output, such as disk or mount",
            )
        if len(layout.nodes) > 1 and any(node.prefix and not node.host for node in layout.nodes):
            raise UsageError(
                "mpiexec starts processes on other hosts with ssh or Slurm, and these nodes are neither",
                hint="use --nodes local:2, or ssh or slurm nodes",
            )
        # a line for each process is what both MPICH and Open MPI read
        hosts = "".join(f"{node.host or 'localhost'}\n" for node in layout.nodes)
        derived = Derived(
            counts={
                "processes, one per node": len(layout.nodes),
                "threads of a process": fewest_cores(layout.nodes),
            },
            notes={
                "started by": self.mpi,
                "graph format": self.graph_format,
                "security": "none: PowerGraph listens on all addresses of its hosts",
            },
        )
        return Plan({_hosts(layout): hosts, _copy(layout): _TEXT}, (), (), {self.kind: derived})

    def submit(self, job: Job, layout: Layout) -> Command:
        job.dependencies.require(self.kind)
        home = self._home()
        own = [
            *(f"--program={home / path}" for path in _BUILT),
            *("--mpi", self.mpi),
            *("--hosts", str(_hosts(layout)), "--processes", str(len(layout.nodes))),
            *("--threads", str(fewest_cores(layout.nodes)), "--format", self.graph_format),
            *(f"--mpi-option={option}" for option in self.mpi_options),
            *(f"--program-option={option}" for option in self.options),
        ]
        argv = ["/usr/bin/env", "python3", "-I", "-S", str(_copy(layout)), *own, job.program, *job.arguments]
        # Open MPI refuses root otherwise, and weft's nodes may be root's
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        environment = {**layout.environment(layout.head), **root}
        return job.command("mpiexec", layout.head, argv, environment)

    def _home(self) -> Path:
        if self.home is None:
            raise UsageError(
                "powergraph needs a PowerGraph that you have built, and weft does not know where it is",
                hint="name its directory with --engine powergraph:DIRECTORY or --set engine.home=DIRECTORY",
            )
        return self.home


def _hosts(layout: Layout) -> Path:
    return layout.directory / "powergraph.hosts"


def _copy(layout: Layout) -> Path:
    """The translating program, where every host finds it."""
    return layout.directory / _TRANSLATION.name
