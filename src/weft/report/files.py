"""The text files of a record: configuration and logs."""

import json
from pathlib import Path
from typing import Any

from weft.record.record import Stored
from weft.report.summary import Document, Log

_MOST_TEXT = 200_000
"""Maximum characters of one file in a page."""
_LINES = 25
"""Last lines of a log that are shown for a failed run."""
_READ = 16_384
"""Bytes of a log's end that are read for them."""
_TAILS = 12
"""Number of logs whose ends are shown: most of a failure is in the newest."""


def documents(directory: Path) -> tuple[Document, ...]:
    """The request, the resolved configuration, every generated file and every command."""
    plan = sorted(
        path for path in (directory / "plan").rglob("*") if path.is_file() and not path.name.startswith(".")
    )
    paths = [
        directory / "spec.toml",
        directory / "resolved.json",
        *plan,
        *sorted((directory / "outcomes").glob("*.json")),
    ]
    return tuple(
        Document(title=str(path.relative_to(directory)), text=_text(path)) for path in paths if path.exists()
    )


def _text(path: Path) -> str:
    text = path.read_text(errors="replace")
    if len(text) <= _MOST_TEXT:
        return text
    return text[:_MOST_TEXT] + f"\n... {len(text) - _MOST_TEXT} more characters in the record"


def logs(directory: Path, *, tails: bool) -> tuple[Log, ...]:
    """Every log with its size, and with `tails` the ends of the newest ones."""
    base = directory / "logs"
    paths = sorted(path for path in base.rglob("*") if path.is_file() and not path.is_symlink())
    texts = [
        path for path in paths if path.suffix in {".log", ".err", ".out"} or path.name in {"stdout", "stderr"}
    ]
    newest = sorted((p for p in texts if p.stat().st_size), key=lambda p: p.stat().st_mtime)[-_TAILS:]
    return tuple(
        Log(
            path=str(path.relative_to(directory)),
            size=path.stat().st_size,
            tail=_end(path) if tails and path in newest else (),
            last=path in newest[-1:],
        )
        for path in texts
    )


def _end(path: Path) -> tuple[str, ...]:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _READ))
        return tuple(file.read().decode(errors="replace").splitlines()[-_LINES:])


def hdfs(directory: Path) -> dict[str, Any]:
    """By daemon of HDFS: its counters at the end of the work."""
    path = directory / "hdfs.json"
    return dict(json.loads(path.read_text())) if path.exists() else {}


def lustre(directory: Path) -> dict[str, Any]:
    """By role of storage: Lustre's counters at the end of the work."""
    return {path.stem: json.loads(path.read_text()) for path in sorted((directory / "lustre").glob("*.json"))}


def dvs(directory: Path) -> dict[str, Any]:
    """By mount of Cray DVS and operation: what was counted during the run."""
    path = directory / "dvs.json"
    return dict(json.loads(path.read_text())) if path.exists() else {}


def fileops(stored: Stored) -> dict[str, Any]:
    """By node: what the preload library counted of each process."""
    names = sorted(path.name for path in (stored.directory / "fileops").glob("*.json"))
    return {name.removesuffix(".json"): stored.json(f"fileops/{name}") for name in names}
