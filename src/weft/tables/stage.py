"""Copies files and directories of the user to the input of a run.

usage: python -m weft.tables.stage --from NAME=PATH ... --to PLACE --scratch DIR --outcome FILE
NAME is that of the copy; with a / behind it, of a directory for the files of PATH, which may be a pattern.
"""

import argparse
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from weft.tables.copied import local, to_write
from weft.tables.files import matching
from weft.tables.program import execute, options


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--from", action="append", required=True, dest="sources")
    parser.add_argument("--to", required=True)
    execute(parser, _work)


def _work(given: argparse.Namespace) -> Mapping[str, Any]:
    pairs = [pair for source in given.sources for pair in _pairs(*source.split("=", 1))]
    with to_write(given, given.to) as directory:
        for source, name in pairs:
            copy = directory / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not local(given.to):  # they are copied from here
                copy.symlink_to(source)
            elif source.is_dir():
                shutil.copytree(source, copy)
            else:
                shutil.copy2(source, copy)
    return {"paths": len(pairs)}


def _pairs(name: str, path: str) -> Iterator[tuple[Path, str]]:
    """What to copy, and its name below the place."""
    if not name.endswith("/"):
        yield Path(path), name
        return
    for number, found in enumerate(matching(Path(path))):
        yield found, f"{name}{number}-{found.name}"


if __name__ == "__main__":
    main()
