"""An engine without daemons: a job is a program run on the head node."""

from typing import Literal

from weft.engines.base import Engine
from weft.plan import Command, Job, Layout, Plan


class NullEngine(Engine):
    """Runs a job's program as it is."""

    kind: Literal["null"] = "null"

    def plan(self, layout: Layout) -> Plan:  # noqa: ARG002 - nothing is laid out
        return Plan(files={}, daemons=(), ready=None)

    def submit(self, job: Job, layout: Layout) -> Command:
        return Command(
            job.name, layout.head, [job.program, *job.arguments], layout.environment(layout.head), job.outcome
        )
