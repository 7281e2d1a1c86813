"""The main class that a user's jar names itself."""

import re
from contextlib import suppress
from pathlib import Path
from zipfile import ZipFile

from weft.text.zips import DAMAGED

_MANIFEST = "META-INF/MANIFEST.MF"
_LARGEST = 1 << 20
"""Bytes that are read of a manifest."""
_NAMED = re.compile(r"^Main-Class:\s*(\S+)\s*$", re.MULTILINE | re.IGNORECASE)


def of(jar: Path) -> str:
    """Its name; empty if the jar names none, or cannot be read: then who runs it says so."""
    text = ""
    with suppress(KeyError, *DAMAGED), ZipFile(jar) as found, found.open(_MANIFEST) as file:
        text = file.read(_LARGEST).decode(errors="replace")
    # a line of more than 72 bytes continues after a space
    match = _NAMED.search(re.sub(r"\r?\n ", "", text).replace("\r", ""))
    return match[1].replace("/", ".") if match else ""
