"""DuckDB in the process of the job: nothing listens, and nothing is left when the job has ended."""

from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import Field

from weft.adapters.engines.base import Engine
from weft.adapters.engines.onenode import program
from weft.layout.job import Job
from weft.layout.plan import Command, Layout, Plan
from weft.record.derived import Derived
from weft.text.executes import Settings
from weft.text.fields import Size

_LEAST = 64 << 20
"""Bytes of DuckDB's memory limit with which it opens a table."""
_PYTHON = 64 << 20
"""Bytes of the process besides: Python, DuckDB's code and what it does not count."""


class DuckDbEngine(Engine):
    """A database in one process, with as many threads as the node has cores."""

    kind: Literal["duckdb"] = "duckdb"
    positional: ClassVar[str] = "memory"
    distributions: ClassVar[tuple[str, ...]] = ("duckdb",)
    most_nodes: ClassVar[int | None] = 1

    memory: Size | None = Field(
        default=None, description="DuckDB's memory_limit; default: 80 % of the node's memory"
    )
    conf: Settings = Field(default_factory=dict, description="any setting of DuckDB; overrides weft")

    def plan(self, layout: Layout) -> Plan:
        program.require_paths(layout, self.kind)
        derived = Derived(
            counts={"processes, without a cluster": 1},
            slots=layout.head.cores,
            sizes={"memory limit": self._memory(layout)},
            notes={"security": "nothing listens"},
        )
        return Plan({}, (), (), {self.kind: derived})

    def submit(self, job: Job, layout: Layout) -> Command:
        job.dependencies.require(self.kind, "conf")
        own = {
            "threads": str(layout.head.cores),
            "memory_limit": f"{self._memory(layout) >> 20}MiB",
            "temp_directory": program.scratch(layout),
            **self.conf,
            **job.dependencies.conf,
        }
        given = program.settings(replace(job.dependencies, conf=own), layout)
        argv = [*program.python(), "-m", "weft_sql", self.kind, job.program, *given.options]
        environment = program.environment(layout, "duckdb")
        return job.command("client", layout.head, [*argv, *job.arguments], environment, files=given.files)

    def _memory(self, layout: Layout) -> int:
        """Bytes of DuckDB's own limit."""
        room = layout.head.memory - _PYTHON
        asked = self.memory or min(room, layout.head.memory * 8 // 10)
        return program.require_memory(self.kind, asked, _LEAST, room)
