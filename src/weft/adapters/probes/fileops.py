"""File operations as requested by processes: counted by the preload library, per node and path class.

Counts every call that goes through the C library, and reports what it could not see (raw system calls, io_uring,
static programs).
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere
from weft.adapters.probes.base import Probe, Read, Source
from weft.errors import WeftError
from weft.facts.threadkinds import preload_rules
from weft.host import shell
from weft.host.provision.native import PRELOAD
from weft.layout.node import Node
from weft.layout.plan import COMPONENT, COMPONENTS, Component, Layout
from weft.record.record import write_json
from weft.record.samples import Measure, Sample

_AWAY = 10.0
"""Seconds between readings if each needs a connection to another host."""

_BLIND = "system calls that bypass the C library, io_uring, statically linked programs: listed in the report"
_COUNTERS = {
    "fileops.processes": ("", "processes that made a counted call"),
    "fileops.count": ("", "calls"),
    "fileops.errors": ("", "calls that failed"),
    "fileops.bytes": ("B", "bytes moved"),
    "fileops.seconds": ("s", "time inside calls, summed over threads"),
    "threadops.count": ("", "calls, by kind of thread: task, server, collector, compiler, python, other"),
    "threadops.seconds": ("s", "time inside calls, by kind of thread"),
    "fileops.size_hist": ("", "calls that moved at least so many bytes, up to the next bound"),
    "fileops.ns_hist": ("", "calls that took at least so many nanoseconds, up to the next bound"),
}
_HISTOGRAMS = {"read": "size_hist", "open": "ns_hist"}
"""Operations whose distribution is read as well."""


class FileopsProbe(Probe):
    """Attached to every engine process by LD_PRELOAD; needs no privilege."""

    name: ClassVar[str] = "fileops"
    sources: ClassVar[Mapping[str, Source]] = {
        name: Source(unit, f"preload library, {what}", _BLIND, since="run")
        for name, (unit, what) in _COUNTERS.items()
    }
    native: ClassVar[bool] = True
    by_node: ClassVar[Sequence[str]] = ("WEFT_COUNT_DIR", "WEFT_COUNT_CLASSES")

    def missing(self, layout: Layout) -> str | None:
        built = (layout.native / PRELOAD).exists()
        return None if built else "the preload library is not built (cargo is missing)"

    def environment(self, layout: Layout) -> Mapping[str, Mapping[str, str]]:
        return {
            node.name: {
                "LD_PRELOAD": str(layout.native / PRELOAD),
                "WEFT_COUNT_DIR": str(_counters(layout, node) / COMPONENT),
                "WEFT_COUNT_CLASSES": ":".join(map("=".join, _classes(layout, node.name))),
                "WEFT_COUNT_THREADS": preload_rules(),
            }
            for node in layout.all_nodes
        }

    def directories(self, layout: Layout) -> Mapping[str, Sequence[Path]]:
        return {
            node.name: [_counters(layout, node) / component for component in COMPONENTS]
            for node in layout.all_nodes
        }

    @contextmanager
    def watch(self, layout: Layout) -> Iterator[Read]:
        away = any(node.host for node in layout.all_nodes)
        try:
            with self.polled(layout, lambda: _read(layout), interval=_AWAY if away else 1.0) as read:
                yield read
        finally:
            everywhere(layout.all_nodes, lambda node: _keep(layout, node))


def _counters(layout: Layout, node: Node) -> Path:
    return layout.directory / node.name / "fileops" / layout.run


_PYTHON = ("*.py", "*.pyc", "*/python3*")
"""Files of Python environments, wherever they are: an interpreter's own are below lib/python3.VERSION."""


def _classes(layout: Layout, node: str) -> list[tuple[str, str]]:
    """Path classes: Python environments, then the roles of storage, the engine's own files, and the record's logs."""
    stored = [(str(role), place.paths.get(node, "")) for role, place in layout.all_places.items()]
    # a URI is not the path of a file call
    places = [(role, path) for role, path in stored if path.startswith("/")]
    homes = (*layout.homes.values(), *(jar.parent for jar in layout.jars.values()), layout.java_home)
    jars = dict.fromkeys(("jars", str(home)) for home in homes)
    return [*(("python", pattern) for pattern in _PYTHON), *places, *jars, ("logs", str(layout.record))]


def _keep(layout: Layout, node: Node) -> None:
    """Each process with its own counters, and what the library could not see of it."""
    found = [
        {**process, "component": component}
        for component, stats in _stats(layout, node, "--kernel").items()
        for process in stats["processes"]
        # it waits for its children on the node, and so has their sums in addition to its own few bytes
        if Path(process["program"]).name != node.enters
    ]
    write_json(layout.record / "fileops" / f"{node.name}.json", {"processes": found})
    if layout.of_job:  # the cluster's directory stays when the job has ended
        with suppress(WeftError):
            access(node).run(["rm", "-rf", str(_counters(layout, node))])


def _stats(layout: Layout, node: Node, *more: str) -> dict[Component, dict[str, Any]]:
    """The counter files of a node, by component; nothing if they are not readable."""
    run = access(node).run if node.host else shell.run
    found: dict[Component, dict[str, Any]] = {}
    for component in COMPONENTS:
        directory = _counters(layout, node) / component
        if not node.host and next(directory.glob("*"), None) is None:
            continue  # saves starting a program each second
        arguments = [str(layout.native / "weft-scratch"), "stats", str(directory), "--json", *more]
        try:
            found[component] = json.loads(run(arguments).out)
        except (WeftError, ValueError):
            continue
    return found


def _read(layout: Layout) -> list[Sample]:
    now = time.time()
    read = everywhere(layout.all_nodes, lambda node: _stats(layout, node))
    return [
        measure.at(now, node.name, "", value, component)
        for node, stats in zip(layout.all_nodes, read, strict=True)
        for component in COMPONENTS
        for measure, value in readings(stats.get(component, {"total": {}, "processes": []}))
    ]


def readings(stats: Mapping[str, Any]) -> Iterator[tuple[Measure, float]]:
    """Counters and their values; zeros, hundreds per second, are not written: sources.json says that they start at 0."""
    yield Measure("fileops.processes"), len(stats["processes"])
    yield from _of_classes("fileops", "", stats["total"])
    for thread, classes in stats.get("threads", {}).items():
        yield from _of_classes("threadops", thread, classes)


def _of_classes(family: str, thread: str, classes: Mapping[str, Any]) -> Iterator[tuple[Measure, float]]:
    for path_class, operations in classes.items():
        for operation, sums in operations.items():
            if not sums["count"]:
                continue
            labels = (thread, path_class, operation)
            yield Measure(f"{family}.count", *labels), sums["count"]
            yield Measure(f"{family}.seconds", *labels), sums["ns"] / 1e9
            if thread:
                continue
            for key in ("bytes", "errors"):
                if sums[key]:
                    yield Measure(f"{family}.{key}", *labels), sums[key]
            if histogram := _HISTOGRAMS.get(operation):
                for floor, count in sums[histogram]:
                    yield Measure(f"{family}.{histogram}", *labels, str(floor)), count
