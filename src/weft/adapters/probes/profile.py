"""Where the engine's JVMs spend CPU time, by async-profiler: stacks of all threads, sampled by each thread's own clock.

Its timers (`event=ctimer`) need no perf_events and no privilege; they see no frames inside of the kernel, whose time
is charged to the call of the C library that entered it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from weft.adapters.probes import pythonworkers
from weft.adapters.probes.base import JvmProbe, Source
from weft.host.provision import profiler
from weft.layout.plan import COMPONENT, Layout

INTERVAL_MS = 10
"""Milliseconds of a thread's CPU time from sample to sample."""

_BLIND = (
    "JVMs that were killed before they wrote their stacks, programs that are no JVM and no worker of PySpark, frames inside of the kernel;"
    " of Python workers native frames, threads other than the main one, and their last second"
)


class ProfileProbe(JvmProbe):
    """An agent, which writes its stacks when the JVM ends."""

    name: ClassVar[str] = "profile"
    sources: ClassVar[Mapping[str, Source]] = {
        "profile": Source(
            "s",
            f"async-profiler, ctimer, {INTERVAL_MS} ms; in Python workers a thread that looks as often",
            _BLIND,
            "run",
        )
    }

    def environment(self, layout: Layout) -> Mapping[str, Mapping[str, str]]:
        """Python workers write their stacks beside those of the JVMs."""
        if pythonworkers.missing():
            return super().environment(layout)
        return {
            node.name: {
                **super(ProfileProbe, self).environment(layout)[node.name],
                **pythonworkers.variables(
                    node, pythonworkers.STACKS, str(layout.record / self.name / node.name / COMPONENT)
                ),
            }
            for node in layout.all_nodes
        }

    def missing(self, layout: Layout) -> str | None:  # noqa: ARG002 - it depends on the machine alone
        lacking = "async-profiler was not downloaded, or has no library for this CPU architecture"
        return None if profiler.library() else lacking

    def option(self, folder: Path) -> str:
        return (
            f"-agentpath:{profiler.library()}=start,threads,event=ctimer,interval={INTERVAL_MS}ms,"
            f"loglevel=error,log=stderr,file={folder}/%p.collapsed"
        )
