"""Directories of tables and results that only Java's clients reach, such as on HDFS: copied from and to the node's own disk."""

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from weft.errors import WorkloadError
from weft.host import shell
from weft.host.programs.removal import remove_tree

_LONGEST = 24 * 3600.0
"""Seconds; the limit of the phase ends it before."""


def local(place: str) -> bool:
    """Whether a place is a directory of this node, and no URI."""
    return "://" not in place


@contextmanager
def to_write(given: argparse.Namespace, place: str) -> Iterator[Path]:
    """A directory to write to; what is in it afterwards is at the place."""
    if local(place):
        yield Path(place)
        return
    own = _own(given, "output")
    yield own
    _copy(given, str(own), place)
    remove_tree(str(own))


def to_read(given: argparse.Namespace, place: str, name: str) -> Path:
    """A directory with the files of a place; `name` distinguishes those of one program."""
    if local(place):
        return Path(place)
    own = _own(given, name)
    _copy(given, place, str(own))
    return own


def _own(given: argparse.Namespace, name: str) -> Path:
    own: Path = given.scratch / name
    own.mkdir(parents=True)
    return own


def _copy(given: argparse.Namespace, from_: str, to: str) -> None:
    """Raises WorkloadError if the files could not be copied."""
    outcome = given.scratch / "copied.json"
    options = ["--from", _uri(from_), "--to", _uri(to), "--outcome", str(outcome)]
    done = shell.run([*json.loads(given.copier), *options], timeout=_LONGEST, check=False)
    found = (
        json.loads(outcome.read_text(encoding="utf-8"))
        if outcome.exists()
        else {"reason": f"exit code {done.code}: {done.err[-500:]}"}
    )
    if done.code:
        raise WorkloadError(f"{from_} was not copied to {to}: {found.get('reason')}")


def _uri(place: str) -> str:
    """A directory of this node as well, whatever Hadoop's default file system is."""
    return f"file://{Path(place).absolute()}" if local(place) else place
