"""What the threads of one download share: connections, the wish to stop, and how far each file is."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from weft.host.provision.download.route import DownloadAddress, Route, client

if TYPE_CHECKING:  # imported where something is downloaded: every command imports this module
    import httpx2


class Halted(Exception):  # noqa: N818 - not an error: another file failed, or the user stopped weft
    """The download is not wanted any more."""


@dataclass
class Session:
    """Of one download of several files."""

    patience: float = 0.5
    """Seconds before the second attempt; each further pause is twice as long."""
    received: dict[str, int] = field(default_factory=dict)
    """Bytes on this machine, by SHA-256."""
    _stop: threading.Event = field(default_factory=threading.Event)
    _clients: "dict[Route, httpx2.Client]" = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def client(self, route: Route) -> "httpx2.Client":
        """One for all requests of a route."""
        with self._lock:
            if route not in self._clients:
                self._clients[route] = client(route)
            return self._clients[route]

    def check(self) -> None:
        """Raises Halted after `halt`."""
        if self._stop.is_set():
            raise Halted

    def sleep(self, seconds: float) -> None:
        """Raises Halted as soon as `halt` is called."""
        self._stop.wait(seconds)
        self.check()

    def halt(self) -> None:
        self._stop.set()


@contextmanager
def session(patience: float = 0.5) -> Iterator[Session]:
    """Its connections are closed at the end of the block."""
    opened = Session(patience)
    try:
        yield opened
    finally:
        opened.halt()
        for one in opened._clients.values():  # noqa: SLF001 - its own
            one.close()


@dataclass(frozen=True)
class Wanted:
    """A locked file of a registry."""

    name: str
    size: int
    """Bytes."""
    sha256: str
    folder: Path
    """Where it is put, by its SHA-256. Belongs to one process at a time."""
    sources: Callable[[Session], Sequence[DownloadAddress]]
    """Where it is, best first. May ask an index."""
    hint: str
    """What a user can do if no source has it."""

    @property
    def done(self) -> Path:
        """The whole file, verified."""
        return self.folder / self.sha256

    @property
    def part(self) -> Path:
        """What has been received of it."""
        return self.folder / f"{self.sha256}.part"
