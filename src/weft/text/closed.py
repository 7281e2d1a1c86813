"""Outputs that nobody reads any more."""

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import IO

_CLOSED = {errno.EIO, errno.EPIPE}
"""Why nothing can be written to a terminal that was closed, and to a pipe that nobody reads."""


def silence(file: IO[str], error: OSError) -> bool:
    """Lead an output nowhere that the error says is closed: at its end, Python would write again what is left, and fail.

    Returns whether it is closed; otherwise what is written later may be read again.
    """
    if error.errno not in _CLOSED:
        return False
    with suppress(OSError, ValueError), Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), file.fileno())
    return True
