"""A user's command on the head node of a persistent cluster, on the user's terminal."""

import os
import secrets
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from weft.clusters import registry
from weft.clusters.registry import PersistentCluster
from weft.host import adopted, lease, settings, shell, signals
from weft.host.programs import marks
from weft.host.programs.files import coded
from weft.host.remote.reach import of_text
from weft.host.shell import Process
from weft.host.work import write_private
from weft.layout.client import Client
from weft.layout.plan import Layout
from weft.record.record import Record

_POLL = 0.5
"""Seconds between checks whether the cluster is still running."""
_PATIENCE = 3.0
"""Seconds until a killed supervisor is gone: its commands end with its first thread, its lock with the last."""
_ENTER = 'cd -- "$1" 2>/dev/null || echo "weft: $1 is not visible on this node; working in $PWD" >&2; shift; exec "$@"'
"""Enter a directory and exec the command. The command is passed as arguments, never as text."""
_JOIN = 'echo $$ > "$1"; shift; exec "$@"'
"""Join a control group and exec the command."""
_SOURCE = f'. "$1"; shift; {_ENTER}'
"""The same on another host, with the variables of a file."""


def environment(cluster: PersistentCluster) -> dict[str, str]:
    """The environment of the command: the client's variables, with its search paths before the user's."""
    merged = {**cluster.client.environment, marks.NODE: cluster.layout.head.name}
    for variable, entries in cluster.client.search.items():
        merged[variable] = ":".join([*entries, *filter(None, [settings.search_path(variable)])])
    return merged


def script(client: Client, node: str) -> str:
    """The same as shell text, for a node on another host."""
    own = {**client.environment, marks.NODE: node}
    lines = [f"export {name}={shlex.quote(value)}" for name, value in own.items()]
    lines += [
        f'export {name}={shlex.quote(":".join(entries))}"${{{name}:+:${name}}}"'
        for name, entries in client.search.items()
    ]
    return "".join(f"{line}\n" for line in lines)


def script_path(layout: Layout) -> Path:
    """Its path on the head node."""
    return layout.directory / "client.sh"


def header_path(layout: Layout) -> Path:
    """The file, on weft's machine and the head node, with the header of a request that opens the status pages."""
    return layout.directory / "authorization"


def attach(
    cluster: PersistentCluster,
    argv: Sequence[str],
    directory: Path,
    files: Mapping[Path, str] | None = None,
    *,
    copies: Mapping[int, Path] | None = None,
    check: Callable[[], None] = lambda: None,
) -> int:
    """Run a command and return its exit code, as a shell would. Raises ClusterError if the cluster ends.

    `files` are private ones that it reads: they have names of their own until it ends. `copies`: as of `shell.attach`.
    `check` is called while it runs, and raises what ends it.
    """
    record = Record(cluster.layout.record)
    # Ctrl-C is for the command, which is in the same process group
    signal.signal(signal.SIGINT, lambda *_: None)
    record.note("command-started", command=Path(argv[0]).name)
    with registry.used(cluster.name), _given(cluster, argv, files or {}) as argv:  # noqa: PLR1704 - the same, renamed
        process = _start(cluster, argv, directory, copies or {})
        try:
            code = _wait(cluster, process, check)
            process.copied()
        finally:
            process.stop()
            adopted.end(unmarked=True)  # `weft down` finds the others
            record.note("command-ended", command=Path(argv[0]).name, code=process.code())
    return code if code >= 0 else 128 - code


@contextmanager
def _given(
    cluster: PersistentCluster, argv: Sequence[str], files: Mapping[Path, str]
) -> Iterator[Sequence[str]]:
    """The command with the files' own names."""
    way = cluster.layout.head.way
    mark, reach = secrets.token_hex(8), of_text(way) if way and files else None
    renamed = {str(path): str(path.with_name(f"{mark}-{path.name}")) for path in files}
    written = {Path(renamed[str(path)]): text for path, text in files.items()}
    try:
        if reach:
            reach.ask("files", {"files": {str(path): coded(text) for path, text in written.items()}})
        else:
            write_private(written)
        yield [renamed.get(word, word) for word in argv]
    finally:
        if reach:
            reach.run(["rm", "-f", *renamed.values()], check=False)
        for path in written:
            path.unlink(missing_ok=True)


def _start(
    cluster: PersistentCluster, argv: Sequence[str], directory: Path, copies: Mapping[int, Path]
) -> Process:
    wrapper = cluster.layout.wrapper(cluster.layout.head)
    if wrapper:
        argv = [*wrapper, "sh", "-c", _ENTER, "weft", str(directory), *argv]
    if cluster.layout.head.way:
        arguments = ["sh", "-c", _SOURCE, "weft", str(script_path(cluster.layout)), str(directory), *argv]
        client = of_text(cluster.layout.head.way).attached(arguments, terminal=sys.stdin.isatty())
        return shell.attach(client, env={}, cwd=directory, copies=copies)
    prefix = (*cluster.door, *cluster.layout.head.prefix)
    entered = ["sh", "-c", _ENTER, "weft", str(directory), *argv] if prefix else _joining(cluster, argv)
    return shell.attach(entered, env=environment(cluster), cwd=directory, prefix=prefix, copies=copies)


def _joining(cluster: PersistentCluster, argv: Sequence[str]) -> Sequence[str]:
    """The command in the control group of the cluster, with which all that it starts ends."""
    found = [f"{path}/cgroup.procs" for path in lease.groups(cluster.layout.run)]
    writable = [path for path in found if os.access(path, os.W_OK)]
    return ["sh", "-c", _JOIN, "weft", writable[0], *argv] if writable else argv


def _wait(cluster: PersistentCluster, process: Process, check: Callable[[], None]) -> int:
    while (code := process.wait(_POLL)) is None:
        check()
        if registry.supervisor(cluster.name) != cluster.supervisor:
            break
    if code is None or (code in (-signal.SIGKILL, 128 + signal.SIGKILL) and _gone(cluster)):
        raise registry.ended(cluster)
    return code


def _gone(cluster: PersistentCluster) -> bool:
    """Whether the cluster has ended or is ending: its commands are killed first."""
    end = time.monotonic() + _PATIENCE
    while (found := registry.read(cluster.name)) and found.supervisor == cluster.supervisor:
        if time.monotonic() > end:
            return False
        signals.sleep(0.05)
    return True
