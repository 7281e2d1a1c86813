"""What another host has written, on a file system that remembers for a while what a directory has."""

import os
import secrets
from contextlib import suppress
from pathlib import Path


def refresh(folder: Path) -> None:
    """Have the kernel ask again which files a directory has: NFS remembers for a minute that one was missing (nfs(5), acdirmax).

    A change of this machine's own in the directory shows the kernel that there were others.
    """
    own = folder / f".weft-{secrets.token_hex(4)}"
    with suppress(OSError):
        os.close(os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        own.unlink()
