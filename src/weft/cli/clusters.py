"""Verbs of persistent clusters: up, exec, shell, connect, logs, down."""

import json
import re
import shlex
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from weft import report
from weft.cli.request import Flags, study_of
from weft.cli.work import AsJson, EngineText, NodesText, OutputText, ScratchText, ServiceText, SetText
from weft.clusters import attach as attaching
from weft.clusters import logs as daemonlogs
from weft.clusters import registry, supervisor
from weft.clusters.registry import PersistentCluster
from weft.errors import UsageError
from weft.host import settings
from weft.layout.plan import Client
from weft.record import record as records
from weft.report.text import outcome_lines
from weft.run import preview, rootless
from weft.text.toml import toml_of
from weft.text.units import show_seconds

Name = Annotated[
    str | None, typer.Argument(metavar="[NAME]", help="name of the cluster; optional if only one is running")
]


class Dashed(TyperCommand):
    """A verb whose arguments after `--` are a command of the user, passed on unchanged."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        cut = args.index("--") if "--" in args else len(args)
        ctx.meta["command"] = args[cut + 1 :]
        return super().parse_args(ctx, args[:cut])


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command()(up)
    app.command("exec", cls=Dashed)(execute)
    for verb in (shell, connect, logs, down):
        app.command()(verb)


def up(
    engine: EngineText = None,
    nodes: NodesText = None,
    scratch: ScratchText = None,
    output: OutputText = None,
    service: ServiceText = None,
    set_: SetText = None,
    name: Annotated[str | None, typer.Option(help="name of the cluster; default: the engine's")] = None,
    limit: Annotated[
        str | None, typer.Option("--for", metavar="TIME", help="end it after 30m, 8h, ...")
    ] = None,
    idle: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="end it when no command or application has run for this time"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="print everything it would do without doing it")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Start a persistent cluster, which runs until `weft down`.

    It keeps running when the terminal is closed. It has a record like that of a run.

    Several engines can share its nodes and scratch: --engine spark,hadoop

    Example: weft up --engine spark --nodes virtual:2 --scratch pool --for 8h --idle 30m
    """
    chosen = name or registry.free_name(_name_of(engine or "spark"))
    table = {"kind": "persistent", "name": chosen, "directory": str(Path.cwd())}
    table |= {key: value for key, value in (("limit", limit), ("idle", idle)) if value is not None}
    flags = Flags(engine, nodes, None, scratch, None, output, tuple(set_ or ()), None, tuple(service or ()))
    study = study_of(table, flags)
    if dry_run:
        plan = preview.preview(study.cells()[0][1])
        print(json.dumps(plan, indent=1) if as_json else preview.text(plan))
        return
    if chosen in registry.names():
        raise UsageError(
            f"a cluster named {chosen!r} is already running",
            hint=f"choose another --name, or `weft down {chosen}`",
        )
    rootless.enter(study)
    (cell,) = study.cells()
    cluster = supervisor.launch(cell[1], toml_of(study.base, {}))
    print(json.dumps(_facts(cluster), indent=1) if as_json else "\n".join(_usage(cluster)))


def _name_of(engine: str) -> str:
    """A name for a cluster by its engines: spark, or spark-hadoop."""
    kinds = [word for word in re.split(r":.*|,", engine) if word and "=" not in word]
    return "-".join(kinds)


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
        "until": cluster.until,
        "idle": cluster.idle,
        "supervisor": cluster.supervisor,
        "record": str(cluster.layout.record),
    }


def _clients(cluster: PersistentCluster) -> Mapping[str, Client]:
    """By engine: its client."""
    return cluster.client.parts or {cluster.engine.kind: cluster.client}


_EXAMPLES = {"spark": "spark-submit job.py", "flink": "flink run job.jar", "hadoop": "yarn jar job.jar"}
"""Example commands, by engine."""


def _usage(cluster: PersistentCluster) -> list[str]:
    name = cluster.name
    left = "" if cluster.until is None else f", for {show_seconds(cluster.until - time.time())}"
    if cluster.idle is not None:
        left += f", until it is unused for {show_seconds(cluster.idle)}"
    known = [example for kind, example in _EXAMPLES.items() if kind in cluster.engine.parts]
    example = f", such as {known[0]}" if known else ""
    return [
        f"{name} is running: {cluster.engine.label} on {cluster.nodes}, {cluster.layout.slots} slots{left}",
        f"  weft exec {name} -- COMMAND    runs a command on it{example}",
        f"  weft submit --to {name} PROGRAM",
        f"  weft shell {name}              opens a shell on its head node",
        f"  weft connect {name}            prints what a notebook needs",
        f"  weft logs {name}, weft ps, weft down {name}",
    ]


def execute(ctx: typer.Context, name: Name = None) -> None:
    """Run a command on the head node of a persistent cluster, in the environment that connects it to the cluster.

    Input, output and exit code are those of the command.

    Example: weft exec -- spark-submit --conf spark.cores.max=2 job.py
    """
    command = ctx.meta["command"]
    if not command:
        raise UsageError("no command given", hint="write weft exec [NAME] -- COMMAND")
    _attach(registry.find(name), command)


def shell(name: Name = None) -> None:
    """Open a shell on the head node of a persistent cluster.

    Example: weft shell
    """
    _attach(registry.find(name), [settings.login_shell()])


def _attach(cluster: PersistentCluster, command: list[str]) -> None:
    sys.exit(attaching.attach(cluster, command, Path.cwd()))


def connect(name: Name = None, as_json: AsJson = False) -> None:
    """Print what a notebook or your own program needs to connect to a persistent cluster.

    Example: weft connect
    """
    cluster = registry.find(name)
    if as_json:
        found = {**_facts(cluster), "environment": attaching.environment(cluster)}
        print(json.dumps(found, indent=1))
        return
    print("\n".join(_connection(cluster, cluster.client)))


def _connection(cluster: PersistentCluster, client: Client) -> list[str]:
    lines = []
    for kind, part in _clients(cluster).items():
        of = f"  ({kind})" if client.parts else ""
        lines.append(f"address   {part.address or 'none: this engine has no daemon to connect to'}{of}")
        if part.settings:
            has = "; contains the secret, or the path of its file" if cluster.layout.secured else ""
            lines.append(f"settings  {part.settings}  (mode 0600{has})")
        if part.page:
            token = f"-H @{attaching.header_path(cluster.layout)} " if cluster.layout.secured else ""
            lines.append(f"page      curl {token}{part.page}")
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
            *(key for key in client.environment if key.endswith(("_HOME", "_CONF_DIR", "_IP", "_DIRS"))),
        ]
        found = attaching.environment(cluster)
        lines += [f"  export {key}={shlex.quote(found[key])}" for key in named]
    return lines


def logs(
    name: Name = None,
    daemon: Annotated[
        str | None,
        typer.Argument(metavar="[DAEMON]", help="name of the daemon; default: the last lines of all"),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="print new lines until the cluster ends")
    ] = False,
) -> None:
    """Show the logs of the daemons of a persistent cluster.

    Example: weft logs spark master -f
    """
    if name is not None and daemon is None and name not in registry.names():
        name, daemon = None, name
    chosen = registry.choose(name)
    cluster = registry.read(chosen)
    if cluster is None:
        print(registry.log(chosen).read_text(), end="")
        return
    for line in daemonlogs.lines(cluster, daemon, follow=follow):
        print(line, flush=True)


def down(name: Name = None) -> None:
    """End a persistent cluster; only its record and report remain.

    Example: weft down
    """
    chosen = registry.choose(name)
    record = supervisor.end(chosen)
    print(f"{chosen} has ended")
    if record is not None:
        stored = records.read(record)
        print("\n".join(outcome_lines(stored)))
        print(f"  report {report.write(stored)}")
