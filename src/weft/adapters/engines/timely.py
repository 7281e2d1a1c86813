"""Timely dataflow: weft's own program, one process per node, connected with TCP on the addresses of the run."""

from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from weft.adapters.engines.base import Engine
from weft.errors import UsageError
from weft.layout.job import Job
from weft.layout.node import Node, fewest_cores
from weft.layout.plan import SECRET, Command, Daemon, Layout, Page, Plan, Ready
from weft.record.derived import Derived
from weft.text.arguments import assign

PROGRAM = "weft-timely"


class TimelyEngine(Engine):
    """A timely cluster: all processes run the same dataflow, and keep all data in memory."""

    kind: Literal["timely"] = "timely"
    positional: ClassVar[str] = "port"
    native: ClassVar[tuple[str, ...]] = (PROGRAM,)
    authenticates: ClassVar[bool] = False

    port: int = Field(
        default=2101,
        ge=1024,
        le=65534,
        description="port of each process; on the head node also the next one, for jobs",
    )

    def plan(self, layout: Layout) -> Plan:
        if layout.uris:
            raise UsageError(
                f"timely reads and writes mounted files only, not {layout.uris[0]}",
                hint="use a storage with paths for input and output, such as disk or mount",
            )
        processes = [self._process(index, node, layout) for index, node in enumerate(layout.nodes)]
        names = [process.name for process in processes]
        page = Page(layout.head, f"http://{self._control(layout)}/")
        secured = "connections begin with the run's secret; data is not encrypted"
        derived = Derived(
            counts={"processes, one per node": len(names)},
            slots=len(names) * fewest_cores(layout.nodes),
            sizes={"memory of a process": min(_memory(node) for node in layout.nodes)},
            notes={"security": secured if layout.secured else "none"},
        )
        files = {_secret(layout): f"{SECRET}\n"} if layout.secured else {}
        return Plan(
            files,
            processes,
            [Ready(page, lambda known: _missing(known, names), of=layout.table)],
            {self.kind: derived},
        )

    def submit(self, job: Job, layout: Layout) -> Command:
        job.dependencies.require(self.kind)
        argv = [_program(layout), "submit", "--control", self._control(layout), *_secret_option(layout)]
        argv += ["--", job.program, *job.arguments]
        return job.command("client", layout.head, argv, layout.environment(layout.head))

    def _process(self, index: int, node: Node, layout: Layout) -> Daemon:
        peers = assign("--peer", {_name(each): f"{each.address}:{self.port}" for each in layout.nodes})
        argv = [
            *(_program(layout), "serve", "--index", str(index), *peers),
            *("--threads", str(fewest_cores(layout.nodes)), "--memory", str(_memory(node))),
            *("--control", self._control(layout), *_secret_option(layout)),
        ]
        ports = (self.port, self.port + 1) if index == 0 else (self.port,)
        environment = layout.environment(node)
        return Daemon(_name(node), node, argv, environment, ports, essential=True, table=layout.table)

    def _control(self, layout: Layout) -> str:
        return f"{layout.head.address}:{self.port + 1}"


def _name(node: Node) -> str:
    return f"timely-{node.name}"


def _memory(node: Node) -> int:
    """Bytes of a node for a process's data; the rest is for its buffers and the client."""
    return node.memory * 8 // 10


def _program(layout: Layout) -> str:
    return str(layout.native / PROGRAM)


def _secret(layout: Layout) -> Path:
    return layout.directory / "timely.secret"


def _secret_option(layout: Layout) -> list[str]:
    return ["--secret", str(_secret(layout))] if layout.secured else []


def _missing(known: Any, names: list[str]) -> list[str]:
    """The processes that have not connected; all of them until each is connected with each."""
    return [] if known["ready"] else [name for name in names if name not in known["connected"]] or names
