"""Verbs of persistent clusters: up, exec, shell, connect, logs, down."""

from typing import Annotated

import typer

from weft.api.flags import Flags
from weft.cli import completing
from weft.cli.flags import NODES, AsJson, DryRun, with_flags
from weft.errors import UsageError
from weft.host import settings

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME]",
        autocompletion=completing.cluster,
        help="name of the cluster; optional if only one is running",
    ),
]


@with_flags("engine", *NODES, "scratch", "output", "services", "set", "probes")
def up(
    flags: Flags,
    name: Annotated[str | None, typer.Option(help="name of the cluster; default: the engine's")] = None,
    limit: Annotated[
        str | None, typer.Option("--for", metavar="TIME", help="end it after this time, such as 8h")
    ] = None,
    idle: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="end it when no command or application has run for this time"),
    ] = None,
    ready: Annotated[
        bool,
        typer.Option(
            "--ready",
            help="keep an application whose executors wait for the next `weft run --to` while nobody uses it (Spark)",
        ),
    ] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Start a cluster that keeps running until `weft down`.

    It keeps running when the terminal is closed. It has a record like that of a run.

    Several engines can share its nodes and scratch: --engine spark,hadoop

    Example: weft up --engine spark --nodes virtual:2 --scratch pool --for 8h --idle 30m
    """
    from weft.cli import persistent  # noqa: PLC0415 - help needs none of it

    persistent.up(
        name, {"limit": limit, "idle": idle, "ready": ready or None}, flags, dry_run=dry_run, as_json=as_json
    )


def execute(ctx: typer.Context, name: Name = None) -> None:
    """Run a command on a persistent cluster.

    On its head node, the first one. Its environment connects it to the cluster. Input, output and exit code are those of the command.

    Example: weft exec -- spark-submit --executor-cores 1 --total-executor-cores 2 job.py
    """
    command = ctx.meta["command"]
    if not command:
        raise UsageError("no command given", hint="write weft exec [NAME] -- COMMAND")
    from weft.cli import persistent  # noqa: PLC0415

    persistent.attach(name, command)


def shell(name: Name = None) -> None:
    """Open a shell on a persistent cluster.

    Example: weft shell
    """
    from weft.cli import persistent  # noqa: PLC0415

    persistent.attach(name, [settings.login_shell()])


def connect(
    name: Name = None,
    tunnel: Annotated[
        bool, typer.Option("--tunnel", help="serve its status pages to a browser, also on a laptop")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(
            metavar="PORT", min=1024, max=65000, help="of --tunnel; default: a free one", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print what a notebook needs; open web UIs from a laptop.

    With --tunnel it prints a line for ssh on your laptop, and an address that opens the status pages there without a token,
    until Ctrl-C. It listens on the loopback interface, and asks for a cookie that only this address gives.

    Example: weft connect mine --tunnel
    """
    from weft.cli import persistent  # noqa: PLC0415

    if tunnel and as_json:
        raise UsageError("--json and --tunnel are two answers", hint="omit one of them")
    if port is not None and not tunnel:
        raise UsageError("--port is of --tunnel", hint=f"weft connect --tunnel --port {port}")
    if tunnel:
        persistent.tunnel(name, port or 0)
    else:
        persistent.connect(name, as_json=as_json)


def logs(
    name: Name = None,
    daemon: Annotated[
        str | None,
        typer.Argument(metavar="[DAEMON]", help="name of the daemon; default: the last lines of all"),
    ] = None,
    follow: Annotated[
        bool,
        typer.Option(
            "--follow", "-f", help="print new lines until the cluster ends, or what it does until it is ready"
        ),
    ] = False,
) -> None:
    """Show the logs of a persistent cluster.

    Example: weft logs spark master -f
    """
    from weft.cli import persistent  # noqa: PLC0415

    persistent.logs(name, daemon, follow=follow)


def down(
    name: Name = None, every: Annotated[bool, typer.Option("--all", help="end all of them")] = False
) -> None:
    """End a persistent cluster.

    Only its record and report remain.

    Example: weft down
    """
    from weft.cli import persistent  # noqa: PLC0415

    persistent.down(name, every=every)
