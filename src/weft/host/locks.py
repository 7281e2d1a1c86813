"""Locks of files (flock(2)), which the kernel releases with the process that holds them."""

import errno
import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from weft.errors import StorageError
from weft.host import settings

_UNSUPPORTED = {errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK}


def locked(file: IO[str], *, shared: bool = False) -> bool:
    """Lock an open file; False if another process has locked it. Raises StorageError if its file system has no locks."""
    try:
        with _explained(file):
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock(file: IO[str], *, shared: bool = False) -> None:
    """Lock an open file as soon as no other process has locked it. Raises StorageError likewise."""
    with _explained(file):
        fcntl.flock(file, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)


@contextmanager
def _explained(file: IO[str]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        path = Path(f"/proc/self/fd/{file.fileno()}").readlink()
        own = [name for name, root in settings.directories().items() if path.is_relative_to(root)]
        raise StorageError(
            f"cannot lock {path}: its file system has no locks ({error.strerror})",
            hint=f"mount it with them (Lustre: mount -o flock), or set {', '.join(own) or 'WEFT_STATE'} elsewhere",
        ) from error
