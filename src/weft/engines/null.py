"""An engine without daemons: a job is a program of weft's core jar, run on the head node."""

from typing import Literal

from weft.engines.base import Engine
from weft.jvm import core, heap, temporary
from weft.plan import Command, Job, Layout, Plan

_HEAP = 512 << 20
"""Bytes of heap of the program."""


class NullEngine(Engine):
    """Starts nothing; what a machine does without an engine is the ground that engines are compared with."""

    kind: Literal["null"] = "null"

    def plan(self, layout: Layout) -> Plan:  # noqa: ARG002 - nothing is laid out
        return Plan(files={}, daemons=(), ready=())

    def submit(self, job: Job, layout: Layout) -> Command:
        job.brought.require(self.kind)
        head = layout.head
        argv = [
            str(layout.java),
            heap(_HEAP),
            *core(layout),
            f"io.weft.core.{job.program}",
            *job.arguments,
        ]
        return Command(job.name, head, argv, {**layout.environment(head), **temporary(head)}, job.outcome)
