"""Kinds of file systems in IO500: by which names submitters call them, and what no rate shows."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any


@dataclass(frozen=True)
class Figure:
    """A value, and where it is from."""

    value: Any
    source: str


@dataclass(frozen=True)
class FileSystemKind:
    """Lustre, GPFS, ..."""

    name: str
    words: str
    """What people call it."""
    names: str
    """Which names of file systems mean it, as a regular expression; empty: none."""
    alone: Figure | None
    """Seconds of one call of a single process; None where no source was found."""
    values: Mapping[str, Figure]
    """What of a profile of latencyfs is not in a rate: how its clients cache, and the size of their requests."""
    note: str = ""
    """What its submissions do otherwise than a job."""

    def named(self, file_system: str) -> bool:
        """Whether submitters that write this mean it."""
        return bool(self.names and re.search(self.names, file_system, re.IGNORECASE))


def _kinds() -> dict[str, FileSystemKind]:
    text = resources.files("weft.facts.io500").joinpath("kinds.toml").read_text(encoding="utf-8")
    return {name: _kind(name, table) for name, table in tomllib.loads(text).items()}


def _kind(name: str, table: Mapping[str, Any]) -> FileSystemKind:
    alone = table.get("alone")
    values = {key: Figure(**one) for key, one in table["values"].items()}
    return FileSystemKind(
        name, table["words"], table.get("names", ""), alone and Figure(**alone), values, table.get("note", "")
    )


_ALL = _kinds()
OTHER = _ALL.pop("other")
"""What is assumed of all others."""
KINDS: Mapping[str, FileSystemKind] = _ALL
"""By name; the first whose names fit is meant."""
