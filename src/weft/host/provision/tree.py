"""Directories in the cache, keyed by a hash of their inputs, created once and atomically."""

import fcntl
import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from weft.errors import StorageError
from weft.host import settings, signals
from weft.host.own import open_own, require_own

Say = Callable[[str], None]
"""Reports progress to the user at the terminal."""

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
    """A complete directory of that name, if there is one."""
    path = settings.cache() / name
    require_own(path)
    return path if path.is_dir() else None


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file for the length of a `with`; waits for other processes until a signal comes."""
    with open_own(path) as lock:
        while not _taken(lock):
            signals.sleep(signals.LOOK)
        yield


def _taken(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def building(name: str, need: int) -> Iterator[Path | None]:
    """A directory to fill, renamed to `name` when the block succeeds; None if another process was faster.

    `need` is the required space in bytes; with less free space it raises StorageError at once.
    """
    cache = settings.cache()
    require_own(settings.spelled()["WEFT_CACHE"])
    cache.mkdir(parents=True, exist_ok=True)
    require_own(cache)
    free = shutil.disk_usage(cache).free
    if free < need:
        raise StorageError(
            f"the cache {cache} has {free >> 20} MiB free, {name} needs {need >> 20} MiB",
            hint="set WEFT_CACHE to a directory with more space",
        )
    with locked(cache / f".{name}.lock"):
        if cached(name):
            yield None
            return
        partial = cache / f".{name}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        try:
            yield partial
            partial.rename(cache / name)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
