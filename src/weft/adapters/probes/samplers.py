"""Processes that read /proc on other hosts, for the probes that read it directly on this machine."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere
from weft.host import settings
from weft.host.programs import marks
from weft.layout.node import Node
from weft.layout.plan import Layout
from weft.record import samples


def can_sample(layout: Layout) -> str | None:
    """Why the other hosts of a run cannot be read, or None."""
    away = [node for node in layout.all_nodes if node.host]
    seen = everywhere(away, _runs) if away else []
    blind = [node.name for node, fit in zip(away, seen, strict=True) if not fit]
    return f"weft's Python ({sys.executable}) does not run on {', '.join(blind)}" if blind else None


def _runs(node: Node) -> bool:
    python = [sys.executable, "-P", "-c", "import weft.adapters.probes.sampler"]
    return access(node).run(["env", f"PYTHONPATH={settings.PACKAGE.parent}", *python], check=False).code == 0


@contextmanager
def samplers(layout: Layout, probe: str, *more: str) -> Iterator[None]:
    """A process on each other host that reads its /proc for this probe, with more arguments, and sends the readings."""
    away = [node for node in layout.all_nodes if node.host]
    running = [
        access(node).spawn(
            f"sampler-{probe}",
            [
                sys.executable,
                "-P",
                "-m",
                "weft.adapters.probes.sampler",
                layout.marks,
                node.name,
                probe,
                *more,
            ],
            log=layout.log(node, f"sampler-{probe}"),
            env={"PYTHONPATH": str(settings.PACKAGE.parent), marks.LEASE: layout.run},
            out=samples.remote_log(layout.record, f"{node.name}.{probe}"),
        )
        for node in away
    ]
    try:
        yield
    finally:
        with ThreadPoolExecutor(max_workers=64) as pool:
            list(pool.map(lambda process: process.stop(), running))
