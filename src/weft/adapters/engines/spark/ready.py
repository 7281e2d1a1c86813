"""An application of a standalone cluster whose executors are there before the program of a measured run (Ready.java)."""

import sys
from collections.abc import Mapping
from pathlib import Path

from weft.adapters.engines.spark import onejob
from weft.host.programs import handover, marks
from weft.layout.job import Dependencies, Job
from weft.layout.plan import Layout

NAME = "weft-ready"
_LISTENERS = "spark.extraListeners"


def waiting(layout: Layout, socket: Path, conf: Mapping[str, str]) -> Job:
    """The application that waits at a socket; its processes have the mark of the layout's run. `conf`: the cluster's settings."""
    listeners = ",".join(filter(None, [conf.get(_LISTENERS), "io.weft.spark.ReadyEvents"]))
    own = {f"spark.executorEnv.{marks.LEASE}": layout.run, "spark.eventLog.enabled": "false"}
    return Job(
        name=NAME,
        program="Ready",
        arguments=[str(socket), str(len(layout.nodes))],
        dependencies=Dependencies(conf={**own, _LISTENERS: listeners}),
    )


def taken(job: Job, layout: Layout, socket: Path, log: Path) -> list[str] | None:
    """The arguments of a process that gives it a job of weft's own and ends with that; None for a job with dependencies of its own."""
    own = onejob.settings(layout)
    if job.options or job.dependencies != Dependencies(conf=own) or job.program.endswith((".py", ".jar")):
        return None
    events = f"file:{layout.record}/engine" if layout.metrics else ""
    give = [sys.executable, "-I", "-S", handover.__file__, str(socket), str(log)]
    return [*give, events, job.program, *job.arguments]
