"""Writes a jar whose content, times included, depends on its sources alone."""

import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

_TIME = (2026, 1, 1, 0, 0, 0)
_MANIFEST = "META-INF/MANIFEST.MF"


def write(path: Path, files: Mapping[str, bytes]) -> None:
    """A jar of these files, by their paths in it; the manifest is the first, as the JAR File Specification asks."""
    content = {_MANIFEST: b"Manifest-Version: 1.0\r\n\r\n", **dict(sorted(files.items()))}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as jar:
        for name, data in content.items():
            about = zipfile.ZipInfo(name, _TIME)
            about.compress_type = zipfile.ZIP_DEFLATED
            about.external_attr = 0o644 << 16
            jar.writestr(about, data)


def files(jar: Path) -> Iterator[tuple[str, bytes]]:
    """Path and content of each file of a jar but its manifest, and what Maven puts beside it."""
    with zipfile.ZipFile(jar) as archive:
        for name in archive.namelist():
            if not name.endswith("/") and name != _MANIFEST and not name.startswith("META-INF/maven/"):
                yield name, archive.read(name)


def below(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The same of a directory."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(folder)), path.read_bytes()
