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

from weft import samples, shell
from weft.errors import WeftError
from weft.plan import Layout
from weft.probes.base import Probe, Source, add_sources
from weft.provision.native import PRELOAD
from weft.record import write_json
from weft.samples import Sample
from weft.ticking import every

INTERVAL = 1.0
"""Seconds between readings."""

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
        return {
            node.name: {
                "LD_PRELOAD": str(layout.native / PRELOAD),
                "WEFT_COUNT_DIR": str(_counters(layout, node.name)),
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
                f"fileops.*.{key}": Source(unit, f"preload library, {words}", _BLIND)
                for key, (unit, words) in _UNITS.items()
            },
        )

        def observe() -> None:
            samples.append(layout.record, _read(layout))

        try:
            with every(INTERVAL, observe):
                yield
        finally:
            observe()
            for node in layout.all_nodes:
                write_json(layout.record / "fileops" / f"{node.name}.json", _stats(layout, node.name))


def _counters(layout: Layout, node: str) -> Path:
    directory = layout.directory / node / "fileops"
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    return directory


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


def _stats(layout: Layout, node: str) -> dict[str, Any]:
    program = layout.native / "weft-scratch"
    try:
        found: dict[str, Any] = json.loads(
            shell.run([str(program), "stats", str(_counters(layout, node)), "--json"]).out
        )
    except (WeftError, ValueError):
        return {"total": {}, "processes": [], "covered": False}
    return found


def _read(layout: Layout) -> list[Sample]:
    found = []
    for node in layout.all_nodes:
        now = time.time()
        for kind, operations in _stats(layout, node.name)["total"].items():
            for operation, sums in operations.items():
                name = f"fileops.{kind}.{operation}"
                found.append(Sample(now, node.name, "", f"{name}.count", sums["count"]))
                found.append(Sample(now, node.name, "", f"{name}.seconds", sums["ns"] / 1e9))
                if sums["bytes"]:
                    found.append(Sample(now, node.name, "", f"{name}.bytes", sums["bytes"]))
    return found
