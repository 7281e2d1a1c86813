"""The private working directory of one run: node directories, generated files, sockets, scratch."""

import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from weft.errors import StorageError
from weft.host import settings
from weft.host.lease import Lease
from weft.host.own import make_own, require_named
from weft.text.redaction import revealed

_MEMORY = Path("/dev/shm")  # noqa: S108 - the machine's tmpfs is what is meant


@dataclass(frozen=True)
class WorkDirectory:
    """A run's name and its work directory, which need not exist yet."""

    name: str
    directory: Path
    native: Path = field(default=Path("native"), kw_only=True)
    """Directory of weft's native programs, for runs that use them."""
    token: str = field(default="RANDOM", kw_only=True)
    """Random part of the names of the run's files outside its directory, which nobody can guess before they exist."""

    def in_memory(self, what: str) -> Path:
        """A directory in the node's memory, whatever the file system of the work directory."""
        return _MEMORY / f"weft-{self.name}-{self.token}-{what}"


@dataclass(frozen=True)
class Work(WorkDirectory):
    """A directory that exists as long as the run, and the lease with an entry for everything created in it."""

    lease: Lease
    token: str = field(default_factory=lambda: secrets.token_hex(16), kw_only=True)
    visible: Sequence[Path] = field(default=(), kw_only=True)
    """What every node must see under the same path, in addition to the run's own."""
    secret: str = field(default_factory=lambda: secrets.token_hex(32), repr=False, kw_only=True)
    """Random, 256 bits, known only to this run."""

    user_secrets: Mapping[str, str] = field(default_factory=dict, repr=False, kw_only=True)
    """By placeholder: the user's own."""

    def make(self, *parts: str) -> Path:
        """A directory below the run's own."""
        path = self.directory.joinpath(*parts)
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        return path

    def claim(self, path: Path) -> Path:
        """A directory elsewhere that must not exist yet; removed when the run ends."""
        self.lease.note("directory", path=str(path))
        try:
            path.mkdir(parents=True, mode=0o700)
        except OSError as error:
            raise StorageError(f"cannot create the directory {path}: {error.strerror}") from error
        return path

    def write(
        self,
        files: Mapping[Path, str],
        placeholder: str,
        sealed: Mapping[Path, Callable[[str], bytes]] | None = None,
    ) -> dict[Path, str | bytes]:
        """Write generated files with mode 0600 and return them as written.

        The run's secret replaces `placeholder` in `files`, and the user's secrets theirs; the contents of those in `sealed` are derived from it.
        """
        whole: dict[Path, str | bytes] = {
            path: revealed(content.replace(placeholder, self.secret), self.user_secrets, path)
            for path, content in files.items()
        }
        whole.update({path: make(self.secret) for path, make in (sealed or {}).items()})
        write_private(whole)
        return whole


def write_private(files: Mapping[Path, str | bytes], mode: int = 0o600) -> None:
    """Write new files that only their user can read."""
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)


def work_directory(name: str) -> WorkDirectory:
    """The work directory of a run of that name."""
    return WorkDirectory(name, settings.work() / name)


@contextmanager
def open_work(
    name: str,
    lease: Lease,
    native: Path = Path("native"),
    visible: Sequence[Path] = (),
    user_secrets: Mapping[str, str] | None = None,
) -> Iterator[Work]:
    """The run's directory below WEFT_WORK, owned by this user."""
    require_named("WEFT_WORK")
    base = make_own(settings.work())
    if base.stat().st_uid != os.getuid():
        raise StorageError(
            f"the work directory {base} belongs to another user",
            hint="set WEFT_WORK to a directory that you own",
        )
    free = shutil.disk_usage(base).free
    if free < 256 << 20:
        raise StorageError(
            f"the work directory {base} has only {free >> 20} MiB free", hint="free space or set WEFT_WORK"
        )
    directory = work_directory(name).directory
    lease.note("directory", path=str(directory))
    directory.mkdir(mode=0o700)
    yield Work(name, directory, lease, native=native, visible=visible, user_secrets=user_secrets or {})
