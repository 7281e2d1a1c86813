"""async-profiler's native library, from its jar."""

import os
import zipfile
from pathlib import Path

from weft.errors import MissingError
from weft.host.provision import distribution
from weft.host.provision.tree import Say, building, cached

_JAR = "async-profiler"
_LIBRARY = "libasyncProfiler.so"
_PLATFORMS = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}
"""Folder in the jar by machine (`uname -m`)."""


def fetch(say: Say) -> None:
    """Download and unpack it on first use. Raises MissingError."""
    if cached(_key()):
        return
    try:
        home = distribution.home(_JAR, say)
    except MissingError as error:
        hint = "leave `profile` out of the probes, or check the network and Maven's settings"
        raise MissingError(error.message, tail=error.tail, hint=hint) from error
    with building(_key(), 10_000_000) as target:
        if target is not None:
            with zipfile.ZipFile(next((home / "lib").glob("*.jar"))) as jar:
                for folder in _PLATFORMS.values():
                    jar.extract(f"{folder}/{_LIBRARY}", target)


def library() -> Path | None:
    """The library for this machine; None where it was not downloaded, or does not exist for its processor."""
    home, folder = cached(_key()), _PLATFORMS.get(os.uname().machine)
    return home / folder / _LIBRARY if home and folder else None


def _key() -> str:
    return f"{distribution.DISTRIBUTIONS[_JAR].key}-library"
