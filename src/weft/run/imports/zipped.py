"""A zip of a log, as the page of Spark's History Server gives it: unpacked for as long as it is read."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from weft.errors import UsageError
from weft.run.imports.unpack import require_less
from weft.text.zips import DAMAGED

_MAGIC = b"PK\x03\x04"
_CHUNK = 1 << 20
_MOST = 10_000
"""Files that are unpacked: a rolled log has hundreds."""


@contextmanager
def unpacked(path: Path, near: Path, limit: int) -> Iterator[Path | None]:
    """The directory with what a zip has, of at most so many bytes; None for what is no zip. Raises UsageError for a damaged one."""
    if not _is_zip(path):
        yield None
        return
    near.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".zip-", dir=near) as directory:
        try:
            _extract(path, Path(directory), limit)
        except DAMAGED as error:
            raise UsageError(
                f"{path} cannot be unpacked: {error}",
                hint="unpack it yourself, and name the log that was in it",
            ) from error
        yield Path(directory)


def _is_zip(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError as error:
        error.filename = error.filename or str(path)  # where it can be opened and not read, nobody names it
        raise


def _extract(path: Path, directory: Path, limit: int) -> None:
    """Its files, and nothing else that it can have, such as links."""
    size = 0
    with ZipFile(path) as found:
        files = [each for each in found.infolist() if not each.is_dir()]
        if len(files) > _MOST:
            raise ValueError(f"it has more than {_MOST:,} files")
        for each in files:
            name = PurePosixPath(each.filename)
            if name.is_absolute() or ".." in name.parts:
                raise ValueError(f"{str(name)[:80]!r} leads out of it")
            target = directory / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with found.open(each) as packed, target.open("xb") as out:
                while piece := packed.read(_CHUNK):
                    size += len(piece)
                    require_less(path, size, limit)
                    out.write(piece)
