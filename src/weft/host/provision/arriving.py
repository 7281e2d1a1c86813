"""A file that is being downloaded, read from its begin while the rest arrives."""

import hashlib
import io
import threading
import time
from pathlib import Path
from typing import BinaryIO

from weft.host.provision.download.session import Wanted

_POLL = 0.02
"""Seconds until more of it is looked for."""


class Arriving(io.RawIOBase):
    """What has been received of a file, in order; the end of it once `ended` is set and no more is there, an OSError once nobody wants it.

    The file may have been received again in between, so that what was read is not what was verified: `whole` compares.
    """

    def __init__(self, wanted: Wanted, ended: threading.Event, unwanted: threading.Event) -> None:
        super().__init__()
        self._wanted, self._ended, self._unwanted = wanted, ended, unwanted
        self._file: BinaryIO | None = None
        self._hasher = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]
        data = self._more(len(buffer))
        self._hasher.update(data)
        buffer[: len(data)] = data
        return len(data)

    def whole(self) -> bool:
        """Whether all that was read, and what is left of it, is the file that is locked."""
        while self.read(1 << 20):
            pass
        return self._hasher.hexdigest() == self._wanted.sha256

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        super().close()

    def _more(self, most: int) -> bytes:
        while True:
            if self._unwanted.is_set():
                raise OSError("nobody wants it any more")
            ended = self._ended.is_set()  # before the file is read for the last time
            if self._file is None:
                self._file = _opened(self._wanted.done) or _opened(self._wanted.part)
            data = self._file.read(most) if self._file else b""
            if data or ended:
                return data
            time.sleep(_POLL)


def _opened(path: Path) -> BinaryIO | None:
    try:
        return path.open("rb", buffering=0)
    except FileNotFoundError:
        return None
