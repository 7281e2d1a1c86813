"""What a running command holds on this machine, written before it is created.

A lease is a file of JSON lines, locked (flock) for as long as its owner lives. A lease without a lock belongs to a
command that was killed: `weft clean` releases its entries in reverse order.
"""

import json
import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Literal

import psutil

from weft.errors import MissingError, WeftError
from weft.host import locks, settings, signals
from weft.host.own import make_own, open_own, require_named, require_own
from weft.host.programs import mounts
from weft.host.remote.reach import of_text
from weft.host.resources import OnHost, Resource, held_on
from weft.host.schedulers import known
from weft.host.schedulers.slurm import commands

_RELEASING = 60.0
"""Seconds to wait for another process that releases the lease of a dead command."""


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

    def release(self) -> list[Resource]:
        """Kill the processes with the mark and remove each resource. Returns what could not be removed."""
        left = self.release_hosts()
        left += self._here(self.entries, remove=True).left
        left += [Resource("job", name, why=why) for name in self._jobs() if (why := _uncancelled(name))]
        if not left:
            self.path.unlink(missing_ok=True)
        return left

    def inventory(self) -> list[OnHost]:
        """What is held on this machine and on other hosts."""
        return [self._here(self.entries), *self.on_other_hosts()]

    def groups(self) -> list[Path]:
        """The control groups of this machine that only processes of the command are in."""
        return [Path(entry["path"]) for entry in self.entries if entry["kind"] == "cgroup"]

    @property
    def owner(self) -> dict[str, str]:
        """The entry about its process; empty as long as that has written nothing."""
        return next((entry for entry in self.entries if entry["kind"] == "owner"), {})

    @property
    def elsewhere(self) -> str:
        """The host of its owner, if it is another than this one."""
        host = self.owner.get("host", "")
        return "" if here(host, self.owner.get("boot", "")) else host

    def _here(self, entries: Sequence[dict[str, str]], *, remove: bool = False) -> OnHost:
        held = [[one["kind"], one["path"]] for one in entries if "reach" not in one and "path" in one]
        found = held_on(None, self.name, [one for one in held if one[0] != "job"], remove=remove)
        jobs = [] if remove else [Resource("job", name) for name in self._jobs() if _queued(name)]
        return replace(found, there=[*found.there, *jobs])

    def _jobs(self) -> list[str]:
        return [one["path"] for one in self.entries if one["kind"] == "job"]

    def _shared(self, released: Sequence[dict[str, str]]) -> list[dict[str, str]]:
        """What this machine may share with hosts that could no longer remove it, because their job has ended: its own to remove."""
        paths = {
            one["path"]: one["kind"]
            for one in released
            if one["kind"] in {"directory", "file"} and self.name in Path(one["path"]).name
        }
        return [{"kind": kind, "path": path} for path, kind in paths.items()]

    def release_hosts(self) -> list[Resource]:
        """The same on other hosts, all concurrently."""
        answers = self.on_other_hosts(remove=True)
        failed = {one.host for one in answers if one.problem or one.left}
        released = [
            one for one in self.entries if "reach" in one and of_text(one["reach"]).host not in failed
        ]
        # the nodes end before the run does, and a job that has ended let none of its hosts remove anything
        self.entries = [one for one in self.entries if one not in released] + self._shared(released)
        silent = [Resource("", "", one.host, one.problem) for one in answers if one.problem]
        return [*silent, *(item for one in answers for item in one.left)]

    def on_other_hosts(self, *, remove: bool = False) -> list[OnHost]:
        """What is held on other hosts; `remove` removes it."""
        held: dict[str, list[list[str]]] = {}
        for one in self.entries:
            if "reach" in one:
                held.setdefault(one["reach"], []).append([one["kind"], one["path"]])
        ways = [of_text(way) for way in held]
        with ThreadPoolExecutor(max_workers=min(64, len(held) or 1)) as pool:
            asked = [
                pool.submit(held_on, way, self.name, each, remove=remove)
                for way, each in zip(ways, held.values(), strict=True)
            ]
        found = [one.result() for one in asked]
        ended = _ended({way.job for way, one in zip(ways, found, strict=True) if one.problem})
        return [
            replace(one, problem="") if way.job in ended else one
            for way, one in zip(ways, found, strict=True)
        ]


def _ended(jobs: set[str]) -> set[str]:
    """Those that are known to have ended. A batch system is asked once about a job, however many hosts it had."""
    return {job for job in jobs if job and known.gone(job)}


def _queued(name: str) -> bool:
    """Whether Slurm has a job of that name, or does not answer; not where there is no Slurm, on another machine with the same home."""
    try:
        return bool(commands.named(name))
    except MissingError:
        return False
    except WeftError:
        return True


def _uncancelled(name: str) -> str:
    """Cancel Slurm's jobs of that name; why one may still have its nodes, empty if none has."""
    try:
        commands.cancel_named(name)
    except WeftError as error:
        return ": ".join([error.message, *error.tail[-1:]])
    return ""


@contextmanager
def hold(name: str, purpose: str) -> Iterator[Lease]:
    """A lease for the length of a `with` block; every entry is released at the end, even after an error."""
    require_named("WEFT_STATE")
    path = make_own(settings.state() / "leases") / f"{name}.jsonl"
    with _locked(path) as file:
        lease = Lease(name, path, _file=file)
        now = time.strftime("%Y-%m-%dT%H:%M:%S")
        host = os.uname().nodename
        job = known.current()
        lease.note("owner", pid=str(os.getpid()), host=host, boot=boot(), job=job, purpose=purpose, since=now)
        try:
            yield lease
        except BaseException:
            lease.release()  # `remains` shows what it could not release
            raise
        with signals.held():
            if left := lease.release():
                raise WeftError(
                    f"{name}: could not release {'; '.join(map(str, left))}",
                    hint="run `weft clean` when the cause is resolved",
                )


def remains(name: str) -> list[str]:
    """What is still here of a command that has ended, on this machine, in its control groups and on other hosts."""
    directory = str(settings.work() / name)
    found = [f"mount {point}" for point in mounts.points(directory)]
    entries = [entry for one, _ in _leases(name) for entry in one.entries]
    (here, *_) = Lease(name, Path(), [one for one in entries if "reach" not in one]).inventory()
    on_other_hosts = [
        Resource(one["kind"], one["path"], of_text(one["reach"]).host) for one in entries if "reach" in one
    ]
    return list(dict.fromkeys([*map(str, here.members), *found, *map(str, [*here.there, *on_other_hosts])]))


@contextmanager
def _locked(path: Path) -> Iterator[IO[str]]:
    """The lease file, locked; created again if `weft clean` removed it between opening and locking."""
    while True:
        with open_own(path) as file:
            # another `weft ps` may hold the lock for a moment
            locks.lock(file)
            if path.exists() and path.stat().st_ino == os.fstat(file.fileno()).st_ino:
                yield file
                return


@dataclass(frozen=True)
class FoundLease:
    """A lease, read from outside."""

    lease: Lease
    alive: bool


def all_leases() -> list[FoundLease]:
    """Every lease of this user; `alive` if its owner still runs."""
    return [FoundLease(one, not (locks.locked(file, shared=True) and _ours(one))) for one, file in _leases()]


def groups(name: str) -> list[Path]:
    """The control groups of the lease of this name that exist on this machine."""
    return [path for one, _ in _leases(name) for path in one.groups() if path.exists()]


def dead_leases(name: str = "*") -> Iterator[Lease]:
    """Each lease whose owner is dead, or the one of that name, locked while the caller handles it."""
    # NFS gives an exclusive lock only of a file that is open for writing (flock(2))
    for one, file in _leases(name, "r+"):
        if _lock_of_dead(one, file) and one.path.exists():
            one.entries = _entries(file)  # its owner may have written more before it died
            if _ours(one):
                yield one


def release_ended(name: str) -> list[Resource]:
    """Release a lease whose owner is known to be dead, on whatever host it was. Returns what could not be removed."""
    return [item for one, _ in _leases(name) for item in one.release()]


def _lock_of_dead(lease: Lease, file: IO[str]) -> bool:
    """Lock a lease; one that another process is releasing, such as the cleanup watchdog, when that is done."""
    if locks.locked(file):
        return True
    # an owner that has written nothing yet may live; a batch system is asked once, and not each time below
    if not lease.owner or not _ours(lease):
        return False
    end = time.monotonic() + _RELEASING
    while not locks.locked(file):
        if psutil.pid_exists(int(lease.owner["pid"])) or time.monotonic() > end:
            return False
        signals.sleep(0.05)
    return True


def _ours(lease: Lease) -> bool:
    """Whether a missing lock proves that the owner is dead: on this host, or in a job that has ended.

    Hosts can share the directory but not the locks: NFS without a lock daemon, Lustre with `localflock`.
    """
    if here(lease.owner.get("host", ""), lease.owner.get("boot", "")):
        return True
    jobs = {of_text(entry["reach"]).job for entry in lease.entries if "reach" in entry}
    return bool(_ended({lease.owner.get("job", ""), *jobs}))


def here(host: str, booted: str) -> bool:
    """Whether a process of a host of this name and boot is on this one, or none was noted. Containers of one kernel can have several names."""
    return host in {"", os.uname().nodename} or booted == boot()


def boot() -> str:
    """The kernel's ID of its boot (random(4))."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()


def _leases(name: str = "*", mode: Literal["r", "r+"] = "r") -> Iterator[tuple[Lease, IO[str]]]:
    require_named("WEFT_STATE")
    require_own(directory := settings.state() / "leases")
    for path in sorted(directory.glob(f"{name}.jsonl")):
        # the lease may be released between listing and opening
        with suppress(FileNotFoundError), path.open(mode) as file:
            yield Lease(path.stem, path, _entries(file)), file


def _entries(file: IO[str]) -> list[dict[str, str]]:
    """The complete lines of a lease."""
    file.seek(0)
    return [json.loads(line) for line in file if line.endswith("\n")]
