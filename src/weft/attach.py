"""A command of the user's own on the head node of a standing cluster, on the user's terminal."""

import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from weft import settings, shell, standing
from weft.errors import ClusterError
from weft.record import Record
from weft.shell import Process
from weft.standing import StandingCluster

_LOOK = 0.5
"""Seconds between looks whether the cluster still stands."""
_ENTER = 'cd -- "$1" 2>/dev/null || echo "weft: $1 cannot be seen on this node; working in $PWD" >&2; shift; exec "$@"'
"""Enter a directory and become the command. Takes its words as arguments, never as text."""


def environment(cluster: StandingCluster) -> dict[str, str]:
    """What the command finds: the client's variables, and its search paths before the user's."""
    merged = {**cluster.client.environment, shell.NODE_MARK: cluster.layout.head.name}
    for variable, entries in cluster.client.search.items():
        merged[variable] = ":".join([*entries, *filter(None, [settings.search_path(variable)])])
    return merged


def attach(cluster: StandingCluster, argv: Sequence[str], env: Mapping[str, str], directory: Path) -> int:
    """Run a command to its end and give its exit code, as a shell would. Raises ClusterError when the cluster ends."""
    head, kept = cluster.layout.head, Record(cluster.layout.record)
    prefix = (*cluster.door, *head.prefix)
    entered = ["sh", "-c", _ENTER, "weft", str(directory), *argv] if prefix else argv
    # Ctrl-C is for the command, which is in the same process group
    signal.signal(signal.SIGINT, lambda *_: None)
    kept.note("command-started", command=Path(argv[0]).name)
    process = shell.attach(entered, env=env, cwd=directory, prefix=prefix)
    try:
        code = _wait(cluster, process)
    finally:
        process.stop()
        kept.note("command-ended", command=Path(argv[0]).name, code=process.code())
    return code if code >= 0 else 128 - code


def _wait(cluster: StandingCluster, process: Process) -> int:
    while (code := process.wait(_LOOK)) is None:
        if standing.supervisor(cluster.name) != cluster.supervisor:
            break
    if code is None or (code in (-signal.SIGKILL, 128 + signal.SIGKILL) and _gone(cluster)):
        raise ClusterError(
            f"the cluster {cluster.name!r} has ended",
            hint=f"`weft show {cluster.layout.run}` tells how, and `weft gc` removes what it may have left",
        )
    return code


def _gone(cluster: StandingCluster) -> bool:
    """Whether the cluster ended, or is ending: whoever ends it kills the commands first."""
    found = standing.read(cluster.name)
    return found is None or found.supervisor != cluster.supervisor
