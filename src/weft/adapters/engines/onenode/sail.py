"""Sail's Spark Connect server on the node, and a client of PySpark that asks it."""

import sys
from typing import Any, ClassVar, Literal

from pydantic import Field

from weft.adapters.engines.base import Engine
from weft.adapters.engines.onenode import program
from weft.layout.job import Job
from weft.layout.plan import Command, Daemon, Layout, Page, Plan, Ready
from weft.record.derived import Derived
from weft.text.executes import Settings
from weft.text.fields import Port, Size

_CLIENT = 320 << 20
"""Bytes of the client: PySpark with pandas and Arrow takes 200 MiB of them, the rest is for results."""
_LEAST = 64 << 20
"""Bytes of Sail's pool with which a query begins."""


class SailEngine(Engine):
    """A server that takes the place of Spark's: clients of PySpark do not see the difference."""

    kind: Literal["sail"] = "sail"
    positional: ClassVar[str] = "port"
    distributions: ClassVar[tuple[str, ...]] = ("sail",)
    most_nodes: ClassVar[int | None] = 1
    authenticates: ClassVar[bool] = False
    executes: ClassVar[bool] = True
    programs: ClassVar[tuple[str, ...]] = (".py",)

    port: Port = Field(default=50051, description="port of the server")
    memory: Size | None = Field(
        default=None,
        description="bytes of Sail's memory pool; default: 70 % of the node's memory without that of the client",
    )
    pool: Literal["fair", "greedy"] = Field(
        default="fair",
        description="how operators share the pool: fair limits each of those that can write to disk, greedy takes the first",
    )
    conf: Settings = Field(
        default_factory=dict, description="any option of Sail, such as execution.batch_size; overrides weft"
    )

    def plan(self, layout: Layout) -> Plan:
        program.require_paths(layout, self.kind)
        head = layout.head
        name = layout.named("server")
        argv = [*program.python(), "-m", "pysail", "spark", "server"]
        argv += ["--ip", head.address, "--port", str(self.port)]
        server = Daemon(
            name, head, argv, self._server(layout), (self.port,), essential=True, table=layout.table
        )
        derived = Derived(
            counts={"servers": 1},
            slots=head.cores,
            sizes={"memory pool": self._memory(layout)},
            notes={"security": "none: who reaches the port runs queries and programs as you"},
        )
        page = Page(head, f"tcp://{head.address}:{self.port}")
        return Plan({}, [server], [Ready(page, _nothing, of=layout.table)], {self.kind: derived})

    def submit(self, job: Job, layout: Layout) -> Command:
        if job.program.endswith(".py"):
            return self._own(job, layout)
        job.dependencies.require(self.kind, "conf")
        given = program.settings(job.dependencies, layout)
        argv = [*program.python(), "-m", "weft_sql", self.kind, job.program, *given.options]
        argv += ["--remote", self._address(layout)]
        environment = self._client(layout)
        return job.command("client", layout.head, [*argv, *job.arguments], environment, files=given.files)

    def _own(self, job: Job, layout: Layout) -> Command:
        """A program of the user, whose session is the server's: PySpark finds it by SPARK_REMOTE."""
        job.dependencies.require(self.kind)
        environment = {**self._client(layout), "SPARK_REMOTE": self._address(layout)}
        # without -P: the modules in its directory are its own
        argv = [sys.executable, "-S", *job.options, job.program, *job.arguments]
        return job.command("client", layout.head, argv, environment)

    def _client(self, layout: Layout) -> dict[str, str]:
        """A client's variables: gRPC would send what is for the server to the machine's HTTP proxy."""
        return {**program.environment(layout, "sail"), "no_grpc_proxy": layout.head.address}

    def _address(self, layout: Layout) -> str:
        return f"sc://{layout.head.address}:{self.port}"

    def _memory(self, layout: Layout) -> int:
        """Bytes of Sail's memory pool, which knows of the large operators only."""
        room = layout.head.memory - _CLIENT
        asked = self.memory or max(0, room) * 7 // 10
        return program.require_memory(self.kind, asked, _LEAST, room)

    def _server(self, layout: Layout) -> dict[str, str]:
        """The server's variables: its options, and its number of threads."""
        options = {
            "mode": "local",
            "runtime.memory_pool.type": self.pool,
            f"runtime.memory_pool.{self.pool}.max_size": str(self._memory(layout)),
            "runtime.temporary_files.paths": f'["{program.scratch(layout)}"]',
            "execution.default_parallelism": str(layout.head.cores),
            **self.conf,
        }
        return {
            **program.environment(layout, "sail"),
            "TOKIO_WORKER_THREADS": str(layout.head.cores),
            **{f"SAIL_{key.upper().replace('.', '__')}": value for key, value in options.items()},
        }


def _nothing(_response: Any) -> list[str]:
    """An open port is all there is to wait for."""
    return []
