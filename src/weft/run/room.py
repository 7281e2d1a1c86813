"""Whether a run's files fit on their file systems, and whether all programs accept the names of its directories."""

import re
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from weft.adapters.workloads.base import ClusterUse
from weft.errors import UsageError
from weft.facts.roles import Role
from weft.text.units import show_size

_PLAIN = re.compile(r"[^\s'\"\\:;,$`*?<>|&#%]*")
"""Characters that class paths, LD_PRELOAD, Java options and lists of directories accept without quoting."""


def require_room(work: ClusterUse, kept: Mapping[Role, Path], *, spare: int = 0) -> None:
    """Raises UsageError if a file system of this machine has less free space than the workload's files need.

    `kept`: by role, the existing directory on this machine for its files; `spare`: bytes that they have there already.
    """
    asked: Counter[int] = Counter()
    found: dict[int, Path] = {}
    for role, size in work.takes.items():
        if role in kept:
            there = next(path for path in (kept[role], *kept[role].parents) if path.exists())
            device = there.stat().st_dev
            asked[device] += size
            found.setdefault(device, there)
    for device, size in asked.items():
        free = shutil.disk_usage(found[device]).free + spare
        if size > free:
            raise UsageError(
                f"the files need {show_size(size)}, but the file system of {found[device]} has only {show_size(free)} free",
                hint="use a smaller --size, or another directory: --input disk:DIR --output disk:DIR",
            )


def require_plain(paths: Mapping[str, str]) -> None:
    """Raises UsageError if some programs would misread the path of a directory."""
    for name, path in paths.items():
        if not _PLAIN.fullmatch(path):
            raise UsageError(
                f"{name}: the path {path!r} contains a character that engines do not accept",
                hint=f"choose a directory for {name} without spaces, quotes, colons and the like in its path",
            )
