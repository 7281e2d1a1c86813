"""Rows of evidence: what one run of a benchmark found, with where, when and by which commit. `evidence/NAME.jsonl` has them."""

import json
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import psutil

from weft.host import checkout, settings
from weft.run import control as known

FOLDER = settings.SOURCE / "evidence"
Row = Mapping[str, Any]


def path_of(name: str) -> Path:
    """Where the rows of a table are."""
    return FOLDER / f"{name}.jsonl"


def read(name: str) -> list[Row]:
    """The rows of a table, oldest first; none if nothing was kept. Raises ValueError for a line that is no row."""
    path = path_of(name)
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def write(name: str, rows: Iterable[Row]) -> Path:
    """In place of all rows of a table, at once: who is stopped meanwhile has the earlier ones."""
    path = path_of(name)
    path.parent.mkdir(exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text("".join(f"{_text(row)}\n" for row in rows))
    new.replace(path)
    return path


def drop(name: str, which: Callable[[Row], bool]) -> None:
    """Remove some rows of a table; the others stay."""
    known = read(name)
    left = [row for row in known if not which(row)]
    if len(left) < len(known):
        write(name, left)


def append(name: str, row: Row) -> Row:
    """One more row, on disk at once."""
    path = path_of(name)
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as file:
        file.write(f"{_text(row)}\n")
    return row


def kept(name: str, say: Callable[[str], None], measure: Callable[[], Row], /, **about: Any) -> Row:
    """Known work, then a measurement; both as one row, on disk at once."""
    before = control(say)
    return append(name, {**about, **here(), **joined(before, measure())})


def joined(before: Row, found: Row) -> Row:
    """Known work and a measurement in one row. Raises ValueError if the measurement has a key of it, which would be lost."""
    if lost := sorted(before.keys() & found.keys()):
        raise ValueError(f"a measurement has the keys of known work: {', '.join(lost)}")
    return {**before, **found}


def control(say: Callable[[str], None]) -> Row:
    """What known work took right now, and the load average before it."""
    return known.measured(say)


def here() -> dict[str, str]:
    """When, by which commit, and on what machine; no name of a host."""
    return {"time": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "commit": checkout.commit(), "machine": machine()}


@cache
def machine() -> str:
    """The machine as text: cores, processor, memory, kernel."""
    model = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    memory = psutil.virtual_memory().total / 1e9
    kernel = re.match(r"\d+\.\d+", os.uname().release)
    return (
        f"{len(os.sched_getaffinity(0))} cores of {model[1].strip() if model else os.uname().machine}, {memory:.0f} GB, "
        f"Linux {kernel[0] if kernel else os.uname().release}"
    )


def _text(row: Row) -> str:
    return json.dumps(row, separators=(", ", ": "), default=str)
