"""A package as its source: who installs it runs code that no lock has."""

import io
import tarfile
from pathlib import Path


def source_archive(folder: Path, ran: Path) -> bytes:
    """Version 1 of `odd`, in a folder; its build leaves the file `ran`."""
    archive = folder / "odd-1.tar.gz"
    contents = {
        "PKG-INFO": "Metadata-Version: 2.1\nName: odd\nVersion: 1\n",
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
        "backend.py": f"open({str(ran)!r}, 'w')\n",
    }
    with tarfile.open(archive, "w:gz") as tar:
        for name, text in contents.items():
            member = tarfile.TarInfo(f"odd-1/{name}")
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    return archive.read_bytes()
