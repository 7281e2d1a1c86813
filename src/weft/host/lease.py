"""What a running command holds on this machine, written before it is created.

A lease is a file of JSON lines, locked (flock) for as long as its owner lives. A lease without a lock belongs to a
command that was killed: `weft gc` releases its entries in reverse order.
"""

import fcntl
import json
import os
import shlex
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import psutil

from weft.errors import WeftError
from weft.host import group, settings, shell, signals
from weft.host.own import make_own, open_own, require_own
from weft.host.remote.reach import Reach, of_text
from weft.host.remote.sent.files import foreign
from weft.host.slurm import commands

_PATIENCE = 20.0
"""Seconds within which a host must answer a request to list or remove entries."""
_RELEASING = 60.0
"""Seconds to wait for another process that releases the lease of a dead command."""


@dataclass(frozen=True)
class Elsewhere:
    """What a lease holds on another host, as the host reported; or why it did not answer."""

    host: str
    processes: Sequence[dict[str, Any]] = ()
    there: Sequence[str] = ()
    left: Sequence[str] = ()
    problem: str = ""


@dataclass
class Lease:
    """The resources of one command. `name` also marks its processes."""

    name: str
    path: Path
    entries: list[dict[str, str]] = field(default_factory=list)
    _file: IO[str] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def note(self, kind: str, **what: str) -> None:
        """Write an entry before the resource is created; `reach` is for another host.

        Kinds: directory, file, mount, cgroup, job (of Slurm, by name), container (by the command that ends it).
        """
        entry = {"kind": kind, **what}
        assert self._file is not None
        with self._lock:  # nodes are acquired concurrently
            self.entries.append(entry)
            self._file.write(json.dumps(entry) + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def release(self) -> list[str]:
        """Kill the processes with the mark and remove each resource. Returns what could not be removed."""
        elsewhere = [entry for entry in self.entries if "reach" in entry]
        left = self.release_hosts()
        _kill(self.name)
        for path in self.groups():
            group.kill(path)
        self._remove_shared([entry for entry in elsewhere if entry not in self.entries])
        own = [entry for entry in reversed(self.entries) if "reach" not in entry and not _foreign(entry)]
        left += [problem for entry in own if (problem := _undo(entry))]
        if not left:
            self.path.unlink(missing_ok=True)
        return left

    def groups(self) -> list[Path]:
        """The control groups of this machine that only processes of the command are in."""
        return [Path(entry["path"]) for entry in self.entries if entry["kind"] == "cgroup"]

    def _remove_shared(self, entries: Sequence[dict[str, str]]) -> None:
        """Remove what this machine shares with hosts that could no longer do it, because their job has ended."""
        for entry in reversed(entries):
            if (
                entry["kind"] in {"directory", "file"}
                and self.name in Path(entry["path"]).name
                and not _foreign(entry)
            ):
                _undo(entry)

    def release_hosts(self, open_ways: Sequence[Reach] = ()) -> list[str]:
        """The same on other hosts, all concurrently; `open_ways` are open connections to some of them."""
        answers = self.elsewhere(remove=True, open_ways=open_ways)
        failed = {one.host for one in answers if one.problem or one.left}
        self.entries = [
            one for one in self.entries if "reach" not in one or of_text(one["reach"]).host in failed
        ]
        return [f"{one.host}: {one.problem or ', '.join(one.left)}" for one in answers if one.host in failed]

    def elsewhere(self, *, remove: bool = False, open_ways: Sequence[Reach] = ()) -> list[Elsewhere]:
        """What is held on other hosts; `remove` removes it."""
        known = {reach.text(): reach for reach in open_ways}
        texts = dict.fromkeys(one["reach"] for one in self.entries if "reach" in one)
        reaches = [known.get(text) or of_text(text) for text in texts]
        if not reaches:
            return []
        with ThreadPoolExecutor(max_workers=min(64, len(reaches))) as pool:
            return list(pool.map(lambda reach: self._sweep(reach, remove=remove), reaches))

    def _sweep(self, reach: Reach, *, remove: bool) -> Elsewhere:
        mine = [one for one in self.entries if one.get("reach") == reach.text()]
        held = [[one["kind"], one["path"]] for one in mine]
        request = {"mark": f"{shell.LEASE_MARK}={self.name}", "held": held, "remove": remove}
        try:
            answer = reach.ask("sweep", request, timeout=_PATIENCE)
        except WeftError as error:
            return Elsewhere(reach.host, problem="" if reach.gone() else error.message)
        there = [" ".join(arguments) for arguments in answer["there"]]
        return Elsewhere(reach.host, answer["processes"], there, answer["left"])


@contextmanager
def hold(name: str, purpose: str) -> Iterator[Lease]:
    """A lease for the length of a `with` block; every entry is released at the end, even after an error."""
    require_own(settings.spelled()["WEFT_STATE"])
    path = make_own(settings.state() / "leases") / f"{name}.jsonl"
    with _locked(path) as file:
        lease = Lease(name, path, _file=file)
        now = time.strftime("%Y-%m-%dT%H:%M:%S")
        lease.note("owner", pid=str(os.getpid()), host=os.uname().nodename, purpose=purpose, since=now)
        try:
            yield lease
        except BaseException:
            lease.release()  # `remains` shows what it could not release
            raise
        with signals.held():
            if left := lease.release():
                raise WeftError(
                    f"{name}: could not release {'; '.join(left)}",
                    hint="run `weft gc` when the cause is resolved",
                )


def remains(name: str) -> list[str]:
    """What is still here of a command that has ended, on this machine, in its control groups and on other hosts."""
    found = [f"process {process.pid}" for process in shell.marked(name)]
    directory = settings.work() / name
    found += [f"mount {point}" for point in mount_points() if point.is_relative_to(directory)]
    for path, file in _files(name):
        left = Lease(name, path, _entries(file))
        found += [f"{entry['kind']} {entry['path']}" for entry in left.entries if exists(entry)]
        found += [
            f"{one['kind']} {one['path']} on {of_text(one['reach']).host}"
            for one in left.entries
            if "reach" in one
        ]
    return list(dict.fromkeys(found))


@contextmanager
def _locked(path: Path) -> Iterator[IO[str]]:
    """The lease file, locked; created again if `weft gc` removed it between opening and locking."""
    while True:
        with open_own(path) as file:
            # another `weft ps` may hold the lock for a moment
            fcntl.flock(file, fcntl.LOCK_EX)
            if path.exists() and path.stat().st_ino == os.fstat(file.fileno()).st_ino:
                yield file
                return


@dataclass(frozen=True)
class Held:
    """A lease, read from outside."""

    lease: Lease
    alive: bool

    @property
    def owner(self) -> dict[str, str]:
        return next((entry for entry in self.lease.entries if entry["kind"] == "owner"), {})


def all_leases() -> list[Held]:
    """Every lease of this user; `alive` if its owner still runs."""
    found = []
    for path, file in _files():
        entries = _entries(file)
        found.append(
            Held(Lease(path.stem, path, entries), not (_lock(file, fcntl.LOCK_SH) and _ours(entries)))
        )
    return found


def groups(name: str) -> list[Path]:
    """The control groups of the lease of this name that exist on this machine."""
    found = [Lease(path.stem, path, _entries(file)).groups() for path, file in _files(name)]
    return [path for paths in found for path in paths if path.exists()]


def dead_leases(name: str = "*") -> Iterator[Lease]:
    """Each lease whose owner is dead, or the one of that name, locked while the caller handles it."""
    for path, file in _files(name):
        entries = _entries(file)
        if _lock_of_dead(file, entries) and path.exists() and _ours(entries):
            yield Lease(path.stem, path, entries)


def release_ended(name: str) -> list[str]:
    """Release a lease whose owner is known to be dead, on whatever host it was. Returns what could not be removed."""
    return [item for path, file in _files(name) for item in Lease(path.stem, path, _entries(file)).release()]


def _lock_of_dead(file: IO[str], entries: Sequence[dict[str, str]]) -> bool:
    """Lock a lease; one that another process is releasing, such as the cleanup watchdog, when that is done."""
    end = time.monotonic() + _RELEASING
    while not _lock(file, fcntl.LOCK_EX):
        if not _ours(entries) or _owner_lives(entries) or time.monotonic() > end:
            return False
        signals.sleep(0.05)
    return True


def _owner_lives(entries: Sequence[dict[str, str]]) -> bool:
    """Whether the process that wrote a lease lives; unknown of one that has written nothing yet."""
    pid = next((int(entry["pid"]) for entry in entries if entry["kind"] == "owner"), None)
    return pid is None or psutil.pid_exists(pid)


def _ours(entries: Sequence[dict[str, str]]) -> bool:
    """Whether a missing lock proves that the owner is dead: on this host, or in a job that has ended.

    Hosts can share the directory but not the locks: NFS without a lock daemon, Lustre without `flock`.
    """
    owner = next((entry for entry in entries if entry["kind"] == "owner"), {})
    here = os.uname().nodename
    return owner.get("host", here) == here or any(
        of_text(entry["reach"]).gone() for entry in entries if "reach" in entry
    )


def _files(name: str = "*") -> Iterator[tuple[Path, IO[str]]]:
    require_own(settings.spelled()["WEFT_STATE"])
    require_own(directory := settings.state() / "leases")
    for path in sorted(directory.glob(f"{name}.jsonl")):
        # the lease may be released between listing and opening
        with suppress(FileNotFoundError), path.open() as file:
            yield path, file


def _lock(file: IO[str], how: int) -> bool:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _entries(file: IO[str]) -> list[dict[str, str]]:
    return [json.loads(line) for line in file if line.endswith("\n")]


def _kill(mark: str) -> None:
    deadline = time.monotonic() + 10
    while (processes := shell.marked(mark)) and time.monotonic() < deadline:
        for process in processes:
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue
        psutil.wait_procs(processes, timeout=1)


def exists(entry: dict[str, str]) -> bool:
    """Whether the resource exists now, on this machine."""
    if "reach" in entry:
        return False
    if entry["kind"] == "job":
        return bool(commands.named(entry["path"]))
    path = Path(entry.get("path", "/nonexistent"))
    return _mounted(path) if entry["kind"] == "mount" else path.exists() and not _foreign(entry)


def _foreign(entry: dict[str, str]) -> bool:
    """Whether another user was there first: weft created nothing."""
    return entry["kind"] in {"file", "directory"} and bool(foreign(entry["path"]))


def _undo(entry: dict[str, str]) -> str | None:
    path = Path(entry.get("path", "/nonexistent"))
    match entry["kind"]:
        case "mount":
            return _unmount(path)
        case "cgroup":
            group.remove(path)
            if path.exists():
                return f"control group {path}"
        case "job":
            commands.cancel_named(entry["path"])
        case "container":
            return _ended(entry["path"])
        case "file":
            path.unlink(missing_ok=True)
        case "directory":
            if any(point.is_relative_to(path) for point in mount_points()):
                return f"directory {path}: something is still mounted in it"
            shutil.rmtree(path, ignore_errors=True)
            if path.exists():
                return f"directory {path}"
    return None


def _ended(command: str) -> str | None:
    try:
        shell.run(shlex.split(command), check=False)
    except WeftError as error:
        return f"`{command}`: {error.message}"
    return None


def _unmount(path: Path) -> str | None:
    done = shell.run(["umount", "-l", str(path)], check=False) if _mounted(path) else None
    return f"mount {path}: {done.err.strip()}" if done and _mounted(path) else None


def _mounted(path: Path) -> bool:
    return path in mount_points()


def mount_points() -> list[Path]:
    """Every mount point that this process sees."""
    lines = Path("/proc/self/mounts").read_text().splitlines()
    return [Path(line.split()[1].encode().decode("unicode_escape")) for line in lines]
