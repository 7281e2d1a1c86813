"""Logs of the daemons of a persistent cluster: the last lines of all, or one whole log, followed."""

from collections.abc import Callable, Iterator
from contextlib import suppress
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
        if follow:
            raise UsageError("--follow is of one log", hint=f"name one of {', '.join(logs)}")
        for name, path in logs.items():
            yield f"{name}  {path}"
            yield from (f"  {line}" for line in shell.tail(path, 3))
        return
    if daemon not in logs:
        raise UsageError(f"{cluster.name} has no log {daemon!r}", hint=nearest(daemon, list(logs)))

    def more() -> bool:
        return follow and registry.supervisor(cluster.name) == cluster.supervisor

    yield from _read(logs[daemon], more)


def starting(name: str, *, follow: bool) -> Iterator[str]:
    """What the supervisor of a cluster that is not ready has printed, followed until it is ready or has ended."""

    def more() -> bool:
        return registry.supervisor(name) is not None and registry.read(name) is None

    # it reserves the name a moment before its log has that name
    while not registry.log(name).exists() and more():
        signals.sleep(0.02)
    with suppress(FileNotFoundError):
        yield from _read(registry.log(name), lambda: follow and more())


def found(record: Path) -> dict[str, Path]:
    """Logs by name: of daemons, and of their children (executors), by their paths below the node's."""
    folder = record / "logs"
    paths = [*folder.glob("*/*.log"), *folder.glob("*/executors/*/*/std*")]
    return {
        path.stem if path.suffix == ".log" else str(path.relative_to(folder)): path for path in sorted(paths)
    }


def _read(path: Path, more: Callable[[], bool]) -> Iterator[str]:
    """The lines of a file, with new ones while there may be more."""
    with path.open(encoding="utf-8", errors="replace") as file:
        rest, going = "", True
        while going:
            going = more()  # before it is read: what was written until the end is printed too
            *whole, rest = (rest + file.read()).split("\n")
            yield from whole
            if going:
                signals.sleep(_POLL)
    if rest:
        yield rest
