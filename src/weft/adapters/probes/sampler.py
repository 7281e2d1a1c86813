"""Reads /proc periodically on another host, for weft on its own machine: prints samples to the standard output.

Usage: python -m weft.adapters.probes.sampler MARKS NODE PROBE [SERVERS], on the node; SERVERS as JSON, for the probe `threads`; MARKS as of a layout.
"""

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from weft.adapters.probes import proc, threads
from weft.host.ticking import every
from weft.layout.node import Node
from weft.record import samples
from weft.record.samples import Sample


def main(leases: str, name: str, probe: str, servers: str = "{}") -> None:
    """Run until SIGTERM; the last reading is from that moment."""
    done = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a handler
        done.set()

    signal.signal(signal.SIGTERM, end)
    nodes = {name: Node(name, "", 0, 0, Path.cwd(), network_pid=os.getpid(), host=name)}
    if probe == threads.ThreadsProbe.name:
        reader = threads.ThreadReader(nodes, leases, json.loads(servers))
        with every(threads.GLANCE, reader.glance):
            _tell(reader.read, threads.INTERVAL, done)
    else:
        blind = frozenset({os.getpid()})
        _tell(proc.Reader(nodes, leases, machine=name, blind=blind).read, proc.INTERVAL, done)


def _tell(read: Callable[[], list[Sample]], interval: float, done: threading.Event) -> None:
    while True:
        sys.stdout.write(samples.lines(read()))
        sys.stdout.flush()
        if done.is_set():
            return
        done.wait(interval)


if __name__ == "__main__":
    main(*sys.argv[1:])
