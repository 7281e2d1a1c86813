"""File operations as the processes call them: counted by the preload library, per node and path class.

Sees every call that goes through the C library; what it could not see (raw system calls, io_uring, static
programs) it names.
"""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from weft.errors import WeftError
from weft.host import shell
from weft.host.provision.native import PRELOAD
from weft.host.ticking import every
from weft.layout.plan import Layout
from weft.nodes.base import Node, everywhere
from weft.probes.base import Probe, Source, add_sources
from weft.record import samples
from weft.record.record import write_json
from weft.record.samples import Sample

INTERVAL = 1.0
"""Seconds between readings."""
_AWAY = 10.0
"""The same where each takes a connection to another host."""

_BLIND = "system calls past the C library, io_uring, statically linked programs: named in the report where they were seen"
_UNITS = {
    "count": ("", "calls"),
    "bytes": ("B", "bytes moved"),
    "seconds": ("s", "time inside calls, summed over threads"),
}


class FileopsProbe(Probe):
    """Attached to every engine process by LD_PRELOAD; needs no privilege."""

    name: ClassVar[str] = "fileops"
    native: ClassVar[bool] = True

    def missing(self, layout: Layout) -> str | None:
        return (
            None
            if (layout.native / PRELOAD).exists()
            else "the preload library is not built (cargo is missing)"
        )

    def environment(self, layout: Layout) -> Mapping[str, Mapping[str, str]]:
        everywhere(layout.all_nodes, lambda node: node.make(_counters(layout, node)))
        return {
            node.name: {
                "LD_PRELOAD": str(layout.native / PRELOAD),
                "WEFT_COUNT_DIR": str(_counters(layout, node)),
                "WEFT_COUNT_CLASSES": ":".join(
                    f"{name}={path}" for name, path in _classes(layout, node.name)
                ),
            }
            for node in layout.all_nodes
        }

    @contextmanager
    def watch(self, layout: Layout) -> Iterator[None]:
        add_sources(
            layout.record,
            {
                f"fileops.*.{key}": Source(unit, f"preload library, {what}", _BLIND)
                for key, (unit, what) in _UNITS.items()
            },
        )

        def observe() -> None:
            samples.append(layout.record, _read(layout))

        away = any(node.host for node in layout.all_nodes)
        try:
            with every(_AWAY if away else INTERVAL, observe):
                yield
        finally:
            observe()
            last = everywhere(layout.all_nodes, lambda node: _stats(layout, node, "--kernel"))
            for node, stats in zip(layout.all_nodes, last, strict=True):
                write_json(layout.record / "fileops" / f"{node.name}.json", stats)


def _counters(layout: Layout, node: Node) -> Path:
    return layout.directory / node.name / "fileops"


def _classes(layout: Layout, node: str) -> list[tuple[str, str]]:
    """Path classes: the roles of storage, the engine's own files, and the record's logs; the first that fits counts."""
    stored = [(str(role), place.paths.get(node, "")) for role, place in layout.places.items()]
    places = [
        (role, path) for role, path in stored if path.startswith("/")
    ]  # a URI is no path of a file call
    jars = [
        ("jars", str(home))
        for home in (*layout.homes.values(), *(jar.parent for jar in layout.jars.values()))
    ]
    return [
        *places,
        *dict.fromkeys(jars),
        ("jars", str(layout.java.parent.parent)),
        ("logs", str(layout.record)),
    ]


def _stats(layout: Layout, node: Node, *more: str) -> dict[str, Any]:
    arguments = [str(layout.native / "weft-scratch"), "stats", str(_counters(layout, node)), "--json", *more]
    run = node.run if node.host else shell.run
    try:
        found: dict[str, Any] = json.loads(run(arguments).out)
    except (WeftError, ValueError):
        return {"total": {}, "processes": [], "covered": False}
    return found


def _read(layout: Layout) -> list[Sample]:
    found = []
    now = time.time()
    stats = everywhere(layout.all_nodes, lambda node: _stats(layout, node))
    for node, one in zip(layout.all_nodes, stats, strict=True):
        for kind, operations in one["total"].items():
            for operation, sums in operations.items():
                name = f"fileops.{kind}.{operation}"
                found.append(Sample(now, node.name, "", f"{name}.count", sums["count"]))
                found.append(Sample(now, node.name, "", f"{name}.seconds", sums["ns"] / 1e9))
                if sums["bytes"]:
                    found.append(Sample(now, node.name, "", f"{name}.bytes", sums["bytes"]))
    return found
