"""An engine without daemons: a job is a program of weft's core jar, run on the head node."""

from typing import Literal

from pydantic import Field

from weft.adapters.engines.base import Engine
from weft.adapters.engines.standins import standins
from weft.layout.job import Job
from weft.layout.jvm import core, heap, temporary
from weft.layout.plan import Command, Layout, Plan
from weft.text.fields import Duration, Port

_HEAP = 512 << 20
"""Bytes of heap of the program."""


class NullEngine(Engine):
    """Starts nothing; the performance of a machine without an engine is the baseline for engines."""

    kind: Literal["null"] = "null"
    workers: Duration | None = Field(
        default=None, description="start stand-ins for workers, each ready after this time"
    )
    port: Port = Field(default=7070, description="port of the stand-in for their master")

    def plan(self, layout: Layout) -> Plan:
        return Plan({}, ()) if self.workers is None else standins(layout, self.workers, self.port)

    def submit(self, job: Job, layout: Layout) -> Command:
        job.dependencies.require(self.kind)
        head, java = layout.head, [str(layout.java), heap(_HEAP), *core(layout)]
        argv = [*java, f"io.weft.core.{job.program}", *job.arguments]
        return job.command(job.name, head, argv, {**layout.environment(head), **temporary(layout, head)})
