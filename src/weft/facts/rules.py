"""Rules by which the time of processes is divided, as tables: those of each engine, and what is the same everywhere."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weft.facts import engines

HOTSPOT = "hotspot"
"""Threads and code of the Java virtual machine itself, in any engine's process."""
CALLS = "calls"
"""Numbers of system calls."""


def shared(name: str) -> dict[str, Any]:
    """The rules that are no engine's."""
    return _table(Path(__file__).with_name(f"{name}.toml"))


def of_engines() -> Sequence[dict[str, Any]]:
    """The rules of each engine that has some; in a stack, those of lower precedence decide before others."""
    tables = [_table(facts.rules) for facts in engines.ALL.values() if facts.rules]
    return sorted(tables, key=lambda table: table.get("precedence", len(tables)))


def _table(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
