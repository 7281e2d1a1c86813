"""Logs of the daemons of a persistent cluster: the last lines of all, or one whole log, followed."""

from collections.abc import Iterator
from pathlib import Path

from weft.clusters import registry
from weft.clusters.registry import PersistentCluster
from weft.errors import UsageError
from weft.host import shell, signals
from weft.text.nearest import nearest

_POLL = 0.5
"""Seconds between checks for more output."""


def lines(cluster: PersistentCluster, daemon: str | None, *, follow: bool) -> Iterator[str]:
    """Lines of one log, or the last lines of every log with its name. Raises UsageError for an unknown name."""
    logs = found(cluster.layout.record)
    if daemon is None:
        for name, path in logs.items():
            yield f"{name}  {path}"
            yield from (f"  {line}" for line in shell.tail(path, 3))
        return
    if daemon not in logs:
        raise UsageError(f"{cluster.name} has no log {daemon!r}", hint=nearest(daemon, list(logs)))
    yield from _read(cluster, logs[daemon], follow=follow)


def found(record: Path) -> dict[str, Path]:
    """Logs by name: of daemons, and of their children (executors), by their paths below the node's."""
    folder = record / "logs"
    paths = [*folder.glob("*/*.log"), *folder.glob("*/executors/*/*/std*")]
    return {
        path.stem if path.suffix == ".log" else str(path.relative_to(folder)): path for path in sorted(paths)
    }


def _read(cluster: PersistentCluster, path: Path, *, follow: bool) -> Iterator[str]:
    with path.open(errors="replace") as file:
        rest = ""
        while True:
            *whole, rest = (rest + file.read()).split("\n")
            yield from whole
            if not follow or registry.supervisor(cluster.name) != cluster.supervisor:
                break
            signals.sleep(_POLL)
    if rest:
        yield rest
