"""Reads /proc of another host once a second, for weft that runs elsewhere: lines of samples on the standard output.

Usage: python -m weft.probes.sampler RUN NODE, on the node.
"""

import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType

from weft.nodes.base import Node
from weft.probes.proc import INTERVAL, Reader
from weft.record import samples


def main(run: str, name: str) -> None:
    """Until it is asked to end (SIGTERM); the last reading is of that moment."""
    done = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a handler
        done.set()

    signal.signal(signal.SIGTERM, end)
    node = Node(name, "", 0, 0, Path.cwd(), network_pid=os.getpid(), host=name)
    reader = Reader({name: node}, run, machine=name, blind=frozenset({os.getpid()}))
    while True:
        sys.stdout.write(samples.lines(reader.read()))
        sys.stdout.flush()
        if done.is_set():
            return
        done.wait(INTERVAL)


if __name__ == "__main__":
    main(*sys.argv[1:])
