"""Ray's control service on the head node, and on every node a raylet, which has an object store and starts worker processes."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from weft.adapters.engines.pythontasks import OwnProgram, PythonTaskEngine
from weft.errors import UsageError
from weft.facts.engines.ray import FILE
from weft.layout import handshake
from weft.layout.job import Dependencies
from weft.layout.node import Node
from weft.layout.plan import SECRET, Daemon, Layout, Page
from weft.record.derived import Derived
from weft.text.fields import Port, Size
from weft.text.units import show_size

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


class RayEngine(PythonTaskEngine):
    """A cluster of Ray: tasks are functions of Python, and their results are in an object store on each node."""

    kind: Literal["ray"] = "ray"
    positional: ClassVar[str] = "object_store"
    distributions: ClassVar[tuple[str, ...]] = ("ray",)
    native: ClassVar[tuple[str, ...]] = (_LISTEN,)
    folder: ClassVar[Path] = Path(__file__).parent

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

    def files(self, layout: Layout) -> Mapping[Path, str]:
        return {_token(layout): SECRET} if layout.secured else {}

    def daemons(self, layout: Layout) -> Sequence[Daemon]:
        objects = self._objects(layout)
        return [self._node(node, objects, layout) for node in layout.nodes]

    def page(self, layout: Layout) -> Page:
        head = layout.head
        return Page(head, f"http://{head.address}:{self.web_port}/", signed=layout.secured)

    def expected(self, layout: Layout) -> Mapping[str, int]:
        return {_name(node, layout): 1 for node in layout.nodes}

    def address(self, layout: Layout) -> str:
        return f"{layout.head.address}:{self.port}"

    def settings(self, layout: Layout) -> Path | None:
        return _token(layout) if layout.secured else None

    def connection(self, layout: Layout) -> Mapping[str, str]:
        return {
            "RAY_ADDRESS": self.address(layout),
            "RAY_USAGE_STATS_ENABLED": "0",
            **self._security(layout),
        }

    def own_environment(self, layout: Layout) -> dict[str, str]:
        whole = self.environment(layout.head, layout)
        return {key: whole[key] for key in ("PYTHONPATH", handshake.LIBRARY, "WEFT_LISTEN")}

    def own_program(self, program: str, dependencies: Dependencies, layout: Layout) -> OwnProgram:
        own = self.own_environment(layout)
        if files := dependencies.py_files:
            # a module is found in its directory, an archive is searched itself
            places = [file if not file.endswith(".py") else str(Path(file).parent) for file in files]
            own["PYTHONPATH"] = ":".join([own["PYTHONPATH"], *places])
            workers = {"runtime_env": {"env_vars": {"PYTHONPATH": own["PYTHONPATH"]}}}
            own["RAY_JOB_CONFIG_JSON_ENV_VAR"] = json.dumps(workers)
        return OwnProgram([program], own)

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

    def _tasks(self, node: Node, objects: int, layout: Layout) -> int:
        """Bytes of a node for tasks that say how much they need: Ray's own default leaves out the object store too."""
        head = _HEAD if node == layout.head else 0
        return node.memory - _NODE - head - objects

    def derived(self, layout: Layout) -> Derived:
        secured = "TLS with one certificate per run on both sides, and a token, between all processes; the page requires one too"
        return Derived(
            counts={"worker processes": layout.slots},
            slots=layout.slots,
            sizes={"object store of a node": self._objects(layout)},
            notes={"security": secured if layout.secured else "none"},
        )

    def _node(self, node: Node, objects: int, layout: Layout) -> Daemon:
        name, head = _name(node, layout), node == layout.head
        first = max(self.port, self.web_port) + 1
        # beside a worker for each core there are the one that spills, the job's program, and those that end while others begin
        last = first + _OWN_PORTS + 3 * node.cores + 12
        scratch = layout.places["scratch"]
        # processes hand each other open files of it, which those that a library serves are not
        mapped = str(node.directory) if scratch.environment.get(node.name) else scratch.paths[node.name]
        argv = [
            *(*self.python(), "-m", "weft_ray.node", "--name", name, "--address", node.address),
            *("--gcs", self.address(layout), "--temporary", str(node.directory)),
            *("--spill", scratch.paths[node.name], "--mapped", mapped, "--cpus", str(node.cores)),
            *("--objects", str(objects), "--memory", str(self._tasks(node, objects, layout))),
            *("--first-port", str(first), "--last-port", str(last)),
            *(("--tasks", str(layout.record / "engine" / FILE)) if layout.metrics else ()),
            *(("--web-port", str(self.web_port)) if head else ()),
        ]
        ports = (*range(first, last + 1), *((self.port, self.web_port) if head else ()))
        return Daemon(
            name,
            node,
            argv,
            self.environment(node, layout),
            ports,
            page=head,
            essential=head,
            table=layout.table,
            # a node asks the head node, which must be one already, for where it is
            before=self.ready(layout, {name: 1}) if head else None,
        )

    def environment(self, node: Node, layout: Layout) -> dict[str, str]:
        of_all = super().environment(node, layout)
        preloaded = of_all.get(handshake.LIBRARY, "")
        return {
            **of_all,
            # Ray listens on all addresses of a host, unless it is on 127.0.0.1
            handshake.LIBRARY: ":".join(filter(None, [preloaded, str(layout.native / "libweft_listen.so")])),
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
            **self.connection(layout),
        }

    def _security(self, layout: Layout) -> Mapping[str, str]:
        certificate = self.certificate(layout)
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


def _token(layout: Layout) -> Path:
    return layout.directory / "conf" / "ray.token"
