"""Where every user can create files, as in /tmp, /var/tmp and /dev/shm, weft uses only what belongs to its own user.

The kernel's fs.protected_symlinks, protected_hardlinks, protected_regular and protected_fifos have the same aim. They are
off on some systems, and these checks do not rely on them.
"""

import os
import stat
from pathlib import Path
from typing import IO

from weft.errors import StorageError, UsageError
from weft.host import settings
from weft.host.exposed import exposed, links
from weft.host.programs.files import foreign


def require_own(path: Path) -> None:
    """Raises StorageError if another user made a file or directory, or the way to it, or can change it.

    A path that does not exist is nobody's.
    """
    if why := trouble(path):
        raise StorageError(why, hint=_hint(path) or "remove it if it is yours, or use another directory")


def require_named(variable: str) -> None:
    """The same for a directory of weft's by its variable, which the UsageError names; one that exists is a directory.

    Records, which nothing executes, may be in a directory of a group: see `shared_records`.
    """
    path = settings.directory_of(variable)
    hint = f"set {variable} to a directory of yours"
    if path.exists() and not path.is_dir():
        raise UsageError(f"{variable}: {path} is not a directory", hint=hint)
    if why := _others(path) if variable == "WEFT_RUNS" else trouble(path):
        more = _hint(path)
        raise UsageError(f"{variable}: {why}", hint=hint + (f", or {more}" if more else ""))


def shared_records() -> str:
    """Who else can change the records, as text; empty if nobody can."""
    return str(exposed(settings.directory_of("WEFT_RUNS")) or "")


def _hint(path: Path) -> str:
    """What to do about a directory that is this user's, and exposed."""
    found = None if _others(path) else exposed(path)
    if found is None:
        return ""
    return (
        "remove the others' permission (chmod go-w), "
        f"or set WEFT_TRUST={found.name} if you trust all of them with your account"
    )


def make_own(path: Path) -> Path:
    """A directory that only this user can access, unless it exists; in any case it is this user's."""
    made(path, 0o700)
    require_own(path)
    return path


def made(path: Path, mode: int) -> None:
    """Make a directory unless it exists, and those above it that are missing, all of this mode.

    Path.mkdir gives those above it what the umask leaves: with 002, directories that a group can change.
    """
    try:
        path.mkdir(mode=mode)
    except FileNotFoundError:
        made(path.parent, mode)
        path.mkdir(mode=mode, exist_ok=True)
    except OSError:
        if not path.is_dir():
            raise


def open_own(path: Path) -> IO[str]:
    """A file of this user's, created with mode 0600 unless it exists, to append to. Raises StorageError, as above."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    require_own(path)
    return os.fdopen(os.open(path, flags, 0o600), "a", encoding="utf-8")


def trouble(path: Path) -> str:
    """Why a path cannot be trusted with what runs as this user, as text; empty if it can."""
    return _others(path) or str(exposed(path) or "")


def _others(path: Path) -> str:
    """Whether it is somebody else's, in a directory where every user can create files, as text."""
    for link in links(path):
        if why := _foreign_link(link):
            return why
    why = foreign(str(path)) or foreign(str(settings.followed(path)))
    return f"{path} {why}" if why else ""


def _foreign_link(link: Path) -> str:
    """As the kernel's protected_symlinks: in a directory open to all, a link leads only its owner, or anybody if the directory's owner made it."""
    around, owner = link.parent.stat(), link.lstat().st_uid
    if not around.st_mode & stat.S_IWOTH or owner in (os.geteuid(), around.st_uid):
        return ""
    return f"{link} is a symbolic link of another user"
