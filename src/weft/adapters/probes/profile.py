"""Where the engine's JVMs spend processor time, by async-profiler: stacks of all threads, sampled by each thread's own clock.

Its timers (`event=ctimer`) need no perf_events and no privilege; they see no frames inside of the kernel, whose time
is charged to the call of the C library that entered it.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from weft.adapters.probes.base import Probe, Read, Source, add_sources, no_reading
from weft.host.provision import profiler
from weft.layout.plan import COMPONENT, COMPONENTS, Layout

INTERVAL_MS = 10
"""Milliseconds of a thread's processor time from sample to sample."""

_BLIND = "JVMs that were killed before they wrote their stacks, programs that are no JVM, frames inside of the kernel"


class ProfileProbe(Probe):
    """An agent in every JVM of the engine, which writes its stacks when the JVM ends; needs no privilege."""

    name: ClassVar[str] = "profile"

    def missing(self, layout: Layout) -> str | None:  # noqa: ARG002 - it depends on the machine alone
        if profiler.library() is None:
            return "async-profiler was not downloaded, or has no library for this processor"
        return None

    def environment(self, layout: Layout) -> Mapping[str, Mapping[str, str]]:
        return {node.name: {"JAVA_TOOL_OPTIONS": _agent(layout, node.name)} for node in layout.all_nodes}

    def directories(self, layout: Layout) -> Mapping[str, Sequence[Path]]:
        return {
            node.name: [_stacks(layout, node.name, part) for part in COMPONENTS] for node in layout.all_nodes
        }

    @contextmanager
    def watch(self, layout: Layout) -> Iterator[Read]:
        source = Source("s", f"async-profiler, ctimer, {INTERVAL_MS} ms", _BLIND, since="run")
        add_sources(layout.record, {"profile": source})
        yield no_reading


def _stacks(layout: Layout, node: str, component: str) -> Path:
    return layout.record / "profile" / node / component


def _agent(layout: Layout, node: str) -> str:
    options = {
        "event": "ctimer",
        "interval": f"{INTERVAL_MS}ms",
        "loglevel": "error",
        "log": "stderr",
        "file": f"{_stacks(layout, node, COMPONENT)}/%p.collapsed",
    }
    words = ",".join(f"{key}={value}" for key, value in options.items())
    return f"-agentpath:{profiler.library()}=start,threads,{words}"
