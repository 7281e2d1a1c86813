"""Who else can change a directory, or put another one in its place, as sshd's StrictModes asks of a user's files.

The jars and the preload library in the cache run as this user, and leases name what is removed.
"""

import grp
import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from weft.host import settings

_NOBODY = 65534
"""Whom the kernel shows in place of a user without an ID in a user namespace, such as the machine's root."""
_ALL = "4294967295"
"""Length of the range of user IDs outside of user namespaces."""


@dataclass(frozen=True)
class Exposure:
    """A directory that others can change: a user or a group by name, or everybody."""

    directory: Path
    kind: Literal["user", "group", ""]
    name: str
    owned: bool = False
    """Whether it is theirs."""

    def __str__(self) -> str:
        who = f"{self.kind} {self.name}".strip()
        return f"{self.directory} {'belongs to' if self.owned else 'can be changed by'} {who}"


def exposed(path: Path) -> Exposure | None:
    """Who can change a directory or one above it; None if this user trusts them.

    He trusts root, a group of his own, and whom WEFT_TRUST names.
    """
    followed = settings.followed(path)
    ends = [followed / "end", *links(path / "end")]
    for directory in dict.fromkeys(parent for end in ends for parent in end.parents):
        with suppress(OSError):
            found = _others(directory, directory.stat())
            if found and found.name not in settings.trusted():
                return replace(found, owned=directory == followed and found.kind == "user")
    return None


def links(path: Path) -> Iterator[Path]:
    """The symbolic links among the directories on the way to a path, those that links lead through included."""
    seen: set[Path] = set()
    waiting = [path.absolute()]
    while waiting:
        for parent in reversed(waiting.pop().parents):
            if parent.is_symlink() and parent not in seen:
                seen.add(parent)
                waiting.append(parent.parent / parent.readlink() / "end")
                yield parent


def _others(directory: Path, status: os.stat_result) -> Exposure | None:
    if status.st_uid not in {os.geteuid(), *_roots()}:
        return Exposure(directory, "user", _user(status.st_uid))
    if status.st_mode & stat.S_ISVTX:  # of what is in it, everybody can change only his own
        return None
    if status.st_mode & stat.S_IWOTH:
        return Exposure(directory, "", "everybody")
    if status.st_mode & stat.S_IWGRP and not _private(status.st_gid):
        return Exposure(directory, "group", _group(status.st_gid))
    return None


def _roots() -> set[int]:
    whole = Path("/proc/self/uid_map").read_text(encoding="utf-8").split()[-1] == _ALL
    return {0} if whole else {0, _NOBODY}


def _private(group: int) -> bool:
    """Whether a group has this user's name, or root's, and no other member.

    Not by a search for users whose first group it is: directory services rarely list all.
    """
    try:
        found = grp.getgrgid(group)
    except KeyError:
        return False
    own = {_user(os.geteuid()), "root"}
    return found.gr_name in own and set(found.gr_mem) <= own


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def _group(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)
