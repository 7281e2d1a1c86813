"""Running clusters: each has a file that its supervisor keeps locked while it lives, and one with its connection data.

They are in WEFT_STATE with mode 0600. The second exists only while the cluster is ready. A file without a lock
belongs to a supervisor that was killed; the next reader removes both.
"""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO

from pydantic import TypeAdapter, ValidationError

from weft.adapters.engines import AnyEngine
from weft.errors import ClusterError, UsageError
from weft.host import lease, locks, settings, signals
from weft.host.own import make_own, require_named
from weft.host.schedulers import known
from weft.host.work import write_private
from weft.layout.client import Client
from weft.layout.plan import Layout
from weft.text.nearest import nearest

_PATIENCE = 1.0
"""Maximum wait for a lock that others hold only while they read."""
_BRIEF = 0.2
"""The same where the answer that others have it should come at once."""
_SELDOM = 10.0
"""Seconds between two requests about a job: commands look at their cluster twice a second, for as long as they run."""


@dataclass(frozen=True)
class PersistentCluster:
    """A cluster that is ready, as described by its file."""

    name: str
    supervisor: int
    """Its process."""
    engine: AnyEngine
    nodes: str
    """As requested: virtual:2."""
    layout: Layout
    client: Client
    since: float
    until: float | None
    """Seconds since the epoch; None without a limit."""
    idle: float | None = None
    """Seconds without use after which it ends."""
    ready: bool = False
    """Whether it keeps an application ready for the next measured run."""
    any_node: bool = False
    """Whether its processes read ANY_NODE in the variables of a job; those that an earlier version of weft started do not."""
    door: tuple[str, ...] = ()
    """Arguments that move a command from its user's namespaces to where the prefix of a node works."""


_FORM = TypeAdapter(PersistentCluster)


def _path(name: str, suffix: str) -> Path:
    require_named("WEFT_STATE")
    return make_own(settings.state() / "clusters") / f"{name}{suffix}"


def log(name: str) -> Path:
    """The supervisor's log of a cluster."""
    return _path(name, ".log")


@contextmanager
def reserved(name: str) -> Iterator[None]:
    """Reserve the name for the length of a `with` block. Raises UsageError if another cluster has it."""
    path = _path(name, ".lock")
    with _taken(path) as file:
        file.seek(0)
        file.truncate()
        file.write(f"{os.getpid()} {os.uname().nodename} {lease.boot()} {known.current()}")
        file.flush()
        try:
            yield
        finally:
            _remove(path)


@contextmanager
def _taken(path: Path) -> Iterator[IO[str]]:
    end = time.monotonic() + _PATIENCE
    while True:
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="utf-8") as file:
            if locks.locked(file) and not _may_live(file.read().split()):
                # another process that saw it without a lock may have removed it
                if path.exists() and path.stat().st_ino == os.fstat(file.fileno()).st_ino:
                    yield file
                    return
            elif time.monotonic() > end:
                break
        signals.sleep(0.02)
    raise UsageError(
        f"a cluster named {path.stem!r} is already running",
        hint=f"choose another --name, or `weft down {path.stem}`",
    )


def _remove(lock: Path) -> None:
    for suffix in (".json", ".partial", ".log", ".use", ".run", ".lock"):
        _path(lock.stem, suffix).unlink(missing_ok=True)


@contextmanager
def announced(cluster: PersistentCluster) -> Iterator[None]:
    """Publish a cluster's connection data for the length of a `with` block; this process has reserved its name."""
    path = _path(cluster.name, ".json")
    partial = path.with_suffix(".partial")
    write_private({_path(cluster.name, ".use"): "", partial: _FORM.dump_json(cluster).decode()})
    partial.rename(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


@contextmanager
def used(name: str) -> Iterator[None]:
    """Mark that a user's command runs in a cluster for the length of a `with` block, or until it is killed."""
    try:
        file = _path(name, ".use").open("r+", encoding="utf-8")
    except FileNotFoundError:  # the cluster is ending
        yield
        return
    with file:
        locks.lock(file, shared=True)
        try:
            yield
        finally:
            os.utime(
                file.fileno(), ns=(time.time_ns(),) * 2
            )  # the kernel's own time is some milliseconds coarse


@contextmanager
def measured(name: str, what: str) -> Iterator[None]:
    """Have a cluster for measured runs alone for the length of a `with` block. Raises UsageError if others measure on it."""
    path = _path(name, ".run")
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="utf-8") as file:
        if not _locked_soon(file):
            raise UsageError(
                f"{file.read()} is being measured on the cluster {name!r}, and a second run would change its times",
                hint="wait for its end, or start another cluster with `weft up`",
            )
        file.truncate(0)
        file.write(what)
        file.flush()
        yield


def _locked_soon(file: IO[str]) -> bool:
    end = time.monotonic() + _BRIEF
    while not (had := locks.locked(file)) and time.monotonic() < end:
        signals.sleep(0.01)
    return had


def being_measured(name: str) -> bool:
    """Whether a measured run has the cluster."""
    try:
        file = _path(name, ".run").open("r+", encoding="utf-8")
    except FileNotFoundError:
        return False
    with file:
        return not locks.locked(file, shared=True)


def ended(cluster: PersistentCluster) -> ClusterError:
    """The error of a command whose cluster has ended."""
    return ClusterError(
        f"the cluster {cluster.name!r} has ended",
        hint=f"`weft show {cluster.layout.run}` shows how, and `weft clean` removes what it may have left",
    )


def last_use(name: str) -> int | None:
    """What changes with each end of a user's command in a cluster; None while one runs."""
    with _path(name, ".use").open("r+", encoding="utf-8") as file:
        return os.fstat(file.fileno()).st_mtime_ns if locks.locked(file) else None


def in_use(name: str) -> bool:
    """Whether a user's command runs in a cluster."""
    return last_use(name) is None


def names() -> list[str]:
    """Every name that a live supervisor has reserved, including clusters that are starting."""
    found = _path("any", "").parent.glob("*.lock")
    return sorted(path.stem for path in found if supervisor(path.stem) is not None)


def supervisor(name: str) -> int | None:
    """The process that owns a cluster, also while it starts or ends; None if it is gone."""
    lock = _path(name, ".lock")
    with suppress(FileNotFoundError), lock.open(encoding="utf-8") as file:
        held = not locks.locked(file, shared=True)
        owner = file.read().split()
        if held or _may_live(owner):
            return int((owner or ["0"])[0])
        _remove(lock)
    return None


def elsewhere(name: str) -> str:
    """The host of a cluster's supervisor, if it is another than this one, such as a second login node with the same home."""
    with suppress(OSError):
        return _other_host(_path(name, ".lock").read_text(encoding="utf-8").split())
    return ""


def _other_host(owner: Sequence[str]) -> str:
    """Of a supervisor's process, host, boot and job."""
    return owner[1] if len(owner) > 2 and not lease.here(owner[1], owner[2]) else ""


def _may_live(owner: Sequence[str]) -> bool:
    """Whether a supervisor may live although its lock is free: hosts can share the directory but not the locks.

    On another host it is known to be dead only if the job around it has ended.
    """
    return bool(_other_host(owner)) and not (owner[3:] and _gone(owner[3], int(time.monotonic() / _SELDOM)))


@lru_cache(maxsize=16)
def _gone(job: str, turn: int) -> bool:  # noqa: ARG001 - what is known is forgotten with its turn
    """Whether a job has ended, as its batch system answered once in this turn."""
    return known.gone(job)


def free_name(wanted: str) -> str:
    """A name that no cluster has: the requested one, or with a number."""
    taken = names()
    numbered = [wanted, *(f"{wanted}-{number}" for number in range(2, len(taken) + 2))]
    return next(name for name in numbered if name not in taken)


def read(name: str) -> PersistentCluster | None:
    """A cluster that is ready, or None while it starts or ends, and afterwards. Raises UsageError of one that cannot be read."""
    with suppress(FileNotFoundError):
        if supervisor(name) is not None:
            try:
                return _FORM.validate_json(_path(name, ".json").read_bytes())
            except ValidationError as error:
                raise UsageError(
                    f"the data of the cluster {name!r} cannot be read; another version of weft may have started it",
                    hint=f"`weft down {name}` ends it",
                ) from error
    return None


def choose(name: str | None) -> str:
    """The name of a cluster; that of the only one if none is given. Raises UsageError if there is none."""
    running = names()
    start = "start one with `weft up`"
    if name is None and len(running) == 1:
        return running[0]
    if name is None:
        raise (
            UsageError(f"several clusters are running: {', '.join(running)}", hint="name one")
            if running
            else UsageError("no cluster is running", hint=start)
        )
    if name not in running:
        raise UsageError(
            f"no cluster named {name!r} is running", hint=nearest(name, running) if running else start
        )
    return name


def engine_for(cluster: PersistentCluster, wanted: str | None) -> str:
    """The kind of the requested engine, or of the only one. Raises UsageError if it is ambiguous."""
    kinds = list(cluster.engine.parts)
    if wanted in kinds:
        return wanted
    if wanted is not None:
        raise UsageError(f"{cluster.name} does not run {wanted}", hint=f"it runs {', '.join(kinds)}")
    if kinds[1:]:
        raise UsageError(
            f"the cluster runs several engines: {', '.join(kinds)}", hint="select one with --engine"
        )
    return kinds[0]


def find(name: str | None) -> PersistentCluster:
    """The cluster of a name, as in `choose`. Raises UsageError if it is not ready yet."""
    chosen = choose(name)
    if found := read(chosen):
        if not found.layout.head.way and (host := elsewhere(chosen)):
            raise UsageError(
                f"the nodes of the cluster {chosen!r} are on {host}",
                hint=f"log in there (ssh {host}) to use it",
            )
        return found
    raise unready(chosen)


def unready(name: str) -> UsageError:
    """The error of a command for which a cluster has to be ready."""
    return UsageError(
        f"the cluster {name!r} is not ready yet", hint=f"`weft logs {name} -f` shows what it does"
    )
