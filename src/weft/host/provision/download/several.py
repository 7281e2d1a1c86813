"""Several files at once, with lines about the progress; the first that fails ends all."""

import time
from collections.abc import Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from weft.host import signals
from weft.host.own import made, require_own
from weft.host.provision.download.session import Session, Wanted, session
from weft.host.provision.download.transfer import fetch
from weft.host.provision.tree import Say
from weft.text.units import show_seconds, show_size

CONNECTIONS = 8
"""Files at a time."""
BEAT = 5.0
"""Seconds between two lines."""


def fetch_all(wanted: Collection[Wanted], say: Say, *, patience: float = 0.5) -> None:
    """Each file is whole and verified afterwards. Raises MissingError or StorageError of the first that failed."""
    for each in wanted:
        made(each.folder, 0o755)
        require_own(each.folder)
    largest_first = sorted(wanted, key=lambda each: -each.size)
    with session(patience) as to, ThreadPoolExecutor(CONNECTIONS) as pool:
        futures = [pool.submit(fetch, each, to) for each in largest_first]
        try:
            _follow(futures, largest_first, to, say)
        finally:
            to.halt()
            pool.shutdown(wait=False, cancel_futures=True)


def _follow(futures: Sequence["Future[None]"], wanted: Sequence[Wanted], to: Session, say: Say) -> None:
    """Wait for all, or for the first that fails, and raise what it raised; a signal ends it too."""
    first: tuple[float, int] | None = None
    spoken = time.monotonic()
    while any(not future.done() for future in futures):
        _raise_first(futures)
        signals.sleep(signals.POLL)
        now, here = time.monotonic(), sum(to.received.values())
        first = first or ((now, here) if here else None)
        if now - spoken >= BEAT:
            spoken = now
            rate = (here - first[1]) / max(now - first[0], signals.POLL) if first else 0.0
            say(progress(wanted, here, rate))
    _raise_first(futures)


def _raise_first(futures: Sequence["Future[None]"]) -> None:
    for future in futures:
        if future.done() and (error := future.exception()):
            raise error


def progress(wanted: Sequence[Wanted], here: int, rate: float) -> str:
    """A line, by the bytes that are here and those that arrive in a second."""
    total = sum(each.size for each in wanted)
    left = f", about {show_seconds((total - here) / rate)} left" if rate else ""
    of = f" of {len(wanted)} files" if len(wanted) > 1 else ""
    return f"  {show_size(here)} of {show_size(total)}{of}{left}"
