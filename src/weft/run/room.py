"""Whether what a run writes fits where it is to be written, and whether its directories have names that all programs take."""

import re
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from weft.errors import UsageError
from weft.layout.places import Role
from weft.text.units import show_size
from weft.workloads.base import Workload

_PLAIN = re.compile(r"[^\s'\"\\:;,$`*?<>|&#%]*")
"""What class paths, LD_PRELOAD, options of Java and lists of directories take without quoting."""


def require_room(work: Workload, kept: Mapping[Role, Path]) -> None:
    """Raises UsageError where a file system of this machine has less room than the files of the work take.

    `kept`: by role, where on this machine its files will be, as far as they are there.
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
        free = shutil.disk_usage(found[device]).free
        if size > free:
            raise UsageError(
                f"the files take {show_size(size)}, and the file system of {found[device]} has {show_size(free)} free",
                hint="ask for less (--size), or name a directory elsewhere: --input disk:DIR --output disk:DIR",
            )


def require_plain(paths: Mapping[str, str]) -> None:
    """Raises UsageError where a directory, by what names it, is one whose path some programs read otherwise."""
    for name, path in paths.items():
        if not _PLAIN.fullmatch(path):
            raise UsageError(
                f"{name}: the path {path!r} has a character that engines do not take",
                hint=f"choose a directory for {name} without spaces, quotes, colons and the like in its path",
            )
