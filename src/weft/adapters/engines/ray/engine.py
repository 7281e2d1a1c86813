"""Ray's control service on the head node, and on every node a raylet, which has an object store and starts worker processes."""

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from weft.adapters.engines import pythontasks
from weft.adapters.engines.base import Engine
from weft.adapters.engines.pythontasks import python, require_mounted, variables
from weft.errors import UsageError
from weft.facts.engines.ray import FILE
from weft.layout import handshake
from weft.layout.certificate import Certificate
from weft.layout.client import Client
from weft.layout.node import Node
from weft.layout.plan import SECRET, Applications, Command, Daemon, Job, Layout, Page, Plan, Ready
from weft.record.derived import Derived
from weft.text.fields import Port, Size
from weft.text.units import show_size

_PROGRAMS = Path(__file__).with_name("programs")
_PYTHON = """#!/bin/sh
# The Python of the cluster's workers, with their packages, listening on its node's address.
PYTHONPATH={search}${{PYTHONPATH:+:$PYTHONPATH}} {more} exec {python} -S "$@"
"""
_LISTEN = "weft-listen"
_NODE = 448 << 20
"""Bytes of a node's own processes: raylet, its two agents, the worker that spills, and what starts them."""
_HEAD = 384 << 20
"""Bytes of the control service and of a job's program besides."""
_WORKER = 128 << 20
"""Bytes of a worker process before it does anything: Python with pandas, Arrow and Ray."""
_LEAST = 128 << 20
"""Bytes: Ray refuses an object store of less than 75 MiB, and a task has the same beside it at least."""
_OWN_PORTS = 6
"""Those of a node besides its workers': raylet, object manager, and of its agents."""


@dataclass(frozen=True)
class _Missing:
    """Which nodes the head node's page does not list: a value, so that equal plans are equal."""

    names: tuple[str, ...]

    def __call__(self, known: Mapping[str, Any]) -> list[str]:
        return [each for each in self.names if each not in known["nodes"]]


class RayEngine(Engine):
    """A cluster of Ray: tasks are functions of Python, and their results are in an object store on each node."""

    kind: Literal["ray"] = "ray"
    positional: ClassVar[str] = "object_store"
    distributions: ClassVar[tuple[str, ...]] = ("ray",)
    native: ClassVar[tuple[str, ...]] = (_LISTEN,)
    programs: ClassVar[tuple[str, ...]] = (".py",)

    object_store: Size | None = Field(
        default=None,
        description="memory of each node's object store, which is shared memory; default: 40 % of what the node's processes leave",
    )
    port: Port = Field(
        default=6379, description="port of the control service; a node's own ports are those after the next"
    )
    web_port: Port = Field(
        default=6380,
        description="port of the head node's one page, which says which nodes and programs there are",
    )

    def require_parameters(self, workload: str, parameters: Mapping[str, Any]) -> None:
        pythontasks.require_parameters(self.kind, workload, parameters)

    def plan(self, layout: Layout) -> Plan:
        require_mounted(self.kind, layout)
        certificate, objects = _certificate(layout), self._objects(layout)
        names = [_name(node, layout) for node in layout.nodes]
        files = {_token(layout): SECRET, **certificate.files()} if certificate else {}
        return Plan(
            files,
            [self._node(node, objects, layout) for node in layout.nodes],
            [self._ready(layout, names)],
            {self.kind: self._derived(layout, objects)},
            first=certificate.made(layout) if certificate else [],
            applications=(Applications(self._page(layout), lambda known: int(known["clients"])),),
        )

    def submit(self, job: Job, layout: Layout) -> Command:
        environment = self._environment(layout.head, layout)
        if not job.program.endswith(".py"):
            job.dependencies.require(self.kind)
            argv = [*python(), "-m", "weft_ray", job.program, *job.arguments]
            return job.command("client", layout.head, argv, environment)
        job.dependencies.require(self.kind, "py_files")
        own = self._own(layout)
        if files := job.dependencies.py_files:
            # a module is found in its directory, an archive is searched itself
            places = [file if not file.endswith(".py") else str(Path(file).parent) for file in files]
            own["PYTHONPATH"] = ":".join([own["PYTHONPATH"], *places])
            workers = {"runtime_env": {"env_vars": {"PYTHONPATH": own["PYTHONPATH"]}}}
            own["RAY_JOB_CONFIG_JSON_ENV_VAR"] = json.dumps(workers)
        # on a persistent cluster, a job has the variables of all commands on it
        variables = [f"{key}={value}" for key, value in own.items()]
        argv = ["env", *variables, sys.executable, "-S", *job.options, job.program, *job.arguments]
        return job.command("client", layout.head, argv, environment)

    def client(self, layout: Layout) -> Client:
        programs = layout.directory / "bin"
        own = {key: shlex.quote(value) for key, value in self._own(layout).items()}
        search, python = own.pop("PYTHONPATH"), shlex.quote(sys.executable)
        more = " ".join(f"{key}={value}" for key, value in own.items())
        text = _PYTHON.format(search=search, more=more, python=python)
        return Client(
            environment={**layout.environment(layout.head), **self._connection(layout)},
            search={"PATH": [str(programs)]},
            programs={programs / name: text for name in ("python", "python3")},
            address=self._gcs(layout),
            settings=_token(layout) if layout.secured else None,
        )

    def _own(self, layout: Layout) -> dict[str, str]:
        """Variables of the process of a user's program, and of no other of his commands."""
        whole = self._environment(layout.head, layout)
        return {key: whole[key] for key in ("PYTHONPATH", handshake.LIBRARY, "WEFT_LISTEN")}

    def _connection(self, layout: Layout) -> dict[str, str]:
        """Variables by which a process of the user's connects."""
        return {"RAY_ADDRESS": self._gcs(layout), "RAY_USAGE_STATS_ENABLED": "0", **_security(layout)}

    def _ready(self, layout: Layout, names: Sequence[str]) -> Ready:
        return Ready(self._page(layout), _Missing(tuple(names)), layout.table)

    def _page(self, layout: Layout) -> Page:
        head = layout.head
        return Page(head, f"http://{head.address}:{self.web_port}/", signed=layout.secured)

    def _objects(self, layout: Layout) -> int:
        """Bytes of each object store, the same on all nodes. Raises UsageError if it does not fit."""
        rooms = [node.memory - _NODE - node.cores * _WORKER for node in layout.nodes]
        rooms[0] -= _HEAD
        room = min(rooms)
        asked = self.object_store or room * 4 // 10
        if not _LEAST <= asked <= room - _LEAST:
            raise UsageError(
                f"ray: {show_size(asked)} for an object store is not between the {show_size(_LEAST)} that it needs"
                f" and the {show_size(max(0, room - _LEAST))} that its processes leave it on each node",
                hint="use fewer nodes, give them more memory, or fewer cores with --nodes virtual:2,cores=1",
            )
        return asked

    def _derived(self, layout: Layout, objects: int) -> Derived:
        secured = "TLS with one certificate per run on both sides, and a token, between all processes; the page requires one too"
        return Derived(
            counts={"worker processes": layout.slots},
            slots=layout.slots,
            sizes={"object store of a node": objects},
            notes={"security": secured if layout.secured else "none"},
        )

    def _node(self, node: Node, objects: int, layout: Layout) -> Daemon:
        name, head = _name(node, layout), node == layout.head
        first = max(self.port, self.web_port) + 1
        # beside a worker for each core there are the one that spills, the job's program, and those that end while others begin
        last = first + _OWN_PORTS + 3 * node.cores + 12
        argv = [
            *(*python(), "-m", "weft_ray.node", "--name", name, "--address", node.address),
            *("--gcs", self._gcs(layout), "--temporary", str(node.directory)),
            *("--spill", layout.places["scratch"].paths[node.name], "--cpus", str(node.cores)),
            *("--objects", str(objects), "--memory", str(node.memory)),
            *("--first-port", str(first), "--last-port", str(last)),
            *(("--tasks", str(layout.record / "engine" / FILE)) if layout.metrics else ()),
            *(("--web-port", str(self.web_port)) if head else ()),
        ]
        ports = (*range(first, last + 1), *((self.port, self.web_port) if head else ()))
        return Daemon(
            name,
            node,
            argv,
            self._environment(node, layout),
            ports,
            page=head,
            essential=head,
            table=layout.table,
            # a node asks the head node, which must be one already, for where it is
            before=self._ready(layout, [name]) if head else None,
        )

    def _gcs(self, layout: Layout) -> str:
        return f"{layout.head.address}:{self.port}"

    def _environment(self, node: Node, layout: Layout) -> dict[str, str]:
        own = layout.environment(node)
        libraries = [own.get(handshake.LIBRARY, ""), str(layout.native / "libweft_listen.so")]
        return {
            **own,
            **variables(layout.homes["ray"], _PROGRAMS, node),
            # Ray listens on all addresses of a host, unless it is on 127.0.0.1
            handshake.LIBRARY: ":".join(filter(None, libraries)),
            "RAY_LD_PRELOAD_ON_WORKERS": "1",
            "WEFT_LISTEN": node.address,
            "WEFT_RAY_NODE": node.address,
            "RAY_BACKEND_LOG_LEVEL": "warning",
            "RAY_enable_metrics_collection": "0",
            # a worker is ended soon after its job, with what it has not sent; 0 is never
            "RAY_task_events_report_interval_ms": "100" if layout.metrics else "0",
            "RAY_agent_register_timeout_ms": "300000",
            # it looks at the memory of the host, of which the node may have a share
            "RAY_memory_monitor_refresh_ms": "0",
            **self._connection(layout),
        }


def _security(layout: Layout) -> dict[str, str]:
    certificate = _certificate(layout)
    if certificate is None:
        return {"RAY_AUTH_MODE": "disabled"}
    pem = str(certificate.pem)
    return {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(_token(layout)),
        "RAY_USE_TLS": "1",
        "RAY_TLS_SERVER_CERT": pem,
        "RAY_TLS_SERVER_KEY": pem,
        "RAY_TLS_CA_CERT": pem,
    }


def _name(node: Node, layout: Layout) -> str:
    return layout.named(f"ray-{node.name}")


def _certificate(layout: Layout) -> Certificate | None:
    """The run's certificate; None if the run is not secured."""
    return Certificate(layout.directory / "conf") if layout.secured else None


def _token(layout: Layout) -> Path:
    return layout.directory / "conf" / "ray.token"
