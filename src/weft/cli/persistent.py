"""What up, exec, shell, connect, logs and down do."""

import json
import shlex
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import Any

from weft import report
from weft.api import runs
from weft.api.flags import Flags
from weft.cli.chosen import say_chosen
from weft.clusters import attach as attaching
from weft.clusters import logs as daemonlogs
from weft.clusters import registry, supervisor
from weft.clusters.registry import PersistentCluster
from weft.clusters.tunnel import LOOPBACK, Tunnel, Upstream
from weft.errors import ClusterError, NodeError, UsageError, WeftError
from weft.facts import engines
from weft.host import settings, signals, unforeseen
from weft.layout.client import Client
from weft.record import record as records
from weft.report.pages.text import outcome_lines
from weft.run import preview, rootless
from weft.text.units import show_seconds

_POLL = 0.5
"""Seconds between checks whether the cluster is still running."""


def up(name: str | None, own: Mapping[str, Any], flags: Flags, *, dry_run: bool, as_json: bool) -> None:
    """Start a cluster, or print its plan; `own`: its own keys, such as its time limits."""
    study = runs.persistent(name, own, flags)
    say_chosen(study, flags)
    if dry_run:
        plan = preview.preview(study.cells()[0][1])
        print(json.dumps(plan, indent=1) if as_json else preview.text(plan))
        return
    rootless.enter(study)
    cluster = runs.launch(study)
    print(json.dumps(_facts(cluster), indent=1) if as_json else "\n".join(_usage(cluster)))


def _facts(cluster: PersistentCluster) -> dict[str, Any]:
    return {
        "name": cluster.name,
        "engine": cluster.engine.label,
        "nodes": cluster.nodes,
        "address": cluster.client.address,
        "settings": str(cluster.client.settings or ""),
        "engines": {
            kind: {"address": client.address, "settings": str(client.settings or "")}
            for kind, client in _clients(cluster).items()
        },
        "services": {
            kind: {"address": client.address, "settings": str(client.settings or "")}
            for kind, client in cluster.client.services.items()
        },
        "until": cluster.until,
        "idle": cluster.idle,
        "supervisor": cluster.supervisor,
        "record": str(cluster.layout.record),
    }


def _clients(cluster: PersistentCluster) -> Mapping[str, Client]:
    """By engine: its client."""
    return cluster.client.parts or {cluster.engine.kind: cluster.client}


_EXPORTED = ("_HOME", "_CONF_DIR", "_IP", "_DIRS", "_SERVERS", "_PROPERTIES", "_CONFIG", "_ADDRESS")
"""Endings of the variables that a shell outside of `weft exec` needs."""


def _usage(cluster: PersistentCluster) -> list[str]:
    name = cluster.name
    left = "" if cluster.until is None else f", for {show_seconds(cluster.until - time.time())}"
    if cluster.idle is not None:
        left += f", until it is unused for {show_seconds(cluster.idle)}"
    known = [command for kind in cluster.engine.parts if (command := engines.of(kind).command)]
    example = f", such as {known[0]}" if known else ""
    return [
        f"{name} is running: {cluster.engine.label} on {cluster.nodes}, {cluster.layout.slots} slots{left}",
        f"  weft exec {name} -- COMMAND    runs a command on it{example}",
        f"  weft submit --to {name} PROGRAM",
        f"  weft shell {name}              opens a shell on its head node",
        f"  weft connect {name}            prints what a notebook needs",
        f"  weft logs {name}, weft ps, weft down {name}",
    ]


def attach(name: str | None, command: Sequence[str]) -> None:
    """Run a command on a cluster and exit with its exit code."""
    sys.exit(attaching.attach(registry.find(name), list(command), Path.cwd()))


def tunnel(name: str | None, port: int) -> None:
    """Serve the status pages of a cluster on this machine until Ctrl-C or the end of the cluster."""
    cluster = registry.find(name)
    pages = {kind: client for kind, client in _clients(cluster).items() if client.page}
    if not pages:
        raise UsageError(f"{cluster.name} has no status page", hint="`weft connect` prints its addresses")
    with ExitStack() as served:
        found = {
            kind: served.enter_context(_tunnelled(cluster, client, port and port + number))
            for number, (kind, client) in enumerate(pages.items())
        }
        print("\n".join(_tunnels(cluster, found)), flush=True)
        while registry.supervisor(cluster.name) == cluster.supervisor:
            signals.sleep(_POLL)
    print(f"{cluster.name} has ended", file=sys.stderr)


@contextmanager
def _tunnelled(cluster: PersistentCluster, client: Client, port: int) -> Iterator[Tunnel]:
    headers = {}
    if cluster.layout.secured and client.certificate is None:
        name, _, value = attaching.header_path(cluster.layout).read_text(encoding="utf-8").partition(":")
        headers[name] = value.strip()
    upstream = Upstream(cluster.layout.head, client.page, headers, client.certificate)
    try:
        upstream.ask("HEAD", "/", {}).close()
    except (OSError, HTTPException, NodeError) as error:
        raise UsageError(
            f"{client.page} cannot be reached from here: {error}",
            hint=f"`weft exec {cluster.name} -- curl` runs on the head node",
        ) from error
    served = Tunnel(upstream, port)
    with served.serving():
        yield served


def _tunnels(cluster: PersistentCluster, served: Mapping[str, Tunnel]) -> list[str]:
    forwarded = " ".join(f"-L {one.port}:{LOOPBACK}:{one.port}" for one in served.values())
    width = max(map(len, served))
    return [
        f"The pages of {cluster.name}, until Ctrl-C or the end of the cluster. On your laptop, with the host as you know it:",
        f"  ssh -N {forwarded} {settings.user()}@{socket.getfqdn()}",
        "then open:",
        *(f"  {kind:<{width}}  {one.address}" for kind, one in served.items()),
        "Each address is a password: anybody who has it can read these pages.",
    ]


def connect(name: str | None, *, as_json: bool) -> None:
    """Print the connection data of a cluster."""
    cluster = registry.find(name)
    if as_json:
        found = {**_facts(cluster), "environment": attaching.environment(cluster)}
        print(json.dumps(found, indent=1))
        return
    print("\n".join(_connection(cluster, cluster.client)))


def _opening(cluster: PersistentCluster, client: Client) -> str:
    """The options of curl that open a page."""
    if client.certificate:
        return f"--cacert {client.certificate} --cert {client.certificate} "
    return f"-H @{attaching.header_path(cluster.layout)} " if cluster.layout.secured else ""


def _connection(cluster: PersistentCluster, client: Client) -> list[str]:
    lines = []
    for kind, part in _clients(cluster).items():
        of = f"  ({kind})" if client.parts else ""
        lines.append(f"address   {part.address or 'none: this engine has no daemon to connect to'}{of}")
        if part.settings:
            has = "; contains the secret, or the path of its file" if cluster.layout.secured else ""
            lines.append(f"settings  {part.settings}  (mode 0600{has})")
        if part.page:
            lines.append(f"page      curl {_opening(cluster, part)}{part.page}")
    for kind, part in client.services.items():
        lines.append(f"address   {part.address}  ({kind})")
        if part.settings:
            lines.append(f"settings  {part.settings}  (mode 0600; for clients of {kind})")
    lines.append(
        f"output    {cluster.layout.places['output'].path}  (a directory that all nodes see, removed with the cluster)"
    )
    if cluster.layout.head.prefix:
        lines.append("from      only the cluster's nodes, which have a network of their own")
    lines.append(f"notebook  weft exec {cluster.name} -- jupyter lab")
    if not cluster.layout.head.prefix:
        lines.append("or, in your own shell:")
        named = [
            *client.search,
            *(key for key in client.environment if key.endswith(_EXPORTED)),
        ]
        found = attaching.environment(cluster)
        lines += [f"  export {key}={shlex.quote(found[key])}" for key in named]
    return lines


def logs(name: str | None, daemon: str | None, *, follow: bool) -> None:
    """Print the logs of a cluster's daemons."""
    if name is not None and daemon is None and name not in registry.names():
        name, daemon = None, name
    chosen = registry.choose(name)
    if registry.read(chosen) is None:
        if daemon is not None and not follow:
            raise registry.unready(chosen)
        for line in daemonlogs.starting(chosen, follow=follow):
            print(line, flush=True)
        if daemon is None:
            return
    cluster = registry.read(chosen)
    if cluster is None:
        raise ClusterError(f"the cluster {chosen!r} has ended, and the log of {daemon!r} was not followed")
    for line in daemonlogs.lines(cluster, daemon, follow=follow):
        print(line, flush=True)


def down(name: str | None, *, every: bool) -> None:
    """End a cluster, or all of them, and print their outcomes."""
    if every and name is not None:
        raise UsageError("--all ends every cluster", hint="omit it, or the name")
    # those of other hosts last: they end this with an error
    chosen = sorted(registry.names(), key=registry.elsewhere) if every else [registry.choose(name)]
    if not chosen:
        print("no cluster is running")
    failed = {one: error for one in chosen if (error := _failure(one)) is not None}
    if failed and not chosen[1:]:
        raise failed[chosen[0]]
    if failed:
        raise ClusterError(
            f"of {len(chosen)} clusters, {len(failed)} could not be ended: {', '.join(failed)}",
            tail=[line for error in failed.values() for line in str(error).splitlines()],
        )


def _failure(chosen: str) -> WeftError | None:
    """Why a cluster could not be ended, or its outcome not be shown: the others are to end nevertheless."""
    try:
        _end(chosen)
    except (WeftError, OSError) as error:
        return error if isinstance(error, WeftError) else unforeseen.explained(error)
    return None


def _end(chosen: str) -> None:
    record = supervisor.end(chosen)
    print(f"{chosen} has ended")
    if record is not None:
        stored = records.read(record)
        print("\n".join(outcome_lines(stored)))
        print(f"  report {report.write(stored)}")
