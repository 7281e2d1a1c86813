"""Records as data frames, for a notebook that plots what it likes: `weft.records()`, `weft.samples(NAME)`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars

from weft.host import settings
from weft.record import record
from weft.record import samples as readings
from weft.record.record import Stored

_TEXTS = ("workload", "engine", "nodes", "input", "output", "scratch", "reason", "checked_by")
_NUMBERS = ("measured", "bytes_in", "bytes_out", "throughput_per_node")
"""Seconds, bytes, bytes, and bytes per second and node; null if the run came to no such figure."""


def records(runs: str | Path | None = None) -> polars.DataFrame:
    """One row for each readable record below a directory, oldest first; default: WEFT_RUNS.

    Columns: name, verdict, the parts of the run, its figures, cell.KEY for each key of a study's matrix, and phase.NAME
    for the seconds of each phase.
    """
    found = record.all_records(Path(runs) if runs is not None else settings.runs())
    return polars.DataFrame([_row(stored) for stored in found], infer_schema_length=None)


def samples(name: str, runs: str | Path | None = None) -> polars.DataFrame:
    """What the probes of one run read: t (seconds since the epoch), probe, node, counter, value. Raises RecordError."""
    stored = record.find(Path(runs) if runs is not None else settings.runs(), name)
    return readings.load(stored.directory)


def _row(stored: Stored) -> dict[str, Any]:
    head = stored.head
    return {
        "name": stored.directory.name,
        "verdict": stored.verdict,
        **{key: _text(head.get(key)) for key in _TEXTS},
        **{key: _number(head.get(key)) for key in _NUMBERS},
        **{f"cell.{key}": _text(value) for key, value in _table(head.get("cell")).items()},
        **{f"phase.{key}": _number(value) for key, value in _table(head.get("phases")).items()},
    }


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
