"""async-profiler's native library, from its jar on Maven Central."""

import os
import zipfile
from pathlib import Path

from weft.errors import MissingError
from weft.host.provision.mavenset import MavenSet
from weft.host.provision.tree import Say, building, cached

PROFILER = MavenSet(name="async-profiler", version="4.1", unpacked=10_000_000)
_LIBRARY = "libasyncProfiler.so"
_PLATFORMS = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}
"""Folder in the jar by machine (`uname -m`)."""


def fetch(say: Say) -> None:
    """Download it on first use. Raises MissingError."""
    if cached(PROFILER.key):
        return
    with building(PROFILER.key, PROFILER.unpacked) as target:
        if target is not None:
            say(f"downloading {PROFILER.name} {PROFILER.version} (once)")
            _unpack(target)


def _unpack(target: Path) -> None:
    try:
        PROFILER.fetch(target)
    except MissingError as error:
        hint = "leave `profile` out of the probes, or check the network and Maven's settings"
        raise MissingError(error.message, tail=error.tail, hint=hint) from error
    with zipfile.ZipFile(next((target / "lib").glob("*.jar"))) as jar:
        for folder in _PLATFORMS.values():
            jar.extract(f"{folder}/{_LIBRARY}", target)


def library() -> Path | None:
    """The library for this machine; None where it was not downloaded, or does not exist for its processor."""
    home, folder = cached(PROFILER.key), _PLATFORMS.get(os.uname().machine)
    return home / folder / _LIBRARY if home and folder else None
