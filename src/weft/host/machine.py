"""The machine that weft runs on: cores, memory, and an equal share of both."""

import os

import psutil

from weft.errors import UsageError
from weft.text.units import show_size

RESERVE = 1 << 30
"""Bytes left to the operating system and to weft itself."""

LEAST = 1_400_000_000
"""Bytes below which a node cannot hold a worker, an executor of Spark's least heap (450 MiB) and their overheads."""


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0))


def share(count: int, asked_cores: int | None, asked_memory: int | None) -> tuple[int, int]:
    """Cores and bytes of memory for each of `count` nodes. Raises UsageError when they do not fit."""
    available = psutil.virtual_memory().available - RESERVE
    memory = asked_memory or available // count
    if memory * count > available:
        raise UsageError(
            f"{count} nodes of {show_size(memory)} do not fit into the {show_size(available)} of memory that are free",
            hint=f"ask for at most {max(1, available // memory)} nodes, or for smaller ones (memory=...)",
        )
    if memory < LEAST:
        raise UsageError(
            f"{count} nodes leave {show_size(memory)} of memory for each; an engine needs {show_size(LEAST)}",
            hint=f"ask for at most {max(1, available // LEAST)} nodes here",
        )
    return asked_cores or max(1, cores() // count), memory
