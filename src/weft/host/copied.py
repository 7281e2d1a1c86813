"""What a process prints, both on weft's own stream and in a file."""

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

_CHUNK = 1 << 16


def copied(pipe: IO[bytes], number: int, path: Path) -> threading.Thread:
    """Copy to a file and to weft's stream of this number, 1 or 2, until the other end is closed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("ab", buffering=0)

    def copy() -> None:
        with file, pipe:
            while data := os.read(pipe.fileno(), _CHUNK):
                # on a full disk the program continues: it would wait for a reader for ever
                with suppress(OSError):
                    file.write(data)
                with suppress(OSError):  # nobody reads it any more
                    _write(number, data)

    thread = threading.Thread(target=copy, daemon=True)
    thread.start()
    return thread


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
