"""Proof that every process of the engine has the preload library: a run in which one lacks it is INVALID."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from weft.adapters.nodes.access import access
from weft.adapters.nodes.base import everywhere
from weft.errors import StorageError, WeftError
from weft.host import shell, signals
from weft.layout import handshake
from weft.layout.handshake import Event, Silent
from weft.layout.node import Node
from weft.layout.plan import Layout
from weft.record.record import Record

_CHECK = "preload-check"
"""The command name of the program that shows before the start whether the library can be loaded."""
_POLLS, _PAUSE = 5, 0.2
"""How often, and at which interval in seconds, a process is inspected that may be just starting its program."""


def failure(layout: Layout) -> str:
    """Why programs on some node run without the library, as one of them shows; empty if they have it."""
    nodes = _nodes(layout)
    found = everywhere(nodes, lambda node: _tried(layout, node)) if nodes else []
    wrong = [f"{node.name}: {why}" for node, why in zip(nodes, found, strict=True) if why]
    return wrong[0] + (f" (and {len(wrong) - 1} more nodes)" if wrong[1:] else "") if wrong else ""


def require_loadable(layout: Layout) -> None:
    """Raises StorageError if programs on some node run without the library."""
    if why := failure(layout):
        raise StorageError(f"the preload library cannot be used: {why}", hint=_hint(layout))


def reported(layout: Layout) -> dict[str, int]:
    """How many lines there are by now, by node."""
    nodes = _nodes(layout)
    found = everywhere(nodes, lambda node: len(_read(layout, node))) if nodes else []
    return {node.name: lines for node, lines in zip(nodes, found, strict=True)}


def require_loaded(
    layout: Layout,
    started: Sequence[tuple[Node, str]],
    record: Record,
    before: Mapping[str, int] = MappingProxyType({}),
) -> None:
    """Count the programs with the library in the record. Raises StorageError, which names those without it.

    `started`: the commands that weft started, by node. `before`: how many lines are about earlier jobs of the cluster.
    """
    nodes = _nodes(layout)
    if not nodes:
        return
    read = everywhere(nodes, lambda node: _read(layout, node, before.get(node.name, 0)))
    found = dict(zip([node.name for node in nodes], read, strict=True))
    record.update(preload={name: _counts(lines) for name, lines in found.items()})
    asked = [
        (node, [name for on, name in started if on.name == node.name], before.get(node.name, 0))
        for node in nodes
    ]
    wrong = [
        why for node, names, after in asked for why in _wrong(layout, node, found[node.name], names, after)
    ]
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if wrong[1:] else ""
        raise StorageError(wrong[0] + more, hint=_hint(layout), tail=_ignored(layout, nodes))


def _nodes(layout: Layout) -> list[Node]:
    return [node for node in layout.all_nodes if handshake.FILE in layout.environment(node)]


def _file(layout: Layout, node: Node) -> Path:
    return Path(layout.environment(node)[handshake.FILE])


def _read(layout: Layout, node: Node, after: int = 0) -> list[Event]:
    path = _file(layout, node)
    if not access(node).sees(path):
        return []
    return handshake.events(access(node).give([path])[path].decode(errors="replace"))[after:]


def _tried(layout: Layout, node: Node) -> str:
    access(node).make(_file(layout, node).parent)
    environment, before = {**layout.environment(node), handshake.COMMAND: _CHECK}, len(_read(layout, node))
    assigned = [f"{name}={value}" for name, value in environment.items()]
    done = access(node).run([*layout.wrapper(node), "env", *assigned, "true"], check=False)
    lines = [
        line for line in _read(layout, node, before) if line.command == _CHECK and line.kind == "started"
    ]
    if not lines:
        return (
            " ".join(done.err.split())
            or f"a program with it ended with exit code {done.code} and did not load it"
        )
    return next(filter(None, (handshake.idle(line, environment) for line in lines)), "")


def _counts(lines: Sequence[Event]) -> dict[str, object]:
    started = [line for line in lines if line.kind == "started" and line.command != _CHECK]
    return {
        "programs": len(started),
        "processes": len({line.process for line in started}),
        "cannot_load": handshake.programs(lines, "cannot-load"),
        "without": handshake.programs(lines, "without"),
    }


def _wrong(
    layout: Layout, node: Node, lines: Sequence[Event], started: Sequence[str], after: int
) -> list[str]:
    """What ran without the library on a node, one sentence each."""
    reported = {line.command for line in lines if line.kind == "started"}
    never = [
        f"{name} on {node.name} ran without the preload library"
        for name in dict.fromkeys(started)
        if name not in reported
    ]
    environment = layout.environment(node)
    partly = [
        f"the preload library {why} in {line.program} ({line.command} on {node.name})"
        for line in lines
        if line.kind == "started" and (why := handshake.idle(line, environment))
    ]
    without = [
        f"{one.program}, started by {one.command} on {node.name}, ran without the preload library"
        for one in _confirmed(layout, node, handshake.silent(lines), after)
    ]
    return [*never, *partly, *without]


def _confirmed(layout: Layout, node: Node, found: Sequence[Silent], after: int) -> list[Silent]:
    """Programs that still run without the library after some time, or that never had it.

    A program that others have run with the library was ended before it could report anything, if it does not run.
    """
    left = list(found)
    for _ in range(_POLLS):
        if not left:
            break
        signals.sleep(_PAUSE)
        left = [one for one in handshake.silent(_read(layout, node, after)) if one in left]
    return [one for one in left if not one.others or _runs(node, one)]


def _runs(node: Node, one: Silent) -> bool:
    try:
        stat = access(node).run(["cat", f"/proc/{one.process.pid}/stat"], check=False).out
    except WeftError:
        return False
    fields = stat.rpartition(")")[2].split()
    return len(fields) > 19 and fields[0] != "Z" and one.process.start in (0, int(fields[19]))


def _ignored(layout: Layout, nodes: Sequence[Node]) -> list[str]:
    """What the loader printed about the library, from the logs."""
    logs = [path for node in nodes for path in sorted((layout.record / "logs" / node.name).glob("*.log"))]
    return list(
        dict.fromkeys(line for log in logs for line in shell.tail(log, 200) if handshake.LIBRARY in line)
    )[:4]


def _hint(layout: Layout) -> str:
    return f"the library is in {layout.native}; `weft doctor` checks it"
