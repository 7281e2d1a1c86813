"""One file: received piece by piece, continued after a break, and checked before anything can see it."""

import errno
import hashlib
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

from weft.errors import MissingError, StorageError
from weft.host.provision.download.attempts import Broken, Refused, repeated, require
from weft.host.provision.download.route import DownloadAddress, shown
from weft.host.provision.download.session import Session, Wanted

if TYPE_CHECKING:  # imported where something is downloaded: every command imports this module
    import httpx2

PIECE = 1 << 22
"""Bytes that are read at once to compute a checksum."""


def fetch(wanted: Wanted, to: Session) -> None:
    """Raises MissingError where no source has the file, StorageError on a full disk.

    What was received before a break remains as SHA256.part, and the next attempt continues from there.
    """
    if not (wanted.done.exists() and _sha256(wanted.done, to) == wanted.sha256):
        try:
            _from_any(wanted, wanted.part, to)
        except OSError as error:
            raise _unwritable(error, wanted) from error
        wanted.part.rename(wanted.done)
    to.received[wanted.sha256] = wanted.size


def _from_any(wanted: Wanted, part: Path, to: Session) -> None:
    reasons = []
    try:
        for source in wanted.sources(to):
            try:
                _from(source, wanted, part, to)
            except Refused as refused:
                reasons.append(str(refused))
            else:
                return
    except Refused as refused:  # by the index
        reasons.append(str(refused))
    first, *others = reasons or ["no source is configured"]
    raise MissingError(
        f"{wanted.name} could not be downloaded: {first}", tail=tuple(others), hint=wanted.hint
    )


def _from(source: DownloadAddress, wanted: Wanted, part: Path, to: Session) -> None:
    """Raises Refused. A file that was put together from several attempts and is wrong is received once more as a whole."""
    for last in (False, True):
        pieces = _size(part) > 0
        attempts = _complete(source, wanted, part, to)
        found = _sha256(part, to)
        if found == wanted.sha256:
            return
        part.unlink()
        if last or (not pieces and attempts == 1):
            raise Refused(
                f"{shown(source.url)} has the SHA-256 {found}, but {wanted.sha256} is locked: "
                "a proxy or mirror may have changed it"
            )


def _complete(source: DownloadAddress, wanted: Wanted, part: Path, to: Session) -> int:
    """Receive all bytes; the number of attempts that took."""
    if urlsplit(source.url).scheme == "file":
        _copy(source, part)
        return 1
    attempts = 0

    def attempt() -> None:
        nonlocal attempts
        attempts += 1
        _receive(source, wanted, part, to)

    repeated(attempt, lambda: _size(part), source, to)
    return attempts


def _copy(source: DownloadAddress, part: Path) -> None:
    path = Path(url2pathname(urlsplit(source.url).path))
    if not path.is_file():
        raise Refused(f"{path} does not exist")
    shutil.copyfile(path, part)


def _receive(source: DownloadAddress, wanted: Wanted, part: Path, to: Session) -> None:
    have = _size(part)
    if have == wanted.size:
        return
    headers = {"Range": f"bytes={have}-"} if have else {}
    with to.client(source.route).stream("GET", source.url, headers=headers) as response:
        if response.status_code == 416:
            part.unlink(missing_ok=True)
            raise Broken("it is shorter than what was received of it before")
        require(response, source)
        have = have if response.status_code == 206 else 0
        _require_range(response, have, wanted, part)
        _write(response, have, wanted, part, to)
    if _size(part) < wanted.size:
        raise Broken(f"it ended after {_size(part)} of {wanted.size} bytes")


def _require_range(response: "httpx2.Response", have: int, wanted: Wanted, part: Path) -> None:
    start = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    if have and (start is None or int(start[1]) != have):
        part.unlink()
        raise Broken("it sent another part than the one that was requested")
    length = response.headers.get("Content-Length")
    if length and have + int(length) != wanted.size:
        part.unlink(missing_ok=True)
        raise Refused(
            f"{shown(str(response.url))} has {have + int(length)} bytes, but {wanted.size} are locked: "
            "a proxy or mirror may have changed it"
        )


def _write(response: "httpx2.Response", have: int, wanted: Wanted, part: Path, to: Session) -> None:
    with part.open("ab" if have else "wb") as file:
        for piece in response.iter_raw():
            to.check()
            have += len(piece)
            if have > wanted.size:
                break
            file.write(piece)
            to.received[wanted.sha256] = have
        file.flush()
        os.fsync(file.fileno())
    if have > wanted.size:
        part.unlink()
        raise Refused(f"{shown(str(response.url))} has more than the {wanted.size} bytes that are locked")


def _sha256(path: Path, to: Session) -> str:
    hasher = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            to.check()
            hasher.update(piece)
    return hasher.hexdigest()


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _unwritable(error: OSError, wanted: Wanted) -> StorageError:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        why = f"is full: {_size(wanted.part) >> 20} of {wanted.size >> 20} MiB of {wanted.name} are there"
    else:
        why = f"could not be written: {error.strerror or error}"
    return StorageError(
        f"{wanted.folder} {why}",
        hint="make room there, or set WEFT_CACHE to a directory on another disk; what is there is not downloaded again",
    )
