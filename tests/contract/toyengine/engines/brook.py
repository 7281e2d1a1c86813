"""An engine with one daemon."""

from typing import Literal

from pydantic import Field

from weft.adapters.engines.base import Engine
from weft.layout.job import Job
from weft.layout.plan import Command, Daemon, Layout, Plan


class BrookEngine(Engine):
    """It starts a master, and its tasks in JVMs."""

    kind: Literal["brook"] = "brook"
    port: int = Field(default=7999, ge=1024, le=65535, description="port of the master")

    def plan(self, layout: Layout) -> Plan:
        master = Daemon(
            "master", layout.head, ["brook"], layout.environment(layout.head), (self.port,), essential=True
        )
        return Plan({}, [master])

    def submit(self, job: Job, layout: Layout) -> Command:
        return Command("client", layout.head, ["brook", job.program], layout.environment(layout.head))
