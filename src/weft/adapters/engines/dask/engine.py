"""Dask's distributed scheduler on the head node, and worker processes on every node, each behind a nanny."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from weft.adapters.engines.pythontasks import OwnProgram, PythonTaskEngine
from weft.errors import UsageError
from weft.facts.engines.dask import FILE
from weft.layout.job import Dependencies
from weft.layout.node import Node
from weft.layout.plan import SECRET, Daemon, Layout, Page
from weft.record.derived import Derived
from weft.text.fields import Count, Port, Size
from weft.text.units import show_size

_SCHEDULER = 384 << 20
"""Bytes of the scheduler's process, and of that of a job's program: Python with pandas and Arrow takes 150 MiB of them."""
_NANNY = 128 << 20
"""Bytes of the process of a node's nannies."""
_LEAST = 256 << 20
"""Bytes: below it a worker's own libraries reach the limits at which it spills and pauses."""


class DaskEngine(PythonTaskEngine):
    """A cluster of distributed: tasks are functions of Python, and their results stay in the memory of workers."""

    kind: Literal["dask"] = "dask"
    positional: ClassVar[str] = "threads"
    distributions: ClassVar[tuple[str, ...]] = ("dask",)
    folder: ClassVar[Path] = Path(__file__).parent

    threads: Count = Field(
        default=1,
        description="threads of each worker process; processes of a node: its cores by this. Python executes one thread of a process at a time (GIL)",
    )
    worker_memory: Size | None = Field(
        default=None, description="memory limit of each worker process; default: its share of the node's"
    )
    port: Port = Field(
        default=8786,
        description="port of the scheduler; a node's workers and nannies use those after the next",
    )
    web_port: Port = Field(
        default=8787, description="port of the scheduler's one page, which says which workers it has"
    )

    def files(self, layout: Layout) -> Mapping[Path, str]:
        return {
            _conf(layout): self._configuration(layout),
            _client_conf(layout): _yaml(self._addressed(layout)),
        }

    def daemons(self, layout: Layout) -> Sequence[Daemon]:
        memory = self._memory(layout)
        return [self._scheduler(layout), *(self._workers(node, memory, layout) for node in layout.nodes)]

    def page(self, layout: Layout) -> Page:
        head = layout.head
        return Page(head, f"http://{head.address}:{self.web_port}/workers", signed=layout.secured)

    def expected(self, layout: Layout) -> Mapping[str, int]:
        return {_worker_name(node, layout): self._processes(node) for node in layout.nodes}

    def address(self, layout: Layout) -> str:
        return f"{'tls' if layout.secured else 'tcp'}://{layout.head.address}:{self.port}"

    def settings(self, layout: Layout) -> Path | None:
        return _client_conf(layout)

    def connection(self, layout: Layout) -> Mapping[str, str]:
        return {"DASK_CONFIG": str(_client_conf(layout)), "DASK_SCHEDULER_ADDRESS": self.address(layout)}

    def own_program(self, program: str, dependencies: Dependencies, layout: Layout) -> OwnProgram:
        files = [word for file in dependencies.py_files for word in ("--py-file", file)]
        words = ["-P", "-m", "weft_dask.own", *files, program] if files else [program]
        own = {**self.own_environment(layout), "DASK_CONFIG": str(_client_conf(layout))}
        return OwnProgram(words, own)

    def environment(self, node: Node, layout: Layout) -> dict[str, str]:
        return {**super().environment(node, layout), "DASK_CONFIG": str(_conf(layout))}

    def _processes(self, node: Node) -> int:
        return max(1, node.cores // self.threads)

    def _memory(self, layout: Layout) -> int:
        """Bytes of each worker process, the same on all nodes. Raises UsageError if it does not fit."""
        head, *others = layout.nodes
        rooms = {head: head.memory - 2 * _SCHEDULER} | {node: node.memory for node in others}
        room = min((rooms[node] - _NANNY) // self._processes(node) for node in layout.nodes)
        asked = self.worker_memory or room
        if not _LEAST <= asked <= room:
            raise UsageError(
                f"dask: {show_size(asked)} for a worker process is not between the {show_size(_LEAST)} that it needs"
                f" and the {show_size(max(0, room))} that a node has for each",
                hint="use fewer nodes, give them more memory, or fewer processes with --set engine.threads=4",
            )
        return asked

    def derived(self, layout: Layout) -> Derived:
        processes = sum(map(self._processes, layout.nodes))
        secured = "TLS with one certificate per run between all processes; the page requires a token"
        return Derived(
            counts={"worker processes": processes, "threads of each": self.threads},
            slots=processes * self.threads,
            sizes={"memory limit of a worker process": self._memory(layout)},
            notes={"security": secured if layout.secured else "none"},
        )

    def _addressed(self, layout: Layout) -> dict[str, str]:
        """What a process needs of Dask's configuration to connect to the cluster."""
        certificate = self.certificate(layout)
        tls = {}
        if certificate:
            own = {"cert": str(certificate.pem), "key": str(certificate.pem)}
            tls = {"tls.ca-file": str(certificate.pem)}
            tls |= {
                f"tls.{side}.{key}": path
                for side in ("scheduler", "worker", "client")
                for key, path in own.items()
            }
        return {
            "scheduler-address": self.address(layout),
            "distributed.comm.require-encryption": str(certificate is not None).lower(),
            **{f"distributed.comm.{key}": value for key, value in tls.items()},
        }

    def _configuration(self, layout: Layout) -> str:
        """Dask's configuration, which all of its processes and weft's own programs read (YAML)."""
        settings = {
            **self._addressed(layout),
            **({"weft.secret": f'"{SECRET}"'} if layout.secured else {}),
            **({"weft.stream": json.dumps(str(layout.record / "engine" / FILE))} if layout.metrics else {}),
            "distributed.scheduler.preload": "[weft_dask.stream]",
            # neither its status pages nor those of its workers ask who reads them
            "distributed.scheduler.http.routes": "[weft_dask.page]",
            "distributed.worker.http.routes": "[]",
            "distributed.worker.preload": "[]",
            # a lock on a file says which directories a killed worker left; the run removes all of its own
            "distributed.worker.use-file-locking": "false",
            "distributed.diagnostics.nvml": "false",
            # a task whose worker was lost waits for its nanny to start another, and fails where none comes
            "distributed.scheduler.no-workers-timeout": "60s",
        }
        return _yaml(settings)

    def _scheduler(self, layout: Layout) -> Daemon:
        head, name = layout.head, layout.named("scheduler")
        argv = [
            *(*self.python(), "-m", "distributed.cli.dask_scheduler"),
            *("--protocol", "tls" if layout.secured else "tcp"),
            *("--host", head.address, "--port", str(self.port)),
            *("--dashboard-address", f"{head.address}:{self.web_port}", "--no-dashboard"),
        ]
        environment, ports = self.environment(head, layout), (self.port, self.web_port)
        return Daemon(name, head, argv, environment, ports, page=True, essential=True, table=layout.table)

    def _workers(self, node: Node, memory: int, layout: Layout) -> Daemon:
        name, processes = _worker_name(node, layout), self._processes(node)
        first = max(self.port, self.web_port) + 1
        workers, nannies = (first, first + processes), (first + processes, first + 2 * processes)
        argv = [
            *(*self.python(), "-m", "distributed.cli.dask_worker", self.address(layout)),
            *("--protocol", "tls" if layout.secured else "tcp", "--host", node.address, "--name", name),
            *("--nworkers", str(processes), "--nthreads", str(self.threads)),
            *("--worker-port", _range(*workers), "--nanny-port", _range(*nannies)),
            *("--worker-class", "weft_dask.workers.ClosedWorker", "--no-dashboard"),
            *("--memory-limit", str(memory), "--local-directory", layout.places["scratch"].paths[node.name]),
        ]
        ports = tuple(range(workers[0], nannies[1]))
        return Daemon(name, node, argv, self.environment(node, layout), ports, table=layout.table)


def _range(first: int, end: int) -> str:
    """A range of ports as Dask writes it: with its last."""
    return f"{first}:{end - 1}" if end - first > 1 else str(first)


def _worker_name(node: Node, layout: Layout) -> str:
    return layout.named(f"worker-{node.name}")


def _conf(layout: Layout) -> Path:
    return layout.directory / "conf" / "dask.yaml"


def _client_conf(layout: Layout) -> Path:
    """Dask's configuration for programs of the user."""
    return layout.directory / "conf" / "client.yaml"


def _yaml(settings: Mapping[str, str]) -> str:
    """Nested keys from dotted ones, each on a line of its own; a value is YAML as it stands."""
    lines: list[str] = []
    before: list[str] = []
    for key, value in sorted(settings.items()):
        *above, last = key.split(".")
        same = next((i for i, (a, b) in enumerate(zip(above, before, strict=False)) if a != b), None)
        shared = min(len(above), len(before)) if same is None else same
        lines += [f"{'  ' * depth}{above[depth]}:" for depth in range(shared, len(above))]
        lines.append(f"{'  ' * len(above)}{last}: {value}")
        before = above
    return "".join(f"{line}\n" for line in lines)
