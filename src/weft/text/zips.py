"""What Python raises for a zip or a jar that cannot be read."""

import zlib
from contextlib import suppress
from zipfile import BadZipFile

DAMAGED: tuple[type[Exception], ...] = (BadZipFile, EOFError, OSError, RuntimeError, ValueError, zlib.error)
"""For one that is damaged, encrypted, or packed by a method that it does not know."""
with suppress(ImportError):  # a Python may lack it, and unpacks no file of that method then
    from lzma import LZMAError

    DAMAGED = (*DAMAGED, LZMAError)
