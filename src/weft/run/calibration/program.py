"""The program `gauge`, run on nodes at the same time; it prints what it measured as JSON."""

import json
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weft.adapters.nodes.access import access
from weft.errors import NodeError
from weft.host import shell, signals
from weft.host.programs import marks
from weft.host.shell import Process
from weft.host.work import Work
from weft.layout.node import Node
from weft.layout.places import Place

PATIENCE = 300.0
"""Seconds within which one measurement ends, on the slowest storage too."""
_HEAD_START = 0.4
"""Seconds in which the programs on all nodes are started; a later one measures from when it is."""
_SERVING = 20.0
"""Seconds until a node serves."""


@dataclass(frozen=True)
class Gauge:
    """How the program runs on the nodes of a calibration; `place` is the storage that it measures, if it does."""

    work: Work
    place: Place | None = None
    token: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)

    @property
    def storage(self) -> Place:
        """The storage that is measured."""
        assert self.place is not None
        return self.place

    def on(self, arguments: Mapping[Node, Sequence[str]]) -> list[Any]:
        """Run it on each of these nodes at the same time, and return what each prints. Raises NodeError if one fails."""
        started: list[tuple[Node, Process, Path]] = []
        at = ["--at", f"{time.time() + _HEAD_START:.3f}"] if len(arguments) > 1 else []
        try:
            started.extend(self._start(node, [*at, *own]) for node, own in arguments.items())
            end = time.monotonic() + PATIENCE
            while any(process.code() is None for _, process, _ in started):
                for node, process, _ in started:
                    _require(node, process)
                if time.monotonic() > end:
                    raise NodeError(f"the measurement did not end within {PATIENCE:.0f} s")
                signals.sleep(0.02)
            return [self._printed(node, process, out) for node, process, out in started]
        finally:
            for _, process, _ in started:
                process.stop(grace=1)

    @contextmanager
    def serving(self, node: Node) -> Iterator[str]:
        """A node that answers others, for the length of a `with` block: its address and port."""
        _, process, out = self._start(node, ["serve", "--address", node.address])
        try:
            end = time.monotonic() + _SERVING
            while not out.read_text(encoding="utf-8").strip():
                _require(node, process)
                if time.monotonic() > end or process.code() is not None:
                    raise NodeError(f"{node.name} does not serve others", tail=shell.tail(process.log))
                signals.sleep(0.02)
            yield f"{node.address}:{int(out.read_text(encoding='utf-8'))}"
        finally:
            process.stop(grace=1)

    def _start(self, node: Node, arguments: Sequence[str]) -> tuple[Node, Process, Path]:
        name = f"gauge-{secrets.token_hex(4)}"
        log, out = (self.work.directory / f"{name}.{kind}" for kind in ("log", "out"))
        wrapper = self.place.wrapper.get(node.name, ()) if self.place else ()
        own = self.place.environment.get(node.name, {}) if self.place else {}
        environment = {**own, "WEFT_GAUGE_TOKEN": self.token, marks.LEASE: self.work.name}
        argv = [*wrapper, str(self.work.native / "gauge"), *arguments]
        return node, access(node).spawn(name, argv, log=log, env=environment, out=out), out

    def _printed(self, node: Node, process: Process, out: Path) -> Any:
        _require(node, process)
        text = out.read_text(encoding="utf-8").strip()
        if not text:
            raise NodeError(f"gauge on {node.name} printed nothing", tail=shell.tail(process.log))
        return json.loads(text.splitlines()[-1])


def _require(node: Node, process: Process) -> None:
    if process.code():
        what = " ".join(process.argv[-6:])
        raise NodeError(
            f"gauge on {node.name} failed with exit code {process.code()} ({what})",
            tail=shell.tail(process.log),
            hint="check that the storage has room and may be written",
        )
