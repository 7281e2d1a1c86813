"""Clusters that stand: a file for each, locked for as long as its supervisor lives, says how to reach it.

The file lies in WEFT_STATE with mode 0600. It names the supervisor alone while the cluster starts; one that nobody has
locked belongs to a supervisor that was killed, and is removed by whoever sees it.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pydantic import TypeAdapter

from weft import settings
from weft.engines import AnyEngine
from weft.errors import UsageError
from weft.plan import Client, Layout
from weft.spec import nearest

_PATIENCE = 1.0
"""Longest wait for a lock that others hold only while they look."""


@dataclass(frozen=True)
class StandingCluster:
    """A cluster that answers, as its file tells it."""

    name: str
    supervisor: int
    """Its process."""
    engine: AnyEngine
    nodes: str
    """As they were asked for: virtual:2."""
    layout: Layout
    client: Client
    since: float
    until: float | None
    """Seconds since the epoch; None where it has no limit."""
    door: tuple[str, ...] = ()
    """Words that bring a command from its user's namespaces to where the prefix of a node works."""


_FORM = TypeAdapter(StandingCluster)


def _path(name: str) -> Path:
    directory = settings.state() / "clusters"
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    return directory / f"{name}.json"


def log(name: str) -> Path:
    """What the supervisor of a cluster says."""
    return _path(name).with_suffix(".log")


@contextmanager
def reserved(name: str) -> Iterator[None]:
    """The name, for the length of a `with`. Raises UsageError when another cluster has it."""
    path = _path(name)
    with _taken(path) as file:
        file.truncate(0)
        file.write(json.dumps({"supervisor": os.getpid()}))
        file.flush()
        try:
            yield
        finally:
            _remove(path)


@contextmanager
def _taken(path: Path) -> Iterator[IO[str]]:
    end = time.monotonic() + _PATIENCE
    while True:
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "w") as file:
            if _lock(file, fcntl.LOCK_EX):
                # somebody who saw it without a lock may have removed it meanwhile
                if path.exists() and path.stat().st_ino == os.fstat(file.fileno()).st_ino:
                    yield file
                    return
            elif time.monotonic() > end:
                break
        time.sleep(0.02)
    raise UsageError(
        f"a cluster {path.stem!r} stands already", hint=f"choose another --name, or `weft down {path.stem}`"
    )


def _lock(file: IO[str], how: int) -> bool:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.with_suffix(".log").unlink(missing_ok=True)


@contextmanager
def announced(cluster: StandingCluster) -> Iterator[None]:
    """Say how a cluster is reached, for the length of a `with`; its name is reserved by this process."""
    path = _path(cluster.name)
    path.write_bytes(_FORM.dump_json(cluster))
    try:
        yield
    finally:
        path.write_text(json.dumps({"supervisor": os.getpid()}))


def names() -> list[str]:
    """Every name that a living supervisor has, also of clusters that are starting."""
    found = _path("any").parent.glob("*.json")
    return sorted(path.stem for path in found if _told(path) is not None)


def _told(path: Path) -> bytes | None:
    """What a living supervisor wrote, or None; the file of a dead one is removed."""
    with suppress(FileNotFoundError), path.open() as file:
        if not _lock(file, fcntl.LOCK_SH):
            return path.read_bytes()
        _remove(path)
    return None


def free_name(wanted: str) -> str:
    """A name that no cluster has: as wanted, or with a number."""
    taken = names()
    numbered = [wanted, *(f"{wanted}-{number}" for number in range(2, len(taken) + 2))]
    return next(name for name in numbered if name not in taken)


def read(name: str) -> StandingCluster | None:
    """A cluster that answers, or None while it starts, while it ends, and afterwards."""
    told = _told(_path(name))
    # the supervisor may be in the middle of writing
    return _FORM.validate_json(told) if told and b'"client"' in told and told.endswith(b"}") else None


def supervisor(name: str) -> int | None:
    """The process that holds a cluster, also one that is starting; None when it has ended."""
    told = _told(_path(name))
    return int(json.loads(told)["supervisor"]) if told else None


def choose(name: str | None) -> str:
    """The name of a cluster; the only one's where none is given. Raises UsageError when there is no such."""
    known = names()
    start = "start one with `weft up`"
    if name is None and len(known) == 1:
        return known[0]
    if name is None:
        raise (
            UsageError(f"which of {', '.join(known)}?", hint="name one")
            if known
            else UsageError("no cluster stands", hint=start)
        )
    if name not in known:
        raise UsageError(f"no cluster {name!r} stands", hint=nearest(name, known) if known else start)
    return name


def find(name: str | None) -> StandingCluster:
    """The cluster of a name, as `choose` has it. Raises UsageError when it does not answer yet."""
    chosen = choose(name)
    if found := read(chosen):
        return found
    raise UsageError(f"the cluster {chosen!r} does not answer yet", hint="`weft logs` shows what it does")
