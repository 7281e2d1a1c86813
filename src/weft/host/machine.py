"""The machine that runs weft: cores, memory, and equal shares of both."""

import os

import psutil

from weft.errors import UsageError
from weft.host.programs import inventory
from weft.text.units import show_size

RESERVE = 1 << 30
"""Bytes reserved for the operating system and for weft itself."""

LEAST = 1_400_000_000
"""Minimum bytes for a node: a worker, an executor with Spark's smallest heap (480 MiB), and their overheads."""


MOST = 254
"""Nodes of this machine: addresses of a /24 without that of the network and its broadcast."""


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


def memory() -> int:
    """Bytes of memory that this machine has."""
    return psutil.virtual_memory().total


def available() -> int:
    """Bytes of memory that new programs can have: less than the machine has free where a container or a job has a limit."""
    left = [bound - used for bound, used in inventory.bounds()]
    return max(0, min([psutil.virtual_memory().available, *left]))


def share(count: int, asked_cores: int | None, asked_memory: int | None) -> tuple[int, int]:
    """Cores and bytes of memory for each of `count` nodes. Raises UsageError if they do not fit."""
    if count > MOST:
        raise UsageError(
            f"{count} nodes of one machine have no addresses: they are of one network of {MOST}",
            hint=f"request at most {MOST} nodes here",
        )
    if asked_cores is not None and asked_cores > cores():
        raise UsageError(
            f"nodes of {asked_cores} cores do not fit into the {cores()} of this machine",
            hint=f"ask for at most cores={cores()}",
        )
    free = available()
    room = free - RESERVE
    if room < LEAST:
        raise UsageError(
            f"this machine has {show_size(free)} of free memory; a node needs {show_size(LEAST)}, and the rest of it {show_size(RESERVE)}",
            hint="`ps aux --sort=-rss` shows what uses it; or choose other nodes with --nodes",
        )
    memory = asked_memory or room // count
    if memory * count > room:
        raise UsageError(
            f"{count} nodes of {show_size(memory)} do not fit into the {show_size(room)} of free memory",
            hint=f"request at most {max(1, room // memory)} nodes, or for smaller ones (memory=...)",
        )
    if memory < LEAST:
        raise UsageError(
            f"{count} nodes leave {show_size(memory)} of memory for each; an engine needs {show_size(LEAST)}",
            hint=f"request at most {max(1, room // LEAST)} nodes here",
        )
    return asked_cores or max(1, cores() // count), memory
