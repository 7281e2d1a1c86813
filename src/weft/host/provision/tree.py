"""Directories in the cache, keyed by a hash of their inputs, created once and atomically."""

import hashlib
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from weft.errors import StorageError
from weft.host import locks, settings, signals
from weft.host.own import made, open_own, require_named, require_own
from weft.host.programs.removal import remove_tree
from weft.host.provision import contents

Say = Callable[[str], None]
"""Reports progress to the user at the terminal."""

_PATIENCE = 2.0
"""Seconds for a lock after which the user sees what is waited for."""
_LEFT_OUT = {"target", "__pycache__", ".git"}


def digest(paths: Iterable[Path], *inputs: str) -> str:
    """A hash of file contents below some paths, and of other inputs as text."""
    hasher = hashlib.sha256("\0".join(inputs).encode())
    for root in paths:
        files = (
            sorted(p for p in root.rglob("*") if p.is_file() and not _LEFT_OUT & set(p.parts))
            if root.is_dir()
            else [root]
        )
        for file in files:
            hasher.update(f"{file.relative_to(root.parent)}\0".encode())
            hasher.update(hashlib.sha256(file.read_bytes()).digest())
    return hasher.hexdigest()[:16]


def cached(name: str) -> Path | None:
    """A complete directory of that name, if there is one whose files are as they were made.

    In the shared installation, or in the user's cache.
    """
    prefix, path = settings.prefix(), settings.cache() / name
    if (
        prefix
        and (shared := prefix / "engines" / name).is_dir()
        and not contents.damage(shared, checksums=False)
    ):
        return shared
    require_own(path)
    return path if path.is_dir() and not _damage(path) else None


def _damage(path: Path) -> str:
    why = contents.damage(path)
    if not why and not (path / contents.FILE).exists():  # an older weft made it
        with suppress(OSError):
            contents.record(path)
    return why


@contextmanager
def locked(path: Path, say: Say | None = None) -> Iterator[None]:
    """Hold the lock of a file for the length of a `with`; waits for other processes until a signal comes."""
    begin, announce = time.monotonic(), say
    with open_own(path) as lock:
        while not locks.locked(lock):
            if announce and time.monotonic() - begin >= _PATIENCE:
                announce(f"waiting for another weft, which has locked {path}")
                announce = None
            signals.sleep(signals.POLL)
        yield


@contextmanager
def building(name: str, need: int, say: Say | None = None) -> Iterator[Path | None]:
    """A directory to fill, renamed to `name` when the block succeeds; None if another process was faster.

    A damaged one is named and replaced. `need` is the required space in bytes; with less free space it raises StorageError at once.
    """
    cache = settings.cache()
    require_named("WEFT_CACHE")
    made(cache, 0o755)
    require_own(cache)
    free = shutil.disk_usage(cache).free
    if free < need:
        raise StorageError(
            f"the cache {cache} has {free >> 20} MiB free, {name} needs {need >> 20} MiB",
            hint="set WEFT_CACHE to a directory with more space",
        )
    with locked(cache / f".{name}.lock", say):
        if cached(name):
            yield None
            return
        if say is not None and (cache / name).is_dir():
            say(f"{_damage(cache / name)}: it is damaged, and made again")
        partial = cache / f".{name}.partial"
        remove_tree(str(partial))
        partial.mkdir(mode=0o700)
        try:
            yield partial
            _close(partial)
            contents.record(partial)
            _discard(cache / name)
            partial.rename(cache / name)
        finally:
            remove_tree(str(partial))


def _close(folder: Path) -> None:
    """Whatever the umask, nobody else may change what runs as this user; nobody could reach it before."""
    for above, folders, files in os.walk(folder):
        for each in (Path(above, name) for name in (*folders, *files)):
            mode = stat.S_IMODE(each.lstat().st_mode)
            if mode & 0o022 and not each.is_symlink():
                each.chmod(mode & ~0o022)
    folder.chmod(0o755)


def _discard(path: Path) -> None:
    """Remove a damaged directory; commands that still use it find the new one under its name, whole."""
    if path.is_dir():
        old = path.with_name(f".{path.name}.damaged")
        remove_tree(str(old))
        path.rename(old)
        remove_tree(str(old))
