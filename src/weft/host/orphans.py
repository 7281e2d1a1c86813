"""Processes that no run holds any more, but that have files of one open: orphans without its mark, outside its control group.

That is all that can be known of them, so that weft shows them and does not end them.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from weft.host import settings
from weft.host.programs import marks

_DELETED = " (deleted)"
"""What the kernel adds to the name of a file that has been removed (proc(5))."""
_ADOPTERS = {"systemd", "init"}
"""Names of processes, besides PID 1, that become the parent of a user's orphans."""


@dataclass(frozen=True)
class Orphan:
    """A process, the run of which it has a file open, and that file."""

    pid: int
    run: str
    path: str


def with_open_files(known: set[int]) -> list[Orphan]:
    """Orphans of this user with an open file, program or working directory of a run; `known` are those of runs."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        pid = int(path.name)
        with suppress(OSError, ValueError, IndexError):
            if path.stat().st_uid == os.getuid() and pid not in known and _orphan(path):
                found += [Orphan(pid, run, name) for run, name in _of_runs(path)][:1]
    return [orphan for orphan in found if not marks.value(marks.variables(orphan.pid), marks.LEASE)]


def _orphan(process: Path) -> bool:
    parent = int(
        process.joinpath("stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1]
    )
    return (
        parent == 1
        or Path(f"/proc/{parent}/comm").read_text(encoding="utf-8", errors="replace").strip() in _ADOPTERS
    )


def _of_runs(process: Path) -> Iterator[tuple[str, str]]:
    """Each file of a run that a process uses, with the name of the run: its directory's."""
    for link in (process / "cwd", process / "exe", *process.glob("fd/*")):
        with suppress(OSError, ValueError, IndexError):
            name = str(link.readlink()).removesuffix(_DELETED)
            for base in (settings.work(), settings.runs()):
                if name.startswith(f"{base}/"):
                    yield Path(name).relative_to(base).parts[0], name
