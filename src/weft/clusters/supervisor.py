"""The process that owns a persistent cluster: `weft up` starts it, `weft down` ends it; if it dies, the cluster ends."""

import dataclasses
import glob
import json
import os
import secrets
import shutil
import signal
import sys
import time
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import IO

from weft import report
from weft.adapters.nodes.access import access
from weft.adapters.workloads.base import Judgement
from weft.adapters.workloads.persistent import Persistent
from weft.clusters import registry
from weft.clusters.attach import header_path, script, script_path
from weft.clusters.idle import Idleness
from weft.clusters.readykeeper import kept
from weft.clusters.registry import PersistentCluster
from weft.errors import ClusterError, Stopped, UsageError, WeftError
from weft.host import settings, shell, signals
from weft.host.web import token
from weft.host.work import write_private
from weft.layout.client import Client
from weft.layout.plan import Layout
from weft.record import record as records
from weft.run import rootless
from weft.run.progress import Progress
from weft.run.run import Live, run
from weft.spec.model import Spec
from weft.text.verbosity import CHOSEN

_POLL = 0.5
"""Seconds between checks of the daemons."""
_PROGRAM = "from weft.cli.supervise import main; main()"
_GRACE = 120.0
"""Maximum wait for a cluster to end: daemons, mounts, the record and its report."""


def launch(spec: Spec, text: str) -> PersistentCluster:
    """Start a supervisor and wait until its cluster is ready. Exits with the supervisor's exit code if it fails."""
    name = _asked(spec).name
    # the name's own log is that of the cluster that has the name
    log = registry.log(f"{name}.{secrets.token_hex(4)}")
    order = json.dumps(
        {
            "spec": spec.model_dump(mode="json"),
            "secrets": spec.secrets,
            "text": text,
            "log": str(log),
            "verbosity": vars(CHOSEN),
        }
    )
    env = {**settings.directories(), "COLUMNS": str(shutil.get_terminal_size().columns)}
    process = shell.detach([sys.executable, "-P", "-c", _PROGRAM], stdin=order, log=log, env=env)
    # as its standard error is encoded; it remains readable after the supervisor has removed it
    with log.open(encoding="locale", errors="replace") as output:
        try:
            while (cluster := registry.read(name)) is None or cluster.supervisor != process.pid:
                if (code := process.wait(0.1)) is not None:
                    _pass_on(output)
                    sys.exit(code)
                _pass_on(output)
        except BaseException as error:
            process.stop(grace=_GRACE)
            if _pass_on(output) and isinstance(error, Stopped):  # it has printed what was stopped
                sys.exit(error.exit_code)
            raise
        finally:
            log.unlink(missing_ok=True)
        _pass_on(output)
    return cluster


def _pass_on(output: IO[str]) -> bool:
    """Forward new messages; whether there were any."""
    text = output.read()
    sys.stderr.write(text)
    sys.stderr.flush()
    return bool(text)


def hold() -> None:
    """Run as the supervisor of the cluster that standard input describes."""
    order = json.load(sys.stdin)
    vars(CHOSEN).update(order["verbosity"])
    asked = Spec.model_validate(order["spec"]).with_secrets(order["secrets"])
    use = partial(keep_running, door=rootless.door())
    name = _asked(asked).name
    with registry.reserved(name):
        Path(order["log"]).rename(registry.log(name))
        try:
            record = run(asked, order["text"], Progress(), use=use).directory
        except WeftError as error:
            if error.record is not None:
                report.write(records.read(error.record))
            raise
        report.write(records.read(record))


def keep_running(live: Live, *, door: tuple[str, ...]) -> Judgement:
    """Publish a ready cluster and keep it until SIGTERM, its time limit or its idle limit."""
    asked, ended = _asked(live.spec), signals.expect(signal.SIGTERM)
    since, began = time.time(), time.monotonic()
    until = None if asked.limit is None else since + asked.limit
    cluster = PersistentCluster(
        name=asked.name,
        supervisor=os.getpid(),
        engine=live.spec.engine,
        nodes=f"{live.spec.nodes.kind}:{live.spec.nodes.count}",
        layout=live.layout,
        client=_written(_client(live), live.layout, live.cluster.secret),
        since=since,
        until=until,
        idle=asked.idle,
        ready=asked.ready,
        any_node=True,
        door=door,
    )
    with live.phase("run"), registry.announced(cluster):
        why = _why(cluster, live, ended)
    live.record.note(why, seconds=round(time.monotonic() - began))
    return Judgement(valid=True, reason="", bytes_in=0, bytes_out=0)


def _why(cluster: PersistentCluster, live: Live, ended: signals.Request) -> str:
    """Wait until a cluster has to end, and return the event with the reason."""
    began, last_use = time.monotonic(), partial(registry.last_use, cluster.name)
    idleness = None if cluster.idle is None else Idleness(cluster.idle, began, last_use, live.cluster.quiet)
    with kept(live, cluster.name) if cluster.ready else nullcontext(_nothing) as keep:
        while not ended.wait(_POLL):
            live.cluster.watch()
            keep()
            now = time.monotonic()
            if cluster.until is not None and now - began >= cluster.until - cluster.since:
                return "limit-reached"
            if idleness is not None and idleness.over(now):
                return "nobody-used-it"
    return "asked-to-end"


def _nothing() -> None:
    """Is kept by a cluster that has no application of its own."""


def _client(live: Live) -> Client:
    """The client of the engine, and of the services that have one."""
    found = {service.kind: service.client(live.layout) for service in live.spec.all_services()}
    services = {kind: client for kind, client in found.items() if client is not None}
    return live.spec.engine.client(live.layout).with_services(services)


def _written(client: Client, layout: Layout, secret: str) -> Client:
    """A client whose programs are on the head node, with the wildcards of its search paths expanded."""
    opens = {header_path(layout): f"Authorization: Bearer {token(secret)}\n"}
    write_private(opens)
    search = {
        variable: [path for entry in entries for path in glob.glob(entry) or [entry]]  # noqa: PTH207 - absolute text
        for variable, entries in client.search.items()
    }
    settled = dataclasses.replace(client, search=search)
    if layout.head.way:
        access(layout.head).receive(
            {**opens, **client.programs, script_path(layout): script(settled, layout.head.name)}
        )
        access(layout.head).run(["chmod", "700", *map(str, [script_path(layout), *client.programs])])
    else:
        write_private(client.programs, mode=0o700)
    return settled


def _asked(spec: Spec) -> Persistent:
    assert isinstance(spec.workload, Persistent)
    return spec.workload


def end(name: str) -> Path | None:
    """End a cluster and wait until nothing of it is left. Returns its record, if it has one."""
    # 0: it has reserved the name, and not written yet which process it is
    while (pid := registry.supervisor(name)) == 0:
        signals.sleep(0.02)
    if pid is None:
        return None
    if host := registry.elsewhere(name):
        raise ClusterError(
            f"the cluster {name!r} belongs to process {pid} of {host}, which only that host can end",
            hint=f"log in there (ssh {host}), and call `weft down {name}`",
        )
    cluster: PersistentCluster | None = None
    with suppress(UsageError):  # one that another version of weft has started ends as well
        cluster = registry.read(name)
    with suppress(ProcessLookupError):  # it has just ended
        os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + _GRACE
    while registry.supervisor(name) == pid:
        if time.monotonic() > deadline:
            raise ClusterError(
                f"the cluster {name!r} has not ended within {_GRACE:.0f} s",
                hint=f"it may still stop daemons or write its record: `weft logs {name}` shows what it does; "
                f"`kill -9 {pid}`, then `weft clean`, ends it without",
            )
        signals.sleep(0.1)
    return cluster.layout.record if cluster else None
