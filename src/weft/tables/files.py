"""The files of a table: of a path, or of a pattern such as /data/visits/*.parquet."""

import re
from collections.abc import Iterator
from pathlib import Path

_WILD = re.compile(r"[*?\[{]")


def matching(path: Path) -> Iterator[Path]:
    """The files, without those that no engine reads."""
    above = fixed(path)
    for found in (
        [path] if path.exists() else above.glob(str(path.relative_to(above))) if above != path else []
    ):
        for each in found.rglob("*") if found.is_dir() else [found]:
            if each.is_file() and each.name[0] not in "._":
                yield each


def fixed(pattern: Path) -> Path:
    """The path above the first part of a pattern that has a wildcard."""
    wild = next((i for i, part in enumerate(pattern.parts) if _WILD.search(part)), len(pattern.parts))
    return Path(*pattern.parts[:wild])
