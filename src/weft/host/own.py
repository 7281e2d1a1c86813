"""Where every user can create files, as in /tmp, /var/tmp and /dev/shm, weft uses only what belongs to its own user.

The kernel's fs.protected_symlinks, protected_hardlinks, protected_regular and protected_fifos have the same aim. They are
off on some systems, and these checks do not rely on them.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from weft.errors import StorageError, UsageError
from weft.host import settings
from weft.host.remote.sent.files import foreign


def require_own(path: Path) -> None:
    """Raises StorageError if another user made a file or directory, or the way to it, or can change it.

    A path that does not exist is nobody's.
    """
    if why := trouble(path):
        raise StorageError(why, hint="remove it if it is yours, or use another directory")


def require_own_directories(named: Mapping[str, Path]) -> None:
    """The same for directories by the variable that names each: raises UsageError, which names the variable."""
    for name, path in named.items():
        if why := trouble(path):
            raise UsageError(f"{name}: {why}", hint=f"set {name} to a directory of yours")


def make_own(path: Path) -> Path:
    """A directory that only this user can access, unless it exists; in any case it is this user's."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    require_own(path)
    return path


def open_own(path: Path) -> IO[str]:
    """A file of this user's, created with mode 0600 unless it exists, to append to. Raises StorageError, as above."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    require_own(path)
    return os.fdopen(os.open(path, flags, 0o600), "a")


def trouble(path: Path) -> str:
    """Why a path cannot be trusted, as text; empty if it can."""
    for link in _links(path):
        if why := _foreign_link(link):
            return why
    why = foreign(str(path)) or foreign(str(settings.followed(path)))
    return f"{path} {why}" if why else ""


def _links(path: Path) -> Iterator[Path]:
    """The symbolic links among the directories on the way to a path, those that links lead through included."""
    seen: set[Path] = set()
    waiting = [path.absolute()]
    while waiting:
        for parent in reversed(waiting.pop().parents):
            if parent.is_symlink() and parent not in seen:
                seen.add(parent)
                waiting.append(parent.parent / parent.readlink() / "end")
                yield parent


def _foreign_link(link: Path) -> str:
    """As the kernel's protected_symlinks: in a directory open to all, a link leads only its owner, or anybody if the directory's owner made it."""
    around, owner = link.parent.stat(), link.lstat().st_uid
    if not around.st_mode & stat.S_IWOTH or owner in (os.geteuid(), around.st_uid):
        return ""
    return f"{link} is a symbolic link of another user"
