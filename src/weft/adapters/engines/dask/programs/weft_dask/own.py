"""Runs a program of the user whose modules all workers are given: python -m weft_dask.own --py-file FILE ... PROGRAM ARGUMENT ...

They are uploaded when the program connects to the cluster, before its first task.
"""

import runpy
import sys
from pathlib import Path
from typing import Any

import dask.config

_FILES = "weft.py-files"
_OPTION = "--py-file"


def main(words: list[str]) -> None:
    """Become the program."""
    files = []
    while words[0] == _OPTION:
        files.append(words[1])
        words = words[2:]
    dask.config.set({_FILES: files, "distributed.client.preload": ["weft_dask.own"]})
    # as Python does for a script; a module is found in its directory, an archive is searched itself
    places = [file if not file.endswith(".py") else str(Path(file).parent) for file in files]
    sys.path[:0] = [str(Path(words[0]).resolve().parent), *places]
    sys.argv = words
    runpy.run_path(words[0], run_name="__main__")


async def dask_setup(client: Any) -> None:
    """Called by Dask when a client has connected."""
    for file in dask.config.get(_FILES):
        await client.upload_file(file)


if __name__ == "__main__":
    main(sys.argv[1:])
